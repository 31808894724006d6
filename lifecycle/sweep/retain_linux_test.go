package sweep_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"murlua/lifecycle/formation"
	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/lifecycle/running"
	"murlua/lifecycle/sweep"
	"murlua/platform/process"
)

// begun is the id of a formation that began so long before now.
func begun(now time.Time, ago time.Duration, serial int) id.Formation {
	return id.Formation(fmt.Sprintf("frm_%012x%020x", now.Add(-ago).UnixMilli(), serial))
}

// leave makes the directory of a formation with one member, and its marker if there is a launcher.
func leave(t *testing.T, h home.Home, frm id.Formation, project string, launcher *process.Identity) {
	t.Helper()
	dir := filepath.Join(h.Formations(), string(frm))
	if err := os.MkdirAll(filepath.Join(dir, "coder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if launcher == nil {
		return
	}
	text, err := json.Marshal(formation.Marker{ProjectDir: project, LauncherPID: launcher.PID, LauncherStart: launcher.Start})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, formation.MarkerFile), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestOnlyEndedFormationsOfTheProjectAreNotRetained(t *testing.T) {
	h := newHome(t)
	now := time.Now()
	own, err := process.Current()
	if err != nil {
		t.Fatal(err)
	}
	gone := &process.Identity{PID: own.PID, Start: "1"} // this pid, and another start
	project, other := t.TempDir(), t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(project, link); err != nil {
		t.Fatal(err)
	}
	const day = 24 * time.Hour
	later, current := begun(now, -time.Hour, 1), begun(now, 0, 2)
	running1, ended2, ended3, ended4, old5 := begun(now, 1*day, 3), begun(now, 2*day, 4), begun(now, 3*day, 5), begun(now, 4*day, 6), begun(now, 30*day, 7)
	others, unmarked := begun(now, 40*day, 8), begun(now, 41*day, 9)
	leave(t, h, later, project, gone)
	leave(t, h, current, project, gone)
	leave(t, h, running1, project, &own)
	leave(t, h, ended2, project, gone)
	leave(t, h, ended3, project, gone)
	leave(t, h, ended4, link, gone)
	leave(t, h, old5, project, gone)
	leave(t, h, others, other, gone)
	leave(t, h, unmarked, "", nil)
	guard, err := running.Write(h, running.Record{
		SessionID: id.NewSession(), PID: own.PID, ProcessStart: own.Start, CapsuleName: "coder", CapsuleVersion: "1", Workdir: project,
		RecordsDir: project, StartedAt: now.UTC().Format(time.RFC3339), FormationID: ended3, FormationMember: "coder",
	})
	if err != nil {
		t.Fatal(err)
	}

	retain := func(r sweep.Retention) []sweep.Removed {
		t.Helper()
		r.Project, r.Current, r.Now = project, current, now
		removed, err := sweep.Retain(t.Context(), h, r)
		if err != nil {
			t.Error(err)
		}
		return removed
	}
	if removed := retain(sweep.Retention{}); removed != nil {
		t.Errorf("without limits: %v", removed)
	}
	want := []sweep.Removed{{ended4, "max_sessions"}, {old5, "max_age"}}
	if diff := cmp.Diff(want, retain(sweep.Retention{MaxSessions: 4, MaxAge: 14 * day})); diff != "" {
		t.Errorf("with a member of one running (-want +got):\n%s", diff)
	}
	if err := guard.Remove(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]sweep.Removed{{ended2, "max_age"}, {ended3, "max_age"}}, retain(sweep.Retention{MaxSessions: 1, MaxAge: day})); diff != "" {
		t.Errorf("when it has ended (-want +got):\n%s", diff)
	}
	for _, stays := range []id.Formation{later, current, running1, others, unmarked} {
		if _, err := os.Stat(filepath.Join(h.Formations(), string(stays), "coder")); err != nil {
			t.Errorf("%s is gone: %v", stays, err)
		}
	}
}

func TestNothingIsRemovedWhenTheRecordsCannotBeListed(t *testing.T) {
	h := newHome(t)
	own, err := process.Current()
	if err != nil {
		t.Fatal(err)
	}
	now, project := time.Now(), t.TempDir()
	old := begun(now, time.Hour, 1)
	leave(t, h, old, project, &process.Identity{PID: own.PID, Start: "1"})
	if err := os.RemoveAll(h.Running()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.Running(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := sweep.Retention{Project: project, Current: begun(now, 0, 2), MaxSessions: 1, MaxAge: time.Second, Now: now}
	if removed, err := sweep.Retain(t.Context(), h, r); len(removed) > 0 {
		t.Errorf("removed %v, %v", removed, err)
	}
	if err := os.Remove(h.Running()); err != nil {
		t.Fatal(err)
	}
	if removed, err := sweep.Retain(t.Context(), h, r); err != nil || !cmp.Equal(removed, []sweep.Removed{{old, "max_age"}}) {
		t.Errorf("when there are no records at all: %v, %v", removed, err)
	}
}
