//go:build unix

package fsx_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"murlua/platform/fsx"
)

func TestReadRegularReadsUpToTheLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	for size, fits := range map[int]bool{0: true, 1: true, 4096: true, 4097: false, 1 << 20: false} {
		if err := os.WriteFile(path, []byte(strings.Repeat("x", size)), 0o600); err != nil {
			t.Fatal(err)
		}
		data, _, err := fsx.ReadRegular(path, 4096)
		if fits && (err != nil || len(data) != size) || !fits && !errors.Is(err, fsx.ErrTooLarge) {
			t.Errorf("%d bytes: read %d, %v", size, len(data), err)
		}
	}
}

// A file of /proc says that it is empty, and is not.
func TestReadRegularReadsToTheEndWhateverTheSize(t *testing.T) {
	data, _, err := fsx.ReadRegular("/proc/self/status", 1<<20)
	if err != nil || !strings.Contains(string(data), "Pid:") {
		t.Errorf("read %d bytes, %v", len(data), err)
	}
	if _, _, err := fsx.ReadRegular("/proc/self/status", 100); !errors.Is(err, fsx.ErrTooLarge) {
		t.Errorf("above the limit: %v", err)
	}
}

func TestReadRegularRefusesEverythingElseAtOnce(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(in("file"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(in("file"), in("link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(in("nothing"), in("dangling")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(in("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	socket, err := net.Listen("unix", in("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	for _, path := range []string{dir, in("link"), in("dangling"), in("pipe"), in("socket"), "/dev/zero", "/dev/tty"} {
		if _, _, err := fsx.ReadRegular(path, 100); err == nil || path != "/dev/tty" && !errors.Is(err, fsx.ErrNotRegular) {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, path := range []string{dir, in("link"), in("dangling"), in("pipe"), in("socket"), "/dev/zero"} {
		if _, err := fsx.TryLock(path); !errors.Is(err, fsx.ErrNotRegular) {
			t.Errorf("locking %s: %v", path, err)
		}
	}
	if _, err := os.Lstat(in("nothing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a link was followed: %v", err)
	}
	if _, _, err := fsx.ReadRegular(in("missing"), 100); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestRemoveVersionLeavesWhatIsNew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	read := func() fsx.Version {
		t.Helper()
		_, version, err := fsx.ReadRegular(path, 100)
		if err != nil {
			t.Fatal(err)
		}
		return version
	}
	for name, change := range map[string]func() error{
		"renamed over": func() error { return fsx.WriteFileAtomic(path, []byte("b"), 0o600) },
		"written to":   func() error { return os.WriteFile(path, []byte("longer"), 0o600) },
	} {
		if err := os.WriteFile(path, []byte("a"), 0o600); err != nil {
			t.Fatal(err)
		}
		version := read()
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if removed, err := fsx.RemoveVersion(path, version); removed || err != nil {
			t.Errorf("%s: removed %v, %v", name, removed, err)
		}
	}
	version := read()
	for _, want := range []bool{true, false} {
		if removed, err := fsx.RemoveVersion(path, version); removed != want || err != nil {
			t.Errorf("removed %v, want %v, %v", removed, want, err)
		}
	}
}

func TestAModeIsKeptWhateverTheUmask(t *testing.T) {
	dir := t.TempDir()
	before := syscall.Umask(0o377)
	defer syscall.Umask(before)
	if err := fsx.WriteFileAtomic(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := mode(t, filepath.Join(dir, "file")); got != 0o600 {
		t.Errorf("the file has mode %o", got)
	}
	if err := fsx.EnsurePrivateDir(filepath.Join(dir, "dir")); err != nil {
		t.Fatal(err)
	}
	if got := mode(t, filepath.Join(dir, "dir")); got != 0o700 {
		t.Errorf("the directory has mode %o", got)
	}
}
