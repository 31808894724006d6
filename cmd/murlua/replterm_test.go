package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// panicAtThePrompt is a program whose completion has a defect.
func panicAtThePrompt() {
	e, err := openEditor("")
	if err != nil {
		fmt.Println(err)
		return
	}
	e.complete(func(context.Context, string) (string, []string) { panic("a defect") }, func() string { return "" })
	<-e.prompt("> ")
	select {}
}

func TestTheOutletKeepsWhatIsPrintedWhileAPromptIsOpen(t *testing.T) {
	var out bytes.Buffer
	s := &outlet{to: &out}
	s.note("before")
	s.prompting(true)
	s.note("meanwhile")
	if out.String() != "before\n" {
		t.Errorf("shown %q while a prompt is open", out.String())
	}
	s.prompting(false)
	s.note("after")
	if out.String() != "before\nmeanwhile\nafter\n" {
		t.Errorf("shown %q", out.String())
	}
	out.Reset()
	s.prompting(true)
	for i := range 40_000 {
		s.note(fmt.Sprintf("line %d", i))
	}
	s.prompting(false)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if !strings.HasSuffix(lines[0], "bytes left out") || !strings.HasPrefix(lines[1], "line ") || lines[len(lines)-1] != "line 39999" {
		t.Errorf("shown %q, %q … %q", lines[0], lines[1], lines[len(lines)-1])
	}
	if out.Len() > 2*maxKept+100 {
		t.Errorf("kept %d bytes", out.Len())
	}
}

func TestHistoryEntries(t *testing.T) {
	path := filepath.Join(t.TempDir(), "below", "history")
	h := openHistory(path)
	for _, test := range []struct {
		input string
		want  []string
	}{
		{"1 + 1", []string{"1 + 1"}},
		{"do\nx()\nend", []string{"do x() end"}},
		{"do -- why\nend", []string{"do -- why", "end"}},
		{"x = [[a\nb]]", []string{"x = [[a", "b]]"}},
		{"  ", nil},
		{strings.Repeat("x", 5000), nil},
		{"bad \xff", nil},
	} {
		if got := h.add(test.input); !cmp.Equal(got, test.want) {
			t.Errorf("%.20q becomes %q, want %q", test.input, got, test.want)
		}
	}
	want := []string{"1 + 1", "do x() end", "do -- why", "end", "x = [[a", "b]]"}
	if got := openHistory(path).lines; !cmp.Equal(got, want) {
		t.Errorf("read back %q, want %q", got, want)
	}
}
