package fsx

import (
	"os"
	"path/filepath"
	"testing"
)

// The file was replaced between the look at it and its removal.
func TestWhatReplacedTheFileAtTheLastMomentIsPutBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	write := func(text string) {
		t.Helper()
		if err := WriteFileAtomic(path, []byte(text), PrivateFileMode); err != nil {
			t.Fatal(err)
		}
	}
	write("old")
	_, version, err := ReadRegular(path, 100)
	if err != nil {
		t.Fatal(err)
	}
	write("new")
	if removed, err := takeAway(path, version); removed || err != nil {
		t.Errorf("removed %v, %v", removed, err)
	}
	only(t, path, "new")

	// A third one came while the second was aside.
	aside := path + ".aside"
	if err := os.Rename(path, aside); err != nil {
		t.Fatal(err)
	}
	write("newer")
	if err := putBack(aside, path); err != nil {
		t.Error(err)
	}
	only(t, path, "newer")
}

func only(t *testing.T, path, want string) {
	t.Helper()
	text, err := os.ReadFile(path)
	entries, _ := os.ReadDir(filepath.Dir(path))
	if err != nil || string(text) != want || len(entries) != 1 {
		t.Errorf("read %q, %v, among %v; want only %q", text, err, entries, want)
	}
}
