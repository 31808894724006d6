package fsx_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"murlua/platform/fsx"
)

func nextChange(t *testing.T, w *fsx.DirWatch) fsx.Change {
	t.Helper()
	select {
	case change, ok := <-w.Changes():
		if !ok {
			t.Fatal("the changes ended")
		}
		return change
	case <-time.After(20 * time.Second):
		t.Fatal("no change")
	}
	return fsx.Change{}
}

func TestWatchDirNamesWhatChanges(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "before"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := fsx.WatchDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	target := filepath.Join(dir, "x.json")
	for what, change := range map[string]func() error{
		"written": func() error { return fsx.WriteFileAtomic(target, []byte("1"), 0o600) },
		"removed": func() error { return os.Remove(target) },
	} {
		if what == "removed" {
			_ = os.WriteFile(target, nil, 0o600)
		}
		if err := change(); err != nil {
			t.Fatal(err)
		}
		for {
			got := nextChange(t, w)
			if got.Ended || slices.Contains(got.Names, "before") {
				t.Fatalf("%s: %+v", what, got)
			}
			if got.All || slices.Contains(got.Names, "x.json") {
				break
			}
		}
	}
}

func TestWatchDirEndsWithTheDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dir")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	w, err := fsx.WatchDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := os.Rename(dir, dir+"-moved"); err != nil {
		t.Fatal(err)
	}
	for !nextChange(t, w).Ended {
	}
	if _, open := <-w.Changes(); open {
		t.Error("a change came after the end")
	}
}

func TestWatchDirRefusesWhatIsNoDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, file + "-missing"} {
		if _, err := fsx.WatchDir(path); err == nil || !strings.HasPrefix(err.Error(), "cannot watch "+path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
