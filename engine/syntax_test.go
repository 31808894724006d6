package engine

import (
	"errors"
	"testing"
)

func TestSyntaxErrorsNameTheMistake(t *testing.T) {
	const (
		after    = "; nothing may follow 'return' in its block"
		uncalled = "; is '()' missing before it?"
	)
	for source, want := range map[string]string{
		"return 1\nprint(2)": "syntax error near 'print'" + after,
		"local function f() if f then return 1 print(2) end end": "syntax error near 'print'" + after,
		"return print(2)\nlocal x":                               "syntax error near 'local'" + after,
		"return function() return 1 end end":                     "syntax error near 'end'",
		"return = 2":                                             "syntax error near '='",
		"local x = 1 y":                                          "unexpected end near '<eof>'" + uncalled,
		"h.stop\nprint(2)":                                       "parse error near 'print'" + uncalled,
		"if h then\n  h:stop\nend":                               "syntax error near 'end'" + uncalled,
		"h.stop":                                                 "unexpected end near '<eof>'" + uncalled,
		"session mur = 1":                                        "parse error near 'mur'",
		"for _ r in pairs({}) do end":                            "syntax error near 'r'",
		"if h then":                                              "unexpected end near '<eof>'",
		"local x =\nlocal y":                                     "syntax error near 'local'",
		"print(1) )":                                             "syntax error near ')'",
	} {
		_, err := Compile("x.lua", source)
		own, ok := errors.AsType[*Error](err)
		if !ok || own.Message != want {
			t.Errorf("%q: %v, want %q", source, err, want)
		}
	}
}

func TestNearest(t *testing.T) {
	for name, want := range map[string]string{"sotp": "stop", "restrat": "restart", "remove": "remove", "x": "", "z": "z", "ab": "", "stp": "stop"} {
		if got := Nearest(name, []string{"stop", "restart", "remove", "y", "z", "cd"}); got != want {
			t.Errorf("%q is near %q, want %q", name, got, want)
		}
	}
}
