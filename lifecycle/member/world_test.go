//go:build unix

package member_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"murlua/lifecycle/formation"
	"murlua/lifecycle/home"
	"murlua/lifecycle/running"
)

const livenessBound = 60 * time.Second

// log is a stream that a test waits on.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	deadline := time.Now().Add(livenessBound)
	for !condition() {
		if time.Now().After(deadline) {
			t.Fatalf("%s did not happen within %v", what, livenessBound)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// world is a home with a formation in it.
type world struct {
	t       *testing.T
	home    home.Home
	stderr  *os.File // the entry's
	relay   *log
	options formation.Options
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir := t.TempDir()
	h, err := home.Resolve(dir)
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stderr.Close() })
	w := &world{t: t, home: h, stderr: stderr, relay: &log{}}
	w.options = formation.Options{
		Home: h, ProjectDir: t.TempDir(), Environ: append(os.Environ(), "HOME="+dir, "GORACE=atexit_sleep_ms=0"), Executable: os.Args[0],
		EntryStderr: stderr, EntryStdout: stderr, Relay: w.relay,
		ReadyWithin: livenessBound, Grace: livenessBound,
	}
	if err := os.WriteFile(filepath.Join(w.options.ProjectDir, "capsule.lua"), []byte("-- a capsule"), 0o600); err != nil {
		t.Fatal(err)
	}
	return w
}

func script(name string, calls ...string) formation.Member {
	return formation.Member{Name: name, Script: &formation.Script{Path: "capsule.lua"}, Calls: calls}
}

func (w *world) launch(members ...formation.Member) *formation.Formation {
	w.t.Helper()
	options := w.options
	hurried, hurry := context.WithCancel(context.Background())
	options.Hurried = hurried
	f, err := formation.Launch(w.t.Context(), formation.Plan{Members: members}, options)
	if err != nil {
		hurry()
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		f.Stop(errors.New("the test is over"))
		hurry()
		w.wait(f)
	})
	return f
}

func (w *world) wait(f *formation.Formation) formation.Ending {
	ctx, cancel := context.WithTimeout(context.Background(), livenessBound)
	defer cancel()
	ending, err := f.Wait(ctx)
	if err != nil {
		w.t.Error(err)
	}
	return ending
}

// records are the running records by member.
func (w *world) records() map[string]running.Record {
	list, err := running.Scan(w.home.Running())
	if err != nil {
		w.t.Fatal(err)
	}
	all := map[string]running.Record{}
	for _, record := range list.Records {
		all[record.FormationMember] = record
	}
	return all
}

func (w *world) entryOutput() string {
	text, err := os.ReadFile(w.stderr.Name())
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}
