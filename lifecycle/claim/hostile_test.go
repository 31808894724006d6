//go:build unix

package claim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/platform/fsx"
	"murlua/platform/process"
)

// locked locks a name's file and says nothing about who has it.
func locked(t *testing.T, h home.Home, name string) *fsx.Lock {
	t.Helper()
	dir, err := h.EnsureNames()
	if err != nil {
		t.Fatal(err)
	}
	lock, err := fsx.TryLock(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return lock
}

// leftover is what a process that has ended left.
func leftover(t *testing.T, name string, change func(*Holder)) []byte {
	t.Helper()
	own, err := process.Current()
	if err != nil {
		t.Fatal(err)
	}
	holder := Holder{Name: name, Formation: id.NewFormation(), Identity: own, StartedAt: time.Now().UTC()}
	holder.Start += "0"
	if change != nil {
		change(&holder)
	}
	text, err := json.Marshal(holder)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestWhatIsInTheWayIsReplacedOrRefused(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("somebody's"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := func(text []byte) func(string) error {
		return func(path string) error { return os.WriteFile(path, text, 0o644) }
	}
	for name, c := range map[string]struct {
		put     func(path string) error
		refused string
	}{
		"nothing in it":       {file(nil), ""},
		"garbage":             {file([]byte("\x00\xff{{{")), ""},
		"deep JSON":           {file([]byte(strings.Repeat("[", 1<<20))), ""},
		"a leftover":          {file(leftover(t, "dev", nil)), ""},
		"of another name":     {file(leftover(t, "other", nil)), ""},
		"of a live process":   {file(leftover(t, "dev", func(h *Holder) { h.Identity, _ = process.Current() })), ""}, // which has let go of it
		"a gigabyte":          {func(path string) error { return errors.Join(file(nil)(path), os.Truncate(path, 1<<30)) }, ""},
		"a link":              {func(path string) error { return os.Symlink(outside, path) }, "not a regular file; nothing of ours: remove it"},
		"a link to nothing":   {func(path string) error { return os.Symlink(outside+"2", path) }, "not a regular file"},
		"a pipe":              {func(path string) error { return syscall.Mkfifo(path, 0o600) }, "not a regular file"},
		"a directory":         {func(path string) error { return os.Mkdir(path, 0o700) }, "not a regular file"},
		"a socket":            {listenAndLeave, "not a regular file"},
		"an unreadable file":  {func(path string) error { return os.WriteFile(path, nil, 0) }, map[bool]string{false: "permission denied"}[os.Geteuid() == 0]},
		"a link to a folder":  {func(path string) error { return os.Symlink(filepath.Dir(outside), path) }, "not a regular file"},
		"a link to a device":  {func(path string) error { return os.Symlink("/dev/zero", path) }, "not a regular file"},
		"nothing of the kind": {func(string) error { return nil }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := testHome(t)
			dir, err := h.EnsureNames()
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "dev")
			if err := c.put(path); err != nil {
				t.Fatal(err)
			}
			_, _ = Find(h, "dev") // does not wait either
			named, err := Take(t.Context(), h, "dev", id.NewFormation())
			if c.refused != "" {
				want := fmt.Sprintf(`cannot take the name "dev": cannot lock %s: `, path)
				if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), c.refused) {
					t.Errorf("got %v, want %s…%s", err, want, c.refused)
				}
				if _, err := os.Lstat(path); err != nil {
					t.Errorf("it was removed: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if holder, found := Find(h, "dev"); !found || holder.PID != os.Getpid() {
				t.Errorf("found %v, %v", holder, found)
			}
			if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 || info.Size() > 2000 {
				t.Errorf("%v, %v", info, err)
			}
			named.Release()
		})
	}
	if text, err := os.ReadFile(outside); err != nil || string(text) != "somebody's" {
		t.Errorf("what a link led to is %q now, %v", text, err)
	}
	if _, err := os.Lstat(outside + "2"); err == nil {
		t.Error("a link was followed")
	}
}

func listenAndLeave(path string) error {
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return err
	}
	listener.SetUnlinkOnClose(false)
	return listener.Close()
}

// Between the lock and the text somebody has the name and the file says nothing, or what the one before left.
func TestAHolderThatHasNotSaidWhoItIsIsWaitedFor(t *testing.T) {
	for name, before := range map[string][]byte{"nothing": nil, "a leftover": leftover(t, "dev", nil)} {
		t.Run(name, func(t *testing.T) {
			h := testHome(t)
			lock := locked(t, h, "dev")
			defer lock.Remove()
			if err := lock.Write(before); err != nil {
				t.Fatal(err)
			}
			winner := leftover(t, "dev", func(h *Holder) { h.Identity, _ = process.Current() })
			said := make(chan error)
			go func() {
				time.Sleep(100 * time.Millisecond) // it waits already, or comes later
				said <- lock.Write(winner)
			}()
			taken := refused(t, h, "dev")
			if err := <-said; err != nil {
				t.Fatal(err)
			}
			var want Holder
			if err := json.Unmarshal(winner, &want); err != nil {
				t.Fatal(err)
			}
			if taken.Holder == nil || taken.Holder.Formation != want.Formation {
				t.Errorf("refused with %v", taken)
			}
		})
	}
}

func TestAHolderThatNeverSaysWhoItIs(t *testing.T) {
	h := testHome(t)
	lock := locked(t, h, "dev")
	defer lock.Remove()
	taken := refused(t, h, "dev")
	want := `cannot launch formation "dev": somebody is just starting or ending it, and does not say who`
	if taken.Error() != want || taken.Hint() != "try again in a moment" {
		t.Errorf("refused with %q, hint %q", taken, taken.Hint())
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	cancel(stopped)
	if _, err := Take(ctx, h, "dev", id.NewFormation()); !errors.Is(err, stopped) {
		t.Errorf("cut short: %v", err)
	}
}

// A process of another place may have the name, or have left it: the lock says which.
func TestAHolderThatCannotBeVerified(t *testing.T) {
	h := testHome(t)
	lock := locked(t, h, "dev")
	text := leftover(t, "dev", func(h *Holder) {
		h.Identity, _ = process.Current()
		h.Origin = h.Identity.Origin
		h.Origin.PIDNamespace = "pid:[1]"
	})
	if err := lock.Write(text); err != nil {
		t.Fatal(err)
	}
	if taken := refused(t, h, "dev"); !strings.Contains(taken.Error(), "; that process cannot be verified from here: ") {
		t.Errorf("refused with %q", taken)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	take(t, h, "dev")
}

// Whoever takes a name removes what others left, and nothing else.
func TestAbandonedFilesAreRemoved(t *testing.T) {
	h := testHome(t)
	dir, err := h.EnsureNames()
	if err != nil {
		t.Fatal(err)
	}
	take(t, h, "live")
	for name, text := range map[string][]byte{"left": leftover(t, "left", nil), "garbage": []byte("x"), "Not-A-Name": nil, ".x.tmp": nil} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("left", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	lock := locked(t, h, "starting")
	defer lock.Remove()
	take(t, h, "dev")
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if diff := cmp.Diff([]string{".x.tmp", "Not-A-Name", "dev", "link", "live", "starting"}, names); diff != "" {
		t.Errorf("what is there (-want +got):\n%s", diff)
	}
}
