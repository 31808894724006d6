package watch

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, path string, options Options) *Watcher {
	t.Helper()
	w, err := Open(path, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func next(t *testing.T, w *Watcher, want Event) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	got, err := w.Next(ctx)
	if err != nil || got != want {
		t.Fatalf("next = %v, %v, want %v", got, err, want)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAFolderReportsWhatHappensInIt(t *testing.T) {
	dir := t.TempDir()
	w := open(t, dir, Options{})
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	write(t, a, "")
	next(t, w, Event{a, Created})
	write(t, a, "more")
	next(t, w, Event{a, Changed})
	if err := os.Rename(a, b); err != nil {
		t.Fatal(err)
	}
	next(t, w, Event{a, Removed})
	next(t, w, Event{b, Created})
	if err := os.Remove(b); err != nil {
		t.Fatal(err)
	}
	next(t, w, Event{b, Removed})
}

func TestASingleFileIsFollowedThroughReplacements(t *testing.T) {
	dir := t.TempDir()
	file, other := filepath.Join(dir, "f"), filepath.Join(dir, "other")
	write(t, file, "1")
	w := open(t, file, Options{})
	write(t, other, "2")
	if err := os.Rename(other, file); err != nil {
		t.Fatal(err)
	}
	next(t, w, Event{file, Created})
	write(t, file, "3")
	next(t, w, Event{file, Changed})
}

func TestFoldersMadeLaterAreWatchedToo(t *testing.T) {
	dir := t.TempDir()
	w := open(t, dir, Options{Recursive: true})
	deep := filepath.Join(dir, "x", "y")
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(deep, "f")
	write(t, file, "")
	seen := map[string]bool{}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for !seen[file] {
		event, err := w.Next(ctx)
		if err != nil {
			t.Fatalf("%v after %v", err, seen)
		}
		seen[event.Path] = true
	}
	if !seen[filepath.Join(dir, "x")] {
		t.Errorf("the new folder itself was not reported: %v", seen)
	}
}

func TestARemovedFolderEndsTheWatch(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	w := open(t, dir, Options{})
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	next(t, w, Event{dir, Removed})
	if _, err := w.Next(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("next = %v", err)
	}
}

func TestCloseWakesEverybody(t *testing.T) {
	w := open(t, t.TempDir(), Options{})
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			if _, err := w.Next(context.Background()); !errors.Is(err, ErrClosed) {
				t.Errorf("next = %v", err)
			}
		})
	}
	w.Close()
	group.Wait()
	if err := w.Close(); err != nil {
		t.Errorf("the second close: %v", err)
	}
}

func TestNothingToWatch(t *testing.T) {
	if _, err := Open(filepath.Join(t.TempDir(), "none"), Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open = %v", err)
	}
}

func TestTheContextEndsTheWait(t *testing.T) {
	w := open(t, t.TempDir(), Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("next = %v", err)
	}
}
