package repl

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func newConsole(t *testing.T, files map[string]string) (*Console, *bytes.Buffer) {
	t.Helper()
	session, out := newSession(t, Options{})
	return &Console{
		Session: session, Out: out, SlowFrom: time.Hour,
		ReadFile: func(path string) (string, error) {
			text, ok := files[path]
			if !ok {
				return "", errors.New("cannot read " + path)
			}
			return text, nil
		},
	}, out
}

func TestConsole(t *testing.T) {
	files := map[string]string{
		"a.lua":      "local hidden = 1\nloaded = (loaded or 0) + 1\nreturn require('counted'), loaded",
		"wrong.lua":  "x = = 1",
		"failing":    "local function f() error('inside') end\nf()",
		"#shell.lua": "#!/usr/bin/env murlua\nreturn 'ok'",
	}
	c, out := newConsole(t, files)
	steps := []struct {
		line string
		next Next
		want string
	}{
		{"1 + 1", Again, "2\n"},
		{"", Again, ""},
		{"for i = 1, 2 do", More, ""},
		{"  print(i)", More, ""},
		{"end", Again, "1\n2\n"},
		{"x = {", More, ""},
		{"}", Again, ""},
		{"::label:: goto on ::on::", Again, ""},
		{"nothing()", Again, "input 5:1: attempt to call "},
		{":time", Again, "times are shown\n"},
		{"1", Again, "1\n("},
		{":time", Again, "times are not shown\n"},
		{":time 1 + 1", Again, "2\n("},
		{":time {", Again, "the expression ends in the middle\n"},
		{":load", Again, ":load takes"},
		{":reload", Again, "nothing was loaded yet"},
		{":load nowhere", Again, "cannot read nowhere\n"},
		{":load wrong.lua", Again, "wrong.lua:1: "},
		{":load failing", Again, "failing:1: inside\nstack traceback:\n\t"},
		{":load #shell.lua", Again, "\"ok\"\n"},
		{"package.preload.counted = function() times = (times or 0) + 1 return times end", Again, ""},
		{":load a.lua", Again, "1\n1\n"},
		{"hidden, loaded", Again, "nil\n1\n"},
		{":load a.lua", Again, "1\n2\n"},
		{":reload", Again, "2\n3\n"},
		{":nosuch", Again, "there is no command :nosuch"},
		{":help", Again, "An input is"},
		{":quit", Leave, ""},
		{"os.exit(4)", Leave, ""},
	}
	for _, step := range steps {
		out.Reset()
		if got := c.Line(t.Context(), step.line); got != step.next {
			t.Errorf("%q is followed by %d, want %d", step.line, got, step.next)
		}
		got := out.String()
		if !strings.HasPrefix(got, step.want) || step.want == "" && got != "" {
			t.Errorf("%q shows %q, want %q", step.line, got, step.want)
		}
	}
	if c.Exit == nil || c.Exit.Status != 4 {
		t.Errorf("the exit is %v, want status 4", c.Exit)
	}
}

func TestConsoleDropsAnInput(t *testing.T) {
	c, out := newConsole(t, nil)
	if c.Drop() {
		t.Error("there was nothing to drop")
	}
	c.Line(t.Context(), "x = {")
	c.Line(t.Context(), "1,")
	if diff := cmp.Diff("x = {\n1,\n", c.Pending()); diff != "" {
		t.Errorf("the input so far (-want +got):\n%s", diff)
	}
	if !c.Drop() || c.Pending() != "" {
		t.Error("the input was not dropped")
	}
	c.Line(t.Context(), "2")
	if out.String() != "2\n" {
		t.Errorf("shows %q", out.String())
	}
}
