package repl

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLocate(t *testing.T) {
	path := func(steps ...any) []any { return steps }
	tests := []struct {
		input string
		want  position
	}{
		{"", position{}},
		{"fo", position{typed: "fo"}},
		{"x = mur", position{typed: "mur"}},
		{"mur.", position{path: path("mur")}},
		{"mur.form", position{path: path("mur"), typed: "form"}},
		{"print(mur.formation.la", position{path: path("mur", "formation"), typed: "la"}},
		{"f:wa", position{path: path("f"), method: true, typed: "wa"}},
		{"peers[1].na", position{path: path("peers", 1.0), typed: "na"}},
		{`peers["a b"].x.na`, position{path: path("peers", "a b", "x"), typed: "na"}},
		{"f().x", position{path: path(nil), typed: "x"}},
		{"(f).x", position{path: path(nil), typed: "x"}},
		{"mur . formation . l", position{path: path("mur", "formation"), typed: "l"}},
		{`open("ses_01`, position{inString: true, quoted: "ses_01"}},
		{`open('it\'s`, position{inString: true, quoted: "it's"}},
		{"open([[a b", position{inString: true, quoted: "a b"}},
		{`open("a") fo`, position{typed: "fo"}},
		{"-- comment mur.", position{}},
		{"--[[ x ]] mur.f", position{path: path("mur"), typed: "f"}},
		{"-- one\nmur.f", position{path: path("mur"), typed: "f"}},
		{"mur.formation.launch { re", position{typed: "re", call: []string{"mur", "formation", "launch"}}},
		{"mur.formation.launch { a = {1, 2}, ", position{call: []string{"mur", "formation", "launch"}}},
		{"mur.formation.launch { ready = re", position{typed: "re"}},
		{"mur.fs.write(path, text, { mo", position{typed: "mo", call: []string{"mur", "fs", "write"}}},
		{"mur.fs.write({ mo", position{typed: "mo", call: []string{"mur", "fs", "write"}}},
		{"t = { x", position{typed: "x"}},
		{"launch { members = { { na", position{typed: "na"}},
		{"t.a[", position{}},
	}
	for _, test := range tests {
		t.Run(test.input, func(t *testing.T) {
			if diff := cmp.Diff(test.want, locate(test.input), cmp.AllowUnexported(position{})); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func FuzzLocate(f *testing.F) {
	for _, seed := range []string{"mur.formation.launch { a = [[", `x["y"].z:`, "--[==[ ]=]", "'\\", "f({[1]=2},"} {
		f.Add(seed)
	}
	f.Fuzz(func(_ *testing.T, input string) { locate(input) })
}
