package running

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"murlua/platform/process"
)

// Nothing in the directory makes a reader wait or follow.
func TestWhatIsNoFileHoldsNobodyUp(t *testing.T) {
	h := newHome(t)
	record := write(t, h, ours(current(t)))
	in := func(name string) string { return filepath.Join(h.Running(), name) }
	if err := syscall.Mkfifo(in("pipe.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	socket, err := net.Listen("unix", in("socket.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	for name, target := range map[string]string{"zero.json": "/dev/zero", "loop.json": in("loop.json"), "outside.json": "/etc/passwd", "dir.json": "/"} {
		if err := os.Symlink(target, in(name)); err != nil {
			t.Fatal(err)
		}
	}
	before := names(t, h.Running())
	listing, err := ListReporting(h)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Record{record}, listing.Records, secrets); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"dir.json", "loop.json", "outside.json", "pipe.json", "socket.json", "zero.json"}, unreadableNames(listing)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, names(t, h.Running())); diff != "" {
		t.Errorf("files: %s", diff)
	}
	w := follow(t, h)
	w.want(Appeared, record, process.Alive)
	w.caughtUp()
}

// Records appear, are replaced and vanish while they are read. Whoever stays is listed every time.
func TestListingWhileRecordsComeAndGo(t *testing.T) {
	h := newHome(t)
	self := current(t)
	stays := write(t, h, ours(self))
	stop := make(chan struct{})
	var churn sync.WaitGroup
	for range 2 {
		churn.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				record := ours(self)
				guard, err := Write(h, record)
				if err != nil {
					t.Error(err)
					return
				}
				record.FormationMember = strings.Repeat("x", 5000)
				if _, err := Write(h, record); err != nil {
					t.Error(err)
				}
				if err := guard.Remove(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 300 {
		listing, err := ListReporting(h)
		if err != nil || len(listing.Removed)+len(listing.Unreadable)+len(listing.Older) != 0 {
			t.Errorf("%+v, %v", listing, err)
		}
		if last := len(listing.Records) - 1; last < 0 || listing.Records[last].SessionID != stays.SessionID {
			t.Errorf("the one that stays is not listed")
		}
	}
	close(stop)
	churn.Wait()
}

// A record that is renamed over what could not be read is not removed in its place.
func TestARecordThatReplacesGarbageStays(t *testing.T) {
	h := newHome(t)
	record := ours(current(t))
	path := Location(h, record.SessionID)
	for range 300 {
		put(t, h, filepath.Base(path), "{")
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() {
				if _, err := ListReporting(h); err != nil {
					t.Error(err)
				}
			})
		}
		write(t, h, record)
		group.Wait()
		if !exists(path) {
			t.Fatal("a record was removed as garbage")
		}
		if left := names(t, h.Running()); len(left) != 1 {
			t.Fatalf("left: %v", left)
		}
	}
}

// A directory of a hundred thousand files, most of them no records.
func TestAHugeDirectory(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 100,000 files")
	}
	h := newHome(t)
	record := write(t, h, ours(current(t)))
	for i := range 100_000 {
		source := filepath.Join(h.Path(), fmt.Sprint("source-", i/20_000))
		if i%20_000 == 0 {
			if err := os.WriteFile(source, []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if i%10 == 0 {
			put(t, h, fmt.Sprintf("%d.json", i), "{}")
			continue
		}
		// Another name of a file, which is quicker than a file.
		if err := os.Link(source, filepath.Join(h.Running(), fmt.Sprintf("%d.tmp", i))); err != nil {
			t.Fatal(err)
		}
	}
	begin := time.Now()
	listing, err := ListReporting(h)
	t.Logf("listed in %v", time.Since(begin))
	if err != nil || len(listing.Removed) != 10_000 {
		t.Errorf("removed %d, %v", len(listing.Removed), err)
	}
	if diff := cmp.Diff([]Record{record}, listing.Records, secrets); diff != "" {
		t.Error(diff)
	}
}
