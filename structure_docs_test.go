package murlua_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A link from one document to another leads somewhere.
func TestLinksInDocumentsLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	var documents []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, found...)
	}
	for _, document := range documents {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range link.FindAllStringSubmatch(string(text), -1) {
			target := filepath.Join(filepath.Dir(document), strings.TrimSpace(match[1]))
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", document, match[1], err)
			}
		}
	}
}
