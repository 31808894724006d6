package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"murlua/stdlib/meta"
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

// Leaving "mur." out finds the command, so its page has to lead to the module.
func TestAPageThatHidesAModuleLeadsToIt(t *testing.T) {
	docs, err := meta.Load()
	if err != nil {
		t.Fatal(err)
	}
	for name, page := range pages() {
		if _, hides := docs.Help("mur." + name); hides && !strings.Contains(page, "\nSee also:\n  murlua help mur."+name+" ") {
			t.Errorf("help %s does not lead to mur.%s", name, name)
		}
	}
}

// The glossary of help and that of the README say the same, and what it leads to is there.
func TestGlossary(t *testing.T) {
	docs, err := meta.Load()
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(readme), "\n| Word | Meaning |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	want := map[string]string{}
	for row := range strings.SplitSeq(table, "\n") {
		cells := strings.Split(strings.NewReplacer("`", "", "*", "").Replace(strings.Trim(row, "| ")), " | ")
		want[cells[0]] = cells[1]
	}
	got := map[string]string{}
	for word, entry := range glossary() {
		lines := strings.Split(entry, "\n  ")
		if len(lines) != 3 {
			t.Fatalf("%s is not a word, its meaning and where to read on: %q", word, entry)
		}
		got[word] = lines[1]
		for place := range strings.SplitSeq(strings.TrimPrefix(strings.TrimSpace(lines[2]), "Read on: "), "; ") {
			topic, isHelp := strings.CutPrefix(place, "murlua help ")
			_, isName := docs.Help(topic)
			_, err := os.Stat(filepath.Join("..", "..", place))
			if isHelp && !isName && pages()[topic] == "" || !isHelp && err != nil {
				t.Errorf("%s leads to %q, which is not there", word, place)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-README.md +help/glossary.txt\n%s", diff)
	}
}
