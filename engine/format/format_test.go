package format

import (
	"errors"
	"math"
	"testing"
)

// The wanted texts are what C's printf writes.
func TestNumber(t *testing.T) {
	for _, c := range []struct {
		spec string
		f    float64
		want string
	}{
		{"d", 3.99, "3"},
		{"d", -3.99, "-3"},
		{"5d", 42, "   42"},
		{"-5d", 42, "42   "},
		{"05d", -42, "-0042"},
		{"+d", 1, "+1"},
		{" d", 1, " 1"},
		{".3d", 5, "005"},
		{"08.3d", 5, "     005"},
		{".0d", 0, ""},
		{"i", 7, "7"},
		{"u", 7, "7"},
		{"x", 255, "ff"},
		{"X", 255, "FF"},
		{"#x", 255, "0xff"},
		{"#o", 8, "010"},
		{"x", -1, "ffffffffffffffff"},
		{"x", 1 << 63, "8000000000000000"},
		{"d", math.Inf(1), "-9223372036854775808"},
		{"c", 65, "A"},
		{"3c", 65, "  A"},
		{"f", 1.5, "1.500000"},
		{".2f", 2.345, "2.35"},
		{"8.2f", -1, "   -1.00"},
		{"08.2f", -1, "-0001.00"},
		{".0f", 0.5, "0"},
		{"#.0f", 1, "1."},
		{"e", 12345.678, "1.234568e+04"},
		{".0e", 1, "1e+00"},
		{"E", 1e100, "1.000000E+100"},
		{"g", 0.1, "0.1"},
		{"g", 1e20, "1e+20"},
		{"g", 100000, "100000"},
		{"g", 1e6, "1e+06"},
		{"G", 1e-10, "1E-10"},
		{"#g", 1, "1.00000"},
		{".14g", 1.0 / 3, "0.33333333333333"},
		{".17g", 0.1, "0.10000000000000001"},
		{".0g", 15, "2e+01"},
		{"f", math.Inf(-1), "-inf"},
		{"5g", math.Inf(1), "  inf"},
		{"05f", math.Inf(1), "  inf"},
		{"G", math.Inf(1), "INF"},
	} {
		spec, n, err := Parse(c.spec)
		if err != nil || n != len(c.spec) {
			t.Fatalf("%q: %d, %v", c.spec, n, err)
		}
		if got := spec.Number(c.f); got != c.want {
			t.Errorf("%%%s of %v: %q, want %q", c.spec, c.f, got, c.want)
		}
	}
}

func TestText(t *testing.T) {
	for spec, want := range map[string]string{"s": "abc", "5s": "  abc", "-5s": "abc  ", ".2s": "ab", "5.1s": "    a", "05s": "  abc"} {
		parsed, _, err := Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := parsed.Text("abc"); got != want {
			t.Errorf("%%%s: %q, want %q", spec, got, want)
		}
	}
	if got, want := Quote("a\"b\\c\nd\re\x00f"), "\"a\\\"b\\\\c\\\nd\\re\\000f\""; got != want {
		t.Errorf("quoted %s, want %s", got, want)
	}
}

func TestMalformed(t *testing.T) {
	for spec, want := range map[string]string{
		"y": "invalid option '%y' to 'format'", "": "invalid option '%' to 'format'", "123d": ErrTooLong.Error(),
		".123d": ErrTooLong.Error(), "------d": ErrRepeatedFlags.Error(), "10": "invalid option '%' to 'format'",
	} {
		if _, _, err := Parse(spec); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %v", spec, err, want)
		}
	}
	if _, _, err := Parse("100s"); !errors.Is(err, ErrTooLong) {
		t.Error(err)
	}
}
