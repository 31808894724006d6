//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The session that scripts/examples shows is typed again, in a terminal, and shows the same.
func TestTheExampleOfASession(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(examples(t), "repl-session.txt"))
	if err != nil {
		t.Fatal(err)
	}
	s := sit(t, nil, "repl")
	typed := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		input, isInput := strings.CutPrefix(line, "> ")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case isInput:
			s.prompt()
			s.typing(input + "\r")
			s.expect(input + "\r\n")
			typed++
		default:
			for part := range strings.SplitSeq(line, "…") {
				s.expect(strings.TrimRight(part, " "))
			}
		}
	}
	if typed == 0 {
		t.Fatal("the session types nothing")
	}
	s.leave(0)
}
