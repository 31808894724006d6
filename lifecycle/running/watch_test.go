package running

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"murlua/lifecycle/home"
	"murlua/platform/process"
	"murlua/platform/watch"
)

// watching is a watch whose events a test expects one by one.
type watching struct {
	*Watcher
	t testing.TB
}

func follow(t testing.TB, h home.Home) watching {
	t.Helper()
	w, err := Watch(h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return watching{w, t}
}

func (w watching) next() Event {
	w.t.Helper()
	select {
	case event, ok := <-w.Events():
		if !ok {
			w.t.Fatalf("the events ended: %v", w.Err())
		}
		return event
	case <-time.After(20 * time.Second):
		w.t.Fatal("no event")
	}
	return Event{}
}

func (w watching) want(kind EventKind, record Record, state process.Kind) Event {
	w.t.Helper()
	event := w.next()
	if event.Kind != kind || event.Record.SessionID != record.SessionID || event.State.Kind != state {
		w.t.Fatalf("got %v of %s, %v; want %v of %s, %v", event.Kind, event.Record.SessionID, event.State, kind, record.SessionID, state)
	}
	return event
}

func (w watching) caughtUp() {
	w.t.Helper()
	w.want(CaughtUp, Record{}, process.Unverified)
}

func TestWatchFollowsARecordsLife(t *testing.T) {
	h := newHome(t)
	first, second := start(t, "wait"), start(t, "wait")
	before := write(t, h, ours(first.identity(t)))
	w := follow(t, h)
	w.want(Appeared, before, process.Alive)
	w.caughtUp()

	after := ours(second.identity(t))
	guard, err := Write(h, after)
	if err != nil {
		t.Fatal(err)
	}
	w.want(Appeared, after, process.Alive)

	// The end of a process, before anybody has waited for it.
	_ = first.stdin.Close()
	event := w.want(Changed, before, process.Gone)
	if want := fmt.Sprintf("no process holds pid %d", first.pid()); event.State.Reason != want {
		t.Errorf("reason is %q, want %q", event.State.Reason, want)
	}
	if err := Prune(h, before); err != nil {
		t.Fatal(err)
	}
	w.want(Vanished, before, process.Gone)

	after.FormationMember = "lead"
	write(t, h, after)
	if event := w.want(Changed, after, process.Alive); event.Record.FormationMember != "lead" {
		t.Errorf("the record is the one before: %+v", event.Record)
	}
	if err := guard.Remove(); err != nil {
		t.Fatal(err)
	}
	w.want(Vanished, after, process.Alive)
}

func TestWatchReportsWhatIsStaleOrForeignAtOnce(t *testing.T) {
	h := newHome(t)
	stale, foreign := current(t), current(t)
	stale.Start += "0"
	foreign.Origin.PIDNamespace = "pid:[1]"
	w := follow(t, h)
	w.caughtUp()
	w.want(Appeared, write(t, h, ours(stale)), process.Gone)
	w.want(Appeared, write(t, h, ours(foreign)), process.Unverified)
}

// A file that is touched, or written anew with the same content, says nothing new.
func TestWatchIsSilentWhereNothingChanged(t *testing.T) {
	h := newHome(t)
	same, other := fullest(), ours(current(t))
	w := follow(t, h)
	w.caughtUp()
	same.SetProcess(current(t))
	write(t, h, same)
	w.want(Appeared, same, process.Alive)
	write(t, h, same)
	if err := os.Chmod(Location(h, same.SessionID), 0o400); err != nil {
		t.Fatal(err)
	}
	w.want(Appeared, write(t, h, other), process.Alive)
	same.Credentials["web"] = same.DoorToken
	write(t, h, same)
	w.want(Changed, same, process.Alive)
}

func TestWatchPassesOverWhatIsNoRecord(t *testing.T) {
	h := newHome(t)
	fill(t, h)
	w := follow(t, h)
	for range wantRecords {
		if event := w.next(); event.Kind != Appeared {
			t.Errorf("got %v", event.Kind)
		}
	}
	w.caughtUp()
	left := names(t, h.Running())

	put(t, h, "half.json", smallestText[:50])
	put(t, h, "x.tmp", smallestText)
	// A record that becomes unreadable is none any more; one that becomes readable is one.
	put(t, h, "a.json", "{")
	if event := w.next(); event.Kind != Vanished || filepath.Base(event.Record.Path) != "a.json" {
		t.Errorf("got %+v", event)
	}
	put(t, h, "half.json", smallestText)
	if event := w.next(); event.Kind != Appeared || filepath.Base(event.Record.Path) != "half.json" {
		t.Errorf("got %+v", event)
	}
	if got := names(t, h.Running()); len(got) != len(left)+2 {
		t.Errorf("watching removed files: %v", got)
	}
}

func TestWatchEndsWithItsDirectory(t *testing.T) {
	h := newHome(t)
	record := write(t, h, ours(current(t)))
	w := follow(t, h)
	w.want(Appeared, record, process.Alive)
	w.caughtUp()
	if err := w.Err(); err != nil {
		t.Errorf("before its end: %v", err)
	}
	if err := os.RemoveAll(h.Running()); err != nil {
		t.Fatal(err)
	}
	w.want(Vanished, record, process.Alive)
	select {
	case event, ok := <-w.Events():
		if ok {
			t.Fatalf("got %+v", event)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the events did not end")
	}
	if !errors.Is(w.Err(), ErrWatchEnded) {
		t.Errorf("Err is %v", w.Err())
	}
}

// Nobody takes the events: the watch ends all the same, and leaves nothing.
func TestWatchEndsWhileNobodyListens(t *testing.T) {
	h := newHome(t)
	for range 3 {
		write(t, h, ours(current(t)))
	}
	w, err := Watch(h)
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	if _, open := <-w.Events(); open {
		t.Error("an event came after the end")
	}
	if w.Err() != nil {
		t.Errorf("Err is %v", w.Err())
	}
}

// More changes than the kernel keeps, while nobody listens: what is there in the end is known in the
// end.
func TestWatchCatchesUpAfterAFlood(t *testing.T) {
	if testing.Short() {
		t.Skip("writes thousands of files")
	}
	h := newHome(t)
	w := follow(t, h)
	w.caughtUp()
	self := ours(current(t))
	text, err := Encode(self)
	if err != nil {
		t.Fatal(err)
	}
	queued, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	if err != nil {
		t.Skipf("the length of the queue is unknown: %v", err)
	}
	var length int
	if _, err := fmt.Sscan(string(queued), &length); err != nil {
		t.Fatal(err)
	}
	// Each makes two events at least.
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for i := range length/8 + 50 {
				path := filepath.Join(h.Running(), fmt.Sprintf("gone-%d-%d.json", worker, i))
				if err := os.WriteFile(path, nil, 0o600); err != nil {
					t.Error(err)
				}
				_ = os.Remove(path)
			}
		})
	}
	group.Wait()
	last := put(t, h, "last.json", string(text))
	for {
		event := w.next()
		if event.Record.Path == last && event.Kind == Appeared {
			break
		}
		if strings.HasPrefix(filepath.Base(event.Record.Path), "gone") {
			t.Errorf("an empty file is a record: %+v", event)
		}
	}
}

// Where changes were lost, what vanished meanwhile is found out by looking at everything again.
func TestWatchLooksAtEverythingAgain(t *testing.T) {
	h := newHome(t)
	stays, vanishes := write(t, h, ours(current(t))), write(t, h, ours(current(t)))
	w := watching{&Watcher{events: make(chan Event), stop: make(chan struct{}), dir: h.Running(), known: map[string]*watched{}}, t}
	look := func(kinds ...EventKind) {
		t.Helper()
		done := make(chan error)
		go func() { done <- w.changed(change{Event: watch.Event{Path: w.dir, Kind: watch.Changed}}) }()
		for _, kind := range kinds {
			if event := w.next(); event.Kind != kind {
				t.Errorf("got %v, want %v", event.Kind, kind)
			}
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	look(Appeared, Appeared)
	if err := os.Remove(vanishes.Path); err != nil {
		t.Fatal(err)
	}
	look(Vanished)
	look()
	if entry := w.known[string(stays.SessionID)+".json"]; entry == nil || len(w.known) != 1 {
		t.Fatalf("known are %v", w.known)
	} else {
		entry.release()
	}
}

// One descriptor for each process that is held, none when the watch is over.
func TestWatchLeavesNoDescriptor(t *testing.T) {
	h := newHome(t)
	for range 5 {
		write(t, h, ours(current(t)))
	}
	count := func() int { return len(names(t, "/proc/self/fd")) }
	before := count()
	for range 3 {
		w := watching{t: t}
		var err error
		if w.Watcher, err = Watch(h); err != nil {
			t.Fatal(err)
		}
		for range 5 {
			if event := w.next(); event.Kind != Appeared {
				t.Errorf("got %v", event.Kind)
			}
		}
		w.caughtUp()
		w.Close()
	}
	if after := count(); after != before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}
