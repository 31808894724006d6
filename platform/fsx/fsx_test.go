package fsx_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"murlua/platform/fsx"
)

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func TestEnsurePrivateDirClosesWhatWasOpen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := fsx.EnsurePrivateDir(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := fsx.EnsurePrivateDir(dir); err != nil {
		t.Fatal(err)
	}
	if got := mode(t, dir); got != 0o700 {
		t.Errorf("mode is %o, want 700", got)
	}
}

func TestEnsurePrivateDirNamesThePathAndTheReason(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := fsx.EnsurePrivateDir(file)
	if err == nil || err.Error() != file+": not a directory" {
		t.Errorf("got %v", err)
	}
}

func TestWriteFileAtomicLeavesOnlyTheFile(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "x.json")
	for _, text := range []string{"first", "second, longer", ""} {
		if err := fsx.WriteFileAtomic(target, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(target)
		if err != nil || string(got) != text {
			t.Errorf("read %q, %v; want %q", got, err, text)
		}
	}
	if got := mode(t, target); got != 0o600 {
		t.Errorf("mode is %o, want 600", got)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("directory holds %v, %v; want only the file", entries, err)
	}
}

func TestWriteFileAtomicFailsWithoutATrace(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "taken")
	if err := os.Mkdir(target, 0o700); err != nil {
		t.Fatal(err)
	}
	err := fsx.WriteFileAtomic(target, []byte("x"), 0o600)
	if err == nil || !strings.Contains(err.Error(), "cannot write "+target) {
		t.Errorf("got %v", err)
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestWriteFileAtomicReplacesASymbolicLink(t *testing.T) {
	dir := t.TempDir()
	elsewhere, link := filepath.Join(dir, "elsewhere"), filepath.Join(dir, "link")
	if err := os.WriteFile(elsewhere, []byte("untouched"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, link); err != nil {
		t.Fatal(err)
	}
	if err := fsx.WriteFileAtomic(link, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(elsewhere)
	if string(got) != "untouched" || mode(t, elsewhere) != 0o644 {
		t.Errorf("the link's target was written: %q", got)
	}
}

// A reader that reads while writers write sees whole contents only.
func TestReadersNeverSeeAPart(t *testing.T) {
	target := filepath.Join(t.TempDir(), "x")
	contents := []string{strings.Repeat("a", 64<<10), strings.Repeat("b", 100<<10)}
	var writers sync.WaitGroup
	for _, text := range contents {
		writers.Go(func() {
			for range 20 {
				if err := fsx.WriteFileAtomic(target, []byte(text), 0o600); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	for {
		got, err := os.ReadFile(target)
		if err == nil && string(got) != contents[0] && string(got) != contents[1] {
			t.Fatalf("read %d bytes of neither content", len(got))
		}
		select {
		case <-done:
			return
		default:
		}
	}
}

func TestStagingNameIsMurmurs(t *testing.T) {
	form := regexp.MustCompile(`^\.ses_1\.json\.\d+\.[0-9a-f]{32}\.tmp$`)
	first, second := fsx.StagingName("ses_1.json"), fsx.StagingName("ses_1.json")
	if !form.MatchString(first) || first == second {
		t.Errorf("got %q and %q", first, second)
	}
}

func TestALockHasOneHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := fsx.TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fsx.TryLock(path); !errors.Is(err, fsx.ErrLocked) {
		t.Errorf("second holder: %v, want ErrLocked", err)
	}
	for range 2 {
		if err := first.Unlock(); err != nil {
			t.Errorf("unlock: %v", err)
		}
	}
	second, err := fsx.TryLock(path)
	if err != nil {
		t.Fatalf("after unlock: %v", err)
	}
	if err := second.Unlock(); err != nil {
		t.Error(err)
	}
}

// Holders that remove the file exclude each other still, whoever opened it before it was removed.
func TestALockThatIsRemovedHasOneHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var group sync.WaitGroup
	var holders, most atomic.Int32
	for range 8 {
		group.Go(func() {
			for taken := 0; taken < 200; {
				lock, err := fsx.TryLock(path)
				if errors.Is(err, fsx.ErrLocked) {
					runtime.Gosched()
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				taken++
				if n := holders.Add(1); n > 1 {
					most.Store(n)
				}
				runtime.Gosched()
				holders.Add(-1)
				if err := lock.Remove(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if n := most.Load(); n > 1 {
		t.Errorf("%d held the lock at the same time", n)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is still there (%v)", err)
	}
}

func TestOneOfManyTakesTheLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var group sync.WaitGroup
	taken := make(chan *fsx.Lock, 16)
	for range 16 {
		group.Go(func() {
			if lock, err := fsx.TryLock(path); err == nil {
				taken <- lock
			} else if !errors.Is(err, fsx.ErrLocked) {
				t.Error(err)
			}
			runtime.Gosched()
		})
	}
	group.Wait()
	close(taken)
	count := 0
	for lock := range taken {
		count++
		_ = lock.Unlock()
	}
	if count != 1 {
		t.Errorf("%d took the lock", count)
	}
}

// What a holder writes replaces what was there, whatever mode that had, and anybody can read it meanwhile.
func TestTheHolderOfALockWritesItsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	if err := os.WriteFile(path, []byte("something longer than what follows"), 0o644); err != nil {
		t.Fatal(err)
	}
	lock, err := fsx.TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Remove()
	if err := lock.Write([]byte("mine")); err != nil {
		t.Fatal(err)
	}
	text, _, err := fsx.ReadRegular(path, 100)
	if err != nil || string(text) != "mine" {
		t.Errorf("read %q, %v", text, err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != fsx.PrivateFileMode {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestWriteFileVolatileLeavesOnlyTheFile(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "record.json")
	for _, text := range []string{"first", "second"} {
		if err := fsx.WriteFileVolatile(target, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(target)
		if err != nil || string(got) != text {
			t.Errorf("it holds %q, %v", got, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the directory has %v, %v", entries, err)
	}
}
