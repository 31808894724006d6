package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"murlua/lifecycle/door"
	"murlua/lifecycle/home"
	"murlua/lifecycle/running"
	"murlua/lifecycle/scratch"
	"murlua/platform/contain"
	"murlua/platform/process"
)

// Action is what is done to an item.
type Action string

// The actions.
const (
	Prune  Action = "prune"  // a record: remove it, when its process has ended
	Stop   Action = "stop"   // a record or a formation: ask it to end, then make it
	Kill   Action = "kill"   // a record: end its process at once
	Remove Action = "remove" // a file, or a formation's directory with everything in it
	End    Action = "end"    // a cgroup, or what was tracked: end what runs
)

var actions = map[Kind][]Action{
	Record: {Prune, Stop, Kill}, Unreadable: {Remove}, Formation: {Remove, Stop}, Cgroup: {End}, Tracked: {End}, Scratch: {Remove},
}

// Actions lists what can be done to items of the kind.
func Actions(kind Kind) []Action { return slices.Clone(actions[kind]) }

// DefaultGrace is how long a process has to end after it was asked to.
const DefaultGrace = 10 * time.Second

// killWithin is how long a process may take to end after SIGKILL before that counts as failed.
const killWithin = 5 * time.Second

// askWithin bounds the request to a session to cancel what it is doing.
const askWithin = 5 * time.Second

// Act does one thing to an item and says what came of it in a few words. The item is verified again first, and what
// would be wrong now is an error. ctx bounds the waiting; a stop that it cuts short is an error too.
func Act(ctx context.Context, h home.Home, item Item, action Action, grace time.Duration) (string, error) {
	if !slices.Contains(actions[item.Kind], action) {
		return "", fmt.Errorf("cannot %s a %s: it can be %v", action, item.Kind, actions[item.Kind])
	}
	switch item.Kind {
	case Record:
		return actOnRecord(ctx, h, item.Record, action, grace)
	case Unreadable:
		return removeUnreadable(h, item.Path)
	case Formation:
		return actOnFormation(ctx, h, item, action, grace)
	case Scratch:
		return removeScratch(item.Path)
	case Tracked:
		return endTracked(item.Path)
	}
	killed, err := contain.Leftover{Dir: item.Path}.End()
	return ended(killed), err
}

func ended(count int) string {
	if count == 1 {
		return "1 process ended"
	}
	return fmt.Sprintf("%d processes ended", count)
}

func actOnRecord(ctx context.Context, h home.Home, record running.Record, action Action, grace time.Duration) (string, error) {
	did := "pruned"
	var err error
	switch action {
	case Stop:
		if record.URL != "" {
			// What it is doing is canceled first, so that it is recorded as such. A silent door is no obstacle.
			asking, cancel := context.WithTimeout(ctx, askWithin)
			client := door.Client{URL: record.URL, Token: record.DoorToken}
			if running.ProcessState(record).Kind == process.Alive {
				_, _ = client.StopSession(asking)
			}
			cancel()
		}
		did, err = end(ctx, record.Identity(), syscall.SIGTERM, grace)
	case Kill:
		did, err = end(ctx, record.Identity(), syscall.SIGKILL, 0)
	}
	if err != nil {
		return "", err
	}
	return did, running.Prune(h, record)
}

// end ends a process by a signal, and by SIGKILL when it is still there after the grace.
func end(ctx context.Context, identity process.Identity, first syscall.Signal, grace time.Duration) (string, error) {
	ref, state := process.OpenIdentity(identity)
	if ref == nil {
		if state.Kind == process.Gone {
			return "it had already ended", nil
		}
		return "", fmt.Errorf("cannot signal process %d: %s", identity.PID, state.Reason)
	}
	defer ref.Close()
	rungs := []struct {
		signal syscall.Signal
		within time.Duration
		name   string
	}{{first, grace, "SIGTERM"}, {syscall.SIGKILL, killWithin, "SIGKILL"}}
	if first == syscall.SIGKILL {
		rungs = rungs[1:]
	}
	for _, rung := range rungs {
		err := ref.Signal(rung.signal)
		if errors.Is(err, os.ErrProcessDone) {
			return "it had already ended", nil
		}
		if err != nil {
			return "", fmt.Errorf("cannot signal process %d: %w", identity.PID, err)
		}
		timer := time.NewTimer(rung.within)
		select {
		case <-ref.Exited():
			timer.Stop()
			return "ended by " + rung.name, nil
		case <-ctx.Done():
			timer.Stop()
			return "", fmt.Errorf("process %d was sent %s and not waited for: %w", identity.PID, rung.name, context.Cause(ctx))
		case <-timer.C:
		}
	}
	return "", fmt.Errorf("process %d is still running %v after SIGKILL", identity.PID, killWithin)
}

// removeUnreadable removes a file among the records that still is none, and could not be one to anybody.
func removeUnreadable(h home.Home, path string) (string, error) {
	if filepath.Dir(path) != filepath.Clean(h.Running()) {
		return "", fmt.Errorf("cannot remove %q: it is not among the records", path)
	}
	listing, err := running.Scan(h.Running())
	if err != nil {
		return "", err
	}
	for _, file := range listing.Unreadable {
		if file.Path != path {
			continue
		}
		if !file.Removable() {
			return "", fmt.Errorf("cannot remove %q: it may be a record: %w", path, file.Reason)
		}
		removed, err := file.Remove()
		if err != nil || removed {
			return "removed", err
		}
	}
	if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
		return "it was removed meanwhile", nil
	}
	return "", fmt.Errorf("cannot remove %q: it is a record by now", path)
}

// removeScratch removes a temporary folder whose process has ended.
func removeScratch(path string) (string, error) {
	if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
		return "it was removed meanwhile", nil
	}
	state := scratch.Judge(path)
	switch state.Kind {
	case process.Alive:
		return "", fmt.Errorf("cannot remove %q: its script is running", path)
	case process.Unverified:
		return "", fmt.Errorf("cannot remove %q: its script may be running, %s", path, state.Reason)
	}
	return "removed", os.RemoveAll(path)
}

func actOnFormation(ctx context.Context, h home.Home, item Item, action Action, grace time.Duration) (string, error) {
	path := filepath.Join(h.Formations(), filepath.Base(item.Path))
	if action == Stop {
		if item.Marker.LauncherPID == 0 {
			return "", fmt.Errorf("cannot stop formation %s: it does not say who launched it", item.ID)
		}
		return end(ctx, item.Marker.Launcher(), syscall.SIGTERM, grace)
	}
	listing, listErr := running.Scan(h.Running())
	now, ok := formationItem(path, listing.Records, listErr)
	switch {
	case !ok:
		return "it was removed meanwhile", nil
	case now.State == Live:
		return "", fmt.Errorf("cannot remove formation %s: it is running", item.ID)
	case now.State == Unreachable:
		return "", fmt.Errorf("cannot remove formation %s: it may be running, %s", item.ID, now.Reason)
	}
	return "removed", os.RemoveAll(path)
}
