package main

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// A help page is written by hand and the command line is declared in Go: neither may know more than the other.
func TestEveryCommandHasAPageThatNamesItsOptions(t *testing.T) {
	var cli commands
	parser, err := kong.New(&cli, kong.NoDefaultHelp())
	if err != nil {
		t.Fatal(err)
	}
	overview := pages()["murlua"]
	for _, command := range parser.Model.Children {
		t.Run(command.Name, func(t *testing.T) {
			page, ok := pages()[command.Name]
			if !ok {
				t.Fatalf("there is no help/%s.txt", command.Name)
			}
			if command.Hidden == strings.Contains(overview, "\n  "+command.Name+" ") {
				t.Errorf("the overview should name it unless it is hidden (hidden: %v)", command.Hidden)
			}
			if !strings.HasPrefix(page, "murlua "+command.Name+" - ") {
				t.Errorf("the page begins with %q", strings.SplitN(page, "\n", 2)[0])
			}
			at := -1
			for _, part := range []string{"\nUsage:\n", "\nWhat it does", "\nExit codes:\n", "\nExamples:\n"} {
				next := strings.Index(page, part)
				if next <= at {
					t.Errorf("%q is missing or out of order", strings.TrimSpace(part))
				}
				at = next
			}
			for _, flag := range command.Flags {
				if !flag.Hidden && !strings.Contains(page, "--"+flag.Name) {
					t.Errorf("--%s is not on the page", flag.Name)
				}
			}
			for _, word := range strings.FieldsFunc(page, func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-", r) }) {
				if name, ok := strings.CutPrefix(word, "--"); ok && len(name) > 1 && !hasFlag(command, name) {
					t.Errorf("the page has --%s, the command has not", name)
				}
			}
		})
	}
}

func hasFlag(command *kong.Node, name string) bool {
	for _, flag := range command.Flags {
		if flag.Name == name || flag.Tag.Negatable != "" && "no-"+flag.Name == name {
			return true
		}
	}
	return false
}
