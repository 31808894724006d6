package sweep_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"murlua/lifecycle/formation"
	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/lifecycle/running"
	"murlua/lifecycle/scratch"
	"murlua/lifecycle/sweep"
	"murlua/platform/process"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newHome(t *testing.T) home.Home {
	t.Helper()
	h, err := home.Resolve(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.EnsureRunning(); err != nil {
		t.Fatal(err)
	}
	if _, err := h.EnsureFormations(); err != nil {
		t.Fatal(err)
	}
	return h
}

// started is a process of the test, with a goroutine that waits for it.
type started struct {
	identity process.Identity
	exited   chan struct{}
}

func start(t *testing.T, script string) *started {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", script)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 8)); err != nil { // it says when it is set up
		t.Fatal(err)
	}
	token, err := process.StartToken(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	s := &started{process.Identity{PID: cmd.Process.Pid, Start: token}, make(chan struct{})}
	go func() {
		defer close(s.exited)
		_ = cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-s.exited
	})
	return s
}

const (
	obedient = "echo; exec sleep 600"
	deaf     = "trap '' TERM; echo; exec sleep 600" // what is ignored stays so
)

func write(t *testing.T, h home.Home, identity process.Identity, change func(*running.Record)) running.Record {
	t.Helper()
	r := running.Record{
		SessionID: id.NewSession(), PID: identity.PID, ProcessStart: identity.Start, CapsuleName: "c", CapsuleVersion: "1",
		Workdir: "/w", RecordsDir: "/r", StartedAt: "2026-01-01T00:00:00Z",
	}
	if change != nil {
		change(&r)
	}
	if _, err := running.Write(h, r); err != nil {
		t.Fatal(err)
	}
	return r
}

func mark(t *testing.T, h home.Home, frm id.Formation, project string, launcher process.Identity) string {
	t.Helper()
	dir := filepath.Join(h.Formations(), string(frm))
	if err := os.MkdirAll(filepath.Join(dir, "coder"), 0o700); err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(formation.Marker{
		ProjectDir: project, LauncherPID: launcher.PID, LauncherStart: launcher.Start, LauncherOrigin: launcher.Origin,
	})
	if err := os.WriteFile(filepath.Join(dir, formation.MarkerFile), text, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// reused is the identity of a process that had the number of this one before.
func reused(t *testing.T) process.Identity {
	t.Helper()
	own, err := process.Current()
	if err != nil {
		t.Fatal(err)
	}
	own.Start = "1"
	return own
}

func TestFindSaysWhatIsThere(t *testing.T) {
	h := newHome(t)
	live := start(t, obedient)
	liveRecord := write(t, h, live.identity, nil)
	goneRecord := write(t, h, reused(t), nil)
	broken := filepath.Join(h.Running(), "broken.json")
	if err := os.WriteFile(broken, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	older, newer, held, blank := id.NewFormation(), id.NewFormation(), id.NewFormation(), id.NewFormation()
	mark(t, h, older, "/p", reused(t))
	mark(t, h, newer, "/p", live.identity)
	mark(t, h, held, "/q", reused(t))
	member := write(t, h, live.identity, func(r *running.Record) { r.FormationID = held; r.FormationMember = "coder" })
	if err := os.MkdirAll(filepath.Join(h.Formations(), string(blank)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/", filepath.Join(h.Formations(), string(id.NewFormation()))); err != nil {
		t.Fatal(err)
	}
	items, err := sweep.Find(t.Context(), h, []sweep.Kind{sweep.Record, sweep.Unreadable, sweep.Formation})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, item := range items {
		got = append(got, fmt.Sprintf("%s %s %s %d", item.Kind, item.ID, item.State, item.Rank))
	}
	want := []string{
		"record " + string(member.SessionID) + " live 0", "record " + string(goneRecord.SessionID) + " gone 0", "record " + string(liveRecord.SessionID) + " live 0",
		"unreadable " + broken + " gone 0",
		"formation " + string(blank) + " unowned 0", "formation " + string(held) + " live 1", "formation " + string(newer) + " live 1", "formation " + string(older) + " gone 2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if entries, _ := os.ReadDir(h.Running()); len(entries) != 4 {
		t.Errorf("finding changed the records: %v", entries)
	}
}

func find(t *testing.T, h home.Home, kind sweep.Kind, id string) sweep.Item {
	t.Helper()
	items, err := sweep.Find(t.Context(), h, []sweep.Kind{kind})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(items, func(item sweep.Item) bool { return item.ID == id })
	if i < 0 {
		t.Fatalf("%s %s is not among %v", kind, id, items)
	}
	return items[i]
}

func TestARecordIsPrunedOnlyOnEvidence(t *testing.T) {
	h := newHome(t)
	gone := write(t, h, reused(t), nil)
	live := start(t, obedient)
	alive := write(t, h, live.identity, nil)
	if did, err := sweep.Act(t.Context(), h, find(t, h, sweep.Record, string(gone.SessionID)), sweep.Prune, 0); err != nil || did != "pruned" {
		t.Errorf("pruning the gone one: %q, %v", did, err)
	}
	if _, err := sweep.Act(t.Context(), h, find(t, h, sweep.Record, string(alive.SessionID)), sweep.Prune, 0); !errors.Is(err, running.ErrNotGone) {
		t.Errorf("pruning the living one: %v", err)
	}
	if _, err := running.Read(running.Location(h, alive.SessionID)); err != nil {
		t.Errorf("the living one's record: %v", err)
	}
}

func TestStopsAndKills(t *testing.T) {
	for _, test := range []struct {
		name, script string
		action       sweep.Action
		grace        time.Duration
		want         string
	}{
		{"it obeys", obedient, sweep.Stop, time.Minute, "ended by SIGTERM"},
		{"it does not", deaf, sweep.Stop, 20 * time.Millisecond, "ended by SIGKILL"},
		{"at once", deaf, sweep.Kill, time.Minute, "ended by SIGKILL"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHome(t)
			p := start(t, test.script)
			r := write(t, h, p.identity, nil)
			did, err := sweep.Act(t.Context(), h, find(t, h, sweep.Record, string(r.SessionID)), test.action, test.grace)
			if err != nil || did != test.want {
				t.Errorf("%q, %v, want %q", did, err, test.want)
			}
			<-p.exited
			if _, err := os.Stat(running.Location(h, r.SessionID)); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the record is still there: %v", err)
			}
		})
	}
}

// A pid that another process holds by now is never signalled: here it is the test itself.
func TestAStrangerIsNotSignalled(t *testing.T) {
	h := newHome(t)
	r := write(t, h, reused(t), nil)
	item := find(t, h, sweep.Record, string(r.SessionID))
	if did, err := sweep.Act(t.Context(), h, item, sweep.Kill, 0); err != nil || did != "it had already ended" {
		t.Errorf("%q, %v", did, err)
	}
	frm := id.NewFormation()
	mark(t, h, frm, "/p", reused(t))
	if did, err := sweep.Act(t.Context(), h, find(t, h, sweep.Formation, string(frm)), sweep.Stop, time.Second); err != nil || did != "it had already ended" {
		t.Errorf("%q, %v", did, err)
	}
}

func TestAFormationsDirectoryIsRemovedWhenNobodyUsesIt(t *testing.T) {
	h := newHome(t)
	live := start(t, obedient)
	gone, launched := id.NewFormation(), id.NewFormation()
	dir := mark(t, h, gone, "/p", reused(t))
	kept := mark(t, h, launched, "/p", live.identity)
	item := find(t, h, sweep.Formation, string(gone))
	if diff := cmp.Diff([]string{"coder"}, item.Members); diff != "" {
		t.Error(diff)
	}
	if did, err := sweep.Act(t.Context(), h, item, sweep.Remove, 0); err != nil || did != "removed" {
		t.Errorf("%q, %v", did, err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
	if did, err := sweep.Act(t.Context(), h, item, sweep.Remove, 0); err != nil || did != "it was removed meanwhile" {
		t.Errorf("the second time: %q, %v", did, err)
	}
	item = find(t, h, sweep.Formation, string(launched))
	item.State = sweep.Gone // what was found out is not relied on
	if _, err := sweep.Act(t.Context(), h, item, sweep.Remove, 0); err == nil || !strings.Contains(err.Error(), "it is running") {
		t.Errorf("removing a running one: %v", err)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
	if did, err := sweep.Act(t.Context(), h, item, sweep.Stop, time.Minute); err != nil || did != "ended by SIGTERM" {
		t.Errorf("stopping the launcher: %q, %v", did, err)
	}
	<-live.exited
	if did, err := sweep.Act(t.Context(), h, item, sweep.Remove, 0); err != nil || did != "removed" {
		t.Errorf("%q, %v", did, err)
	}
}

func TestAFileThatIsNoRecordIsRemoved(t *testing.T) {
	h := newHome(t)
	path := filepath.Join(h.Running(), "x.json")
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	item := find(t, h, sweep.Unreadable, path)
	outside := item
	outside.Path = filepath.Join(t.TempDir(), "x.json")
	if _, err := sweep.Act(t.Context(), h, outside, sweep.Remove, 0); err == nil {
		t.Error("a file elsewhere was removed")
	}
	if did, err := sweep.Act(t.Context(), h, item, sweep.Remove, 0); err != nil || did != "removed" {
		t.Errorf("%q, %v", did, err)
	}
}

// What could not be read may be the record of a session that runs, and a launcher elsewhere may run there.
func TestWhatCouldNotBeFoundOutIsKept(t *testing.T) {
	h := newHome(t)
	text, err := os.ReadFile(running.Location(h, write(t, h, reused(t), nil).SessionID))
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "record")
	if err := os.WriteFile(elsewhere, text, 0o600); err != nil {
		t.Fatal(err)
	}
	link, long := filepath.Join(h.Running(), "link.json"), filepath.Join(h.Running(), "long.json")
	if err := os.Symlink(elsewhere, link); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(long, append(text, strings.Repeat(" ", 2<<20)...), 0o600); err != nil {
		t.Fatal(err)
	}
	foreign := reused(t)
	foreign.Origin.PIDNamespace = "pid:[1]"
	dir := mark(t, h, id.NewFormation(), "/project", foreign)
	for _, item := range []sweep.Item{find(t, h, sweep.Unreadable, link), find(t, h, sweep.Unreadable, long), find(t, h, sweep.Formation, filepath.Base(dir))} {
		if item.State != sweep.Unreachable {
			t.Errorf("%s is %s", item.ID, item.State)
		}
		if did, err := sweep.Act(t.Context(), h, item, sweep.Remove, 0); err == nil {
			t.Errorf("%s: %s", item.ID, did)
		}
		if _, err := os.Lstat(item.Path); err != nil {
			t.Errorf("it was removed: %v", err)
		}
	}
}

func TestATemporaryFolderIsRemovedWhenItsScriptHasEnded(t *testing.T) {
	h, temp := newHome(t), t.TempDir()
	mine, err := scratch.Make(temp, "murlua-")
	if err != nil {
		t.Fatal(err)
	}
	own, err := process.Current()
	if err != nil {
		t.Fatal(err)
	}
	left := strings.Replace(mine, "."+own.Start+".", ".1.", 1)
	if err := os.MkdirAll(filepath.Join(left, "a", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	items, err := sweep.FindScratch(temp)
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]sweep.State{}
	for _, item := range items {
		states[item.Path] = item.State
		did, err := sweep.Act(t.Context(), h, item, sweep.Remove, 0)
		if (err == nil) != (item.Path == left) || err == nil && did != "removed" {
			t.Errorf("removing %s: %q, %v", item.Path, did, err)
		}
	}
	if diff := cmp.Diff(map[string]sweep.State{mine: sweep.Live, left: sweep.Gone}, states); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}

func TestWhatCannotBeDoneIsSaid(t *testing.T) {
	h := newHome(t)
	r := write(t, h, reused(t), nil)
	item := find(t, h, sweep.Record, string(r.SessionID))
	if _, err := sweep.Act(t.Context(), h, item, sweep.Remove, 0); err == nil || err.Error() != "cannot remove a record: it can be [prune stop kill]" {
		t.Errorf("%v", err)
	}
}

func TestAStopIsCutShort(t *testing.T) {
	h := newHome(t)
	p := start(t, deaf)
	r := write(t, h, p.identity, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := sweep.Act(ctx, h, find(t, h, sweep.Record, string(r.SessionID)), sweep.Stop, time.Minute); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}
