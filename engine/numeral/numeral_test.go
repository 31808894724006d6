package numeral_test

import (
	"math"
	"testing"

	"murlua/engine/numeral"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]float64{
		"0": 0, "10": 10, "0010": 10, " 3.5\n": 3.5, "1e3": 1000, "-2": -2, ".5": 0.5, "5.": 5, "0x1F": 31, "-0x10": -16, "1e999": math.Inf(1),
	} {
		if got, ok := numeral.Parse(text); !ok || got != want {
			t.Errorf("Parse(%q) = %v, %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", " ", "x", "1x", "0x", "1_000", "--1", "nan", "inf", "0x1p4", "1 2"} {
		if got, ok := numeral.Parse(text); ok {
			t.Errorf("Parse(%q) = %v, want a refusal", text, got)
		}
	}
}

func TestText(t *testing.T) {
	for want, f := range map[string]float64{
		"0": 0, "-0": math.Copysign(0, -1), "10": 10, "-3": -3, "0.1": 0.1, "1e+15": 1e15, "99999999999999": 99999999999999, "1e+100": 1e100,
		"3.1415926535898": math.Pi, "inf": math.Inf(1), "-inf": math.Inf(-1), "nan": math.NaN(),
	} {
		if got := numeral.Text(f); got != want {
			t.Errorf("Text(%v) = %q, want %q", f, got, want)
		}
	}
}
