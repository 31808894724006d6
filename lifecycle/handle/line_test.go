package handle

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseLine(t *testing.T) {
	for _, c := range []struct {
		line string
		want [][]string
		err  string
	}{
		{"sleep 1", [][]string{{"sleep", "1"}}, ""},
		{" a\t b ", [][]string{{"a", "b"}}, ""},
		{"tail -f log | grep -v 'a | b' | wc", [][]string{{"tail", "-f", "log"}, {"grep", "-v", "a | b"}, {"wc"}}, ""},
		{`say "a \"b\" \c" d\ e ''`, [][]string{{"say", `a "b" \c`, "d e", ""}}, ""},
		{"a#b x~", [][]string{{"a#b", "x~"}}, ""},
		{"", nil, "empty line"},
		{"a |", nil, "nothing follows"},
		{"| a", nil, "stage before | is empty"},
		{"a || b", nil, `"||"`},
		{"a && b", nil, `"&"`},
		{"a > out", nil, `">"`},
		{"a $HOME", nil, `"$"`},
		{`a "$HOME"`, nil, `"$"`},
		{"ls *", nil, `"*"`},
		{"a 'b", nil, "single quote"},
		{`a "b`, nil, "double quote"},
		{`a \`, nil, "backslash"},
	} {
		got, err := ParseLine(c.line)
		if c.err == "" && (err != nil || !cmp.Equal(got, c.want)) {
			t.Errorf("ParseLine(%q) = %q, %v, want %q", c.line, got, err, c.want)
		}
		if c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("ParseLine(%q) = %q, %v, want an error with %q", c.line, got, err, c.err)
		}
	}
}

func FuzzParseLine(f *testing.F) {
	f.Add(`a 'b' "c\"" | d\ e`)
	f.Fuzz(func(t *testing.T, line string) {
		stages, err := ParseLine(line)
		for _, stage := range stages {
			if err == nil && len(stage) == 0 {
				t.Errorf("ParseLine(%q) gave an empty stage", line)
			}
		}
	})
}
