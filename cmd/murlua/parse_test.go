package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The short way to read a command line without options comes to the same as the long one.
func TestAPlainRunIsReadAsTheParserReadsIt(t *testing.T) {
	for _, args := range [][]string{
		{"run", "recipe.lua"},
		{"run", "recipe.lua", "a", "--plan", "-x", "--", "--only", "b"},
		{"run", "--", "recipe.lua"},
		{"run", "-", "a"},
		{"run", "--plan", "recipe.lua"},
		{"run", ""},
		{"run"},
		{"repl", "recipe.lua"},
	} {
		plain, ok := plainRun(args)
		if !ok {
			continue
		}
		parser, err := newParser(args)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := parser.Parse(args)
		if err != nil {
			t.Errorf("%q: only the short way takes it: %v", args, err)
			continue
		}
		chosen, _ := parsed.Selected().Target.Addr().Interface().(*runCommand)
		if diff := cmp.Diff(chosen, plain, cmp.AllowUnexported(runCommand{})); diff != "" {
			t.Errorf("%q: the parser has it otherwise:\n%s", args, diff)
		}
	}
	if _, ok := plainRun([]string{"run", "recipe.lua", "a"}); !ok {
		t.Error("a plain run is not read the short way")
	}
}
