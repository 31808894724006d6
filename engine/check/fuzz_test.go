package check

import (
	"os"
	"path/filepath"
	"testing"

	"murlua/engine"
	"murlua/stdlib/meta"
)

// FuzzScript: whatever parses is checked to its end, and every finding is in the script.
func FuzzScript(f *testing.F) {
	docs, err := meta.Load()
	if err != nil {
		f.Fatal(err)
	}
	s, err := NewSurface(docs)
	if err != nil {
		f.Fatal(err)
	}
	for _, pattern := range []string{"../../scripts/examples/*.lua", "../../tests/lua/*.lua"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(source))
		}
	}
	f.Fuzz(func(t *testing.T, source string) {
		if _, err := engine.Compile("x.lua", source); err != nil {
			return // the checker says so, and no more
		}
		for _, finding := range Script("x.lua", source, s) {
			if finding.Line < 1 || finding.Message == "" {
				t.Errorf("%+v", finding)
			}
		}
	})
}
