package ended

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"murlua/lifecycle/formation"
	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/lifecycle/running"
	"murlua/platform/process"
)

// place is a home with formations of two projects.
type place struct {
	t             *testing.T
	home          home.Home
	project       string
	other         string
	gone, running process.Identity
}

func newPlace(t *testing.T) *place {
	t.Helper()
	h, err := home.Resolve(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	me, err := process.Current()
	if err != nil {
		t.Fatal(err)
	}
	ended := exec.Command(os.Args[0], "-test.run=^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	return &place{
		t: t, home: h, project: t.TempDir(), other: t.TempDir(), running: me,
		gone: process.Identity{PID: ended.Process.Pid, Start: "1"},
	}
}

// at is the id of a formation minted so many seconds after the epoch's first million.
func at(second int) id.Formation {
	return id.Formation(fmt.Sprintf("frm_%012x%020x", (1_000_000+second)*1000, 7))
}

func (p *place) add(second int, project string, launcher process.Identity) id.Formation {
	p.t.Helper()
	name := at(second)
	dir := filepath.Join(p.home.Formations(), string(name))
	if err := os.MkdirAll(filepath.Join(dir, "worker"), 0o700); err != nil {
		p.t.Fatal(err)
	}
	text, err := json.Marshal(formation.Marker{ProjectDir: project, LauncherPID: launcher.PID, LauncherStart: launcher.Start})
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, formation.MarkerFile), text, 0o600); err != nil {
		p.t.Fatal(err)
	}
	return name
}

func (p *place) exists(name id.Formation) bool {
	_, err := os.Stat(filepath.Join(p.home.Formations(), string(name)))
	return err == nil
}

func TestPruneKeepsTheNewestOfTheProject(t *testing.T) {
	p := newPlace(t)
	for second := range 5 {
		p.add(second, p.project, p.gone)
	}
	foreign := p.add(10, p.other, p.gone)
	link := filepath.Join(t.TempDir(), "project")
	if err := os.Symlink(p.project, link); err != nil {
		t.Fatal(err)
	}
	got := Prune(p.home, at(4), link, Policy{MaxFormations: 2})
	want := []Pruned{{at(2), TooMany}, {at(1), TooMany}, {at(0), TooMany}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !p.exists(at(3)) || !p.exists(at(4)) || !p.exists(foreign) || p.exists(at(2)) {
		t.Error("the wrong directories are left")
	}
}

func TestTooOldComesBeforeTooMany(t *testing.T) {
	p := newPlace(t)
	for second := range 4 {
		p.add(second*100, p.project, p.gone)
	}
	now := at(300).Time().Add(time.Second)
	got := prune(p.home, at(300), p.project, Policy{MaxFormations: 2, MaxAge: 250 * time.Second}, now)
	if diff := cmp.Diff([]Pruned{{at(100), TooMany}, {at(0), TooOld}}, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhatMayRunIsNeverRemoved(t *testing.T) {
	p := newPlace(t)
	launcherRuns := p.add(0, p.project, p.running)
	memberRuns := p.add(1, p.project, p.gone)
	unreadable := p.add(2, p.project, p.gone)
	later := p.add(9, p.project, p.gone)
	gone := p.add(3, p.project, p.gone)
	if err := os.WriteFile(filepath.Join(p.home.Formations(), string(unreadable), formation.MarkerFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	record := running.Record{SessionID: id.NewSession(), CapsuleName: "x", CapsuleVersion: "1", Workdir: "/", RecordsDir: "/r", FormationID: memberRuns}
	record.SetProcess(p.running)
	guard, err := running.Write(p.home, record)
	if err != nil {
		t.Fatal(err)
	}
	got := Prune(p.home, at(5), p.project, Policy{MaxAge: time.Second})
	if diff := cmp.Diff([]Pruned{{gone, TooOld}}, got); diff != "" {
		t.Error(diff)
	}
	for _, kept := range []id.Formation{launcherRuns, memberRuns, unreadable, later} {
		if !p.exists(kept) {
			t.Errorf("%s was removed", kept)
		}
	}
	if err := guard.Remove(); err != nil {
		t.Fatal(err)
	}
	// A directory of records that cannot be listed says that everything may be running.
	if err := os.RemoveAll(p.home.Running()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.home.Running(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := Prune(p.home, at(5), p.project, Policy{MaxAge: time.Second}); len(got) != 0 {
		t.Errorf("it removed %v without knowing what runs", got)
	}
	if err := os.Remove(p.home.Running()); err != nil {
		t.Fatal(err)
	}
	if got := Prune(p.home, at(5), p.project, Policy{MaxAge: time.Second}); len(got) != 1 || got[0].Formation != memberRuns {
		t.Errorf("with nothing running it removed %v", got)
	}
}

func TestRootsAreWhereMembersRecorded(t *testing.T) {
	p := newPlace(t)
	if roots := Roots(p.home, at(0)); roots != nil {
		t.Errorf("a formation that left nothing has roots %v", roots)
	}
	name := p.add(0, p.project, p.gone)
	dir := filepath.Join(p.home.Formations(), string(name))
	var want []string
	for _, member := range []string{"reviewer", "worker"} {
		if err := os.MkdirAll(filepath.Join(dir, member), 0o700); err != nil {
			t.Fatal(err)
		}
		records, err := p.home.EnsureRecordsDir(filepath.Join(dir, member), string(id.NewSession()))
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, filepath.Dir(records))
	}
	if err := os.Mkdir(filepath.Join(dir, "idle"), 0o700); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, Roots(p.home, name)); diff != "" {
		t.Error(diff)
	}
}
