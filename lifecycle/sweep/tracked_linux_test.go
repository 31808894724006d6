package sweep_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"murlua/lifecycle/home"
	"murlua/lifecycle/marks"
	"murlua/lifecycle/sweep"
	"murlua/platform/contain"
)

// abandon makes a note of a host and a keeper that have both ended, and a process that they left.
func abandon(t *testing.T, h home.Home) (path string, left *exec.Cmd) {
	t.Helper()
	mark := contain.NewMarks()
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_LOCKS, &before); err != nil {
		t.Fatal(err)
	}
	if err := mark.Of(1).Set(); err != nil {
		t.Fatal(err)
	}
	left = exec.Command("/bin/sleep", "600")
	err := left.Start()
	_ = unix.Setrlimit(unix.RLIMIT_LOCKS, &before)
	if err != nil {
		t.Fatal(err)
	}
	if path, err = marks.Write(h.Marks(), mark, left.Process.Pid); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var note map[string]any
	if err := json.Unmarshal(text, &note); err != nil {
		t.Fatal(err)
	}
	for _, who := range []string{"host", "keeper"} {
		one := note[who].(map[string]any)
		one["process_start"] = "1" // others had the numbers
		delete(one["origin"].(map[string]any), "inode")
	}
	text, _ = json.Marshal(note)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path, left
}

func TestWhatWasTrackedIsListedAndEnded(t *testing.T) {
	h := newHome(t)
	path, left := abandon(t, h)
	living, err := marks.Write(h.Marks(), contain.NewMarks(), os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	items, err := sweep.Find(t.Context(), h, []sweep.Kind{sweep.Tracked})
	if err != nil || len(items) != 1 {
		t.Fatalf("found %+v, %v", items, err)
	}
	item := items[0]
	want := fmt.Sprintf("its host and its keeper have ended; left: sleep (pid %d)", left.Process.Pid)
	if item.Path != path || item.State != sweep.Gone || item.Reason != want || len(item.Procs) != 1 || item.Procs[0].PID != left.Process.Pid {
		t.Errorf("found %+v", item)
	}
	if did, err := sweep.Act(t.Context(), h, item, sweep.End, 0); err != nil || did != "1 process ended" {
		t.Errorf("%q, %v", did, err)
	}
	if err := left.Wait(); err == nil {
		t.Error("the process was not killed")
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the note is still there")
	}
	item.Path = living
	if _, err := sweep.Act(t.Context(), h, item, sweep.End, 0); err == nil || !strings.Contains(err.Error(), "its host, process ") {
		t.Errorf("a living host's: %v", err)
	}
	if err := os.Chmod(h.Marks(), 0o777); err != nil {
		t.Fatal(err)
	}
	items, err = sweep.Find(t.Context(), h, []sweep.Kind{sweep.Tracked})
	if err != nil || len(items) != 1 || items[0].Path != h.Marks() || items[0].State != sweep.Unreachable {
		t.Errorf("a folder that is open to others: %+v, %v", items, err)
	}
}
