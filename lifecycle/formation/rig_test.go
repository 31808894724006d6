//go:build unix

package formation_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"murlua/lifecycle/formation"
	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
)

// livenessBound is how long something that is expected to happen may take before a test gives up on it.
const livenessBound = 60 * time.Second

// rig is a launch under test: its options, and everything that it said.
type rig struct {
	t       *testing.T
	options formation.Options
	hurry   context.CancelFunc // takes the graces away
	relayed *buffer

	mu     sync.Mutex
	events []formation.Event
	lines  []formation.Output
}

type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func newRig(t *testing.T) *rig {
	t.Helper()
	h, err := home.Resolve(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, relayed: &buffer{}}
	r.options = formation.Options{
		ID: id.NewFormation(), Home: h, ProjectDir: t.TempDir(), Environ: append(os.Environ(), "GORACE=atexit_sleep_ms=0"), // or each member of a race build takes a second to exit
		MurBinary: os.Args[0], Executable: os.Args[0],
		ReadyWithin: livenessBound, Grace: 5 * time.Second,
		Relay: r.relayed,
		OnEvent: func(e formation.Event) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.events = append(r.events, e)
		},
		OnOutput: func(o formation.Output) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.lines = append(r.lines, o)
		},
		Warn: func(text string) { t.Log("warning:", text) },
	}
	r.options.Hurried, r.hurry = context.WithCancel(context.Background())
	return r
}

// capsule is a member that does the steps.
func capsule(name string, steps ...string) formation.Member {
	return formation.Member{
		Name:    name,
		Capsule: &formation.Capsule{Name: name, Version: "0.1.0", SHA256: strings.Repeat("ab", 32)},
		Env:     map[string]string{standInEnv: strings.Join(steps, "\n")},
	}
}

func entry(name string, steps ...string) formation.Member {
	m := capsule(name, steps...)
	m.Entry = true
	return m
}

func plan(members ...formation.Member) formation.Plan { return formation.Plan{Members: members} }

func (r *rig) launch(p formation.Plan) *formation.Formation {
	r.t.Helper()
	f, err := formation.Launch(r.t.Context(), p, r.options)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		f.Stop(errors.New("the test is over"))
		r.hurry()
		r.wait(f)
	})
	return f
}

func (r *rig) wait(f *formation.Formation) formation.Ending {
	ctx, cancel := context.WithTimeout(context.Background(), livenessBound)
	defer cancel()
	ending, err := f.Wait(ctx)
	if err != nil {
		r.t.Error("waiting for the formation:", err)
	}
	return ending
}

func (r *rig) refused(p formation.Plan) *formation.LaunchError {
	r.t.Helper()
	f, err := formation.Launch(r.t.Context(), p, r.options)
	if err == nil {
		f.Stop(nil)
		r.hurry()
		r.wait(f)
		r.t.Fatal("the launch was expected to be refused")
	}
	var refused *formation.LaunchError
	if !errors.As(err, &refused) {
		r.t.Fatalf("the error is no LaunchError: %v", err)
	}
	r.gone()
	return refused
}

// gone checks that no spawned process is left, not even as a zombie.
func (r *rig) gone() {
	r.t.Helper()
	for _, pid := range r.pids() {
		if err := unix.Kill(pid, 0); !errors.Is(err, unix.ESRCH) {
			r.t.Errorf("process %d is still there: %v", pid, err)
		}
	}
}

func (r *rig) pids() []int {
	r.mu.Lock()
	defer r.mu.Unlock()
	var pids []int
	for _, e := range r.events {
		if e.Kind == formation.Spawned || e.Kind == formation.EntryStarted {
			pids = append(pids, e.PID)
		}
	}
	return pids
}

func (r *rig) kinds(member string) []formation.EventKind {
	r.mu.Lock()
	defer r.mu.Unlock()
	var kinds []formation.EventKind
	for _, e := range r.events {
		if e.Member == member {
			kinds = append(kinds, e.Kind)
		}
	}
	return kinds
}

func onlyReason(t *testing.T, refused *formation.LaunchError) formation.Reason {
	t.Helper()
	if len(refused.Failed) != 1 {
		t.Fatalf("failed: %+v, want one", refused.Failed)
	}
	return refused.Failed[0].Reason
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

func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
