//go:build unix

package formation_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"murlua/lifecycle/formation"
	"murlua/platform/process"
)

func TestTheMarkerSaysWhoLaunchedFromWhere(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	project := r.options.ProjectDir
	r.options.ProjectDir = filepath.Join(project, ".")
	// Also when the launch is then refused.
	r.refused(plan(capsule("coder", "exit 1"), entry("lead")))
	dir := filepath.Join(r.options.Home.Formations(), string(r.options.ID))
	path := filepath.Join(dir, formation.MarkerFile)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the marker: %v, %v", info, err)
	}
	real, err := filepath.EvalSymlinks(project)
	if err != nil {
		t.Fatal(err)
	}
	me, err := process.Current()
	if err != nil {
		t.Fatal(err)
	}
	var marker formation.Marker
	if err := json.Unmarshal([]byte(read(t, path)), &marker); err != nil {
		t.Fatal(err)
	}
	marker.LauncherOrigin = process.Origin{} // where that is counted is for its own package to test
	if diff := cmp.Diff(formation.Marker{ProjectDir: real, LauncherPID: me.PID, LauncherStart: me.Start}, marker); diff != "" {
		t.Error(diff)
	}
	for _, private := range []string{r.options.Home.Formations(), dir, filepath.Join(dir, "coder")} {
		if info, err := os.Stat(private); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", private, info.Mode(), err)
		}
	}
}

func TestTheAnnouncementIsOneLineWithoutATokenAndWithSortedKeys(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	f := r.launch(plan(capsule("coder", "door ses_standin", "await"), entry("lead")))
	line := f.Announcement()
	var value map[string]any
	if err := json.Unmarshal(line, &value); err != nil {
		t.Fatal(err)
	}
	sorted, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(sorted)+"\n", string(line)); diff != "" {
		t.Error(diff)
	}
	peer := f.Peers()[0]
	want := map[string]any{"entry": "lead", "formation_id": string(f.ID()), "peers": []any{map[string]any{
		"name": "coder", "pid": float64(peer.PID), "session_id": "ses_standin", "url": peer.URL, "workdir": peer.Workdir,
	}}}
	if diff := cmp.Diff(want, value); diff != "" {
		t.Error(diff)
	}
	if bytes.Count(line, []byte("\n")) != 1 {
		t.Error("it is not one line")
	}
}

func TestTheTraceHasEveryEventInOrder(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	f := r.launch(plan(capsule("coder", "door ses_standin", "await"), entry("lead", "exit 3")))
	if _, err := f.StartEntry(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.wait(f)
	path := filepath.Join(r.options.Home.Formations(), string(f.ID()), formation.TraceFile)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the trace: %v, %v", info, err)
	}
	type line struct {
		Kind      formation.EventKind `json:"event_type"`
		Formation string              `json:"formation_id"`
		Member    string              `json:"formation_member"`
		Status    string              `json:"status"`
	}
	var got, want []line
	for _, text := range bytes.Split(bytes.TrimSpace([]byte(read(t, path))), []byte("\n")) {
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			t.Fatal(err)
		}
		got = append(got, l)
	}
	for _, e := range r.events {
		l := line{e.Kind, string(f.ID()), e.Member, ""}
		if e.Kind == formation.Exited || e.Kind == formation.Reaped {
			l.Status = e.Status.String()
		}
		want = append(want, l)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
