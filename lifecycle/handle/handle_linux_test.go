package handle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"murlua/lifecycle/keeper"
	"murlua/platform/contain"
	"murlua/platform/process"
)

var testEnv = []string{"PATH=/bin:/usr/bin"}

func newRegistry(t *testing.T, options Options) *Registry {
	t.Helper()
	if options.Keeper == nil {
		options.Keeper = keeper.New(keeper.Options{Stderr: os.Stderr, Env: []string{"GORACE=atexit_sleep_ms=0"}})
		t.Cleanup(func() { options.Keeper.Close(context.Background()) })
	}
	options.TempDir = t.TempDir()
	r, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.Close()
		if left, _ := os.ReadDir(options.TempDir); len(left) > 0 {
			t.Errorf("the capture folder is still there: %v", left)
		}
	})
	return r
}

func start(t *testing.T, r *Registry, spec Spec) *Handle {
	t.Helper()
	spec.Env = testEnv
	h, err := r.Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func sh(script string) Spec { return Spec{Command: []string{"/bin/sh", "-c", script}} }

func wait(t *testing.T, h *Handle) State {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	state, err := h.Wait(ctx)
	if err != nil {
		t.Fatalf("the handle is not over: %v", err)
	}
	return state
}

func TestTheCapRefusesRatherThanQueues(t *testing.T) {
	r := newRegistry(t, Options{Cap: 2})
	first := start(t, r, sh("read x"))
	start(t, r, sh("exec sleep 60"))
	wait(t, first) // its input is empty, so it has ended: a place is free
	start(t, r, sh("exec sleep 60"))
	_, err := r.Start(t.Context(), Spec{Command: []string{"/bin/sleep", "60"}})
	refused, ok := errors.AsType[*CapError](err)
	if !ok || !strings.Contains(err.Error(), "cap is 2") || refused.Live != 2 {
		t.Errorf("got %v, want a refusal that names the cap", err)
	}
	if got := len(r.Live()); got != 2 {
		t.Errorf("%d live handles, want 2", got)
	}
}

func TestAPollReturnsOnlyWhatIsNew(t *testing.T) {
	r := newRegistry(t, Options{})
	spec := sh("echo first; read x; echo second; read y")
	spec.Stdin = true
	h := start(t, r, spec)
	if line, err := h.ReadLine(t.Context()); err != nil || line != "first" {
		t.Fatalf("ReadLine = %q, %v", line, err)
	}
	if text, skipped, err := h.Poll(); text != "" || skipped != 0 || err != nil {
		t.Errorf("nothing new, and Poll gave %q, %d, %v", text, skipped, err)
	}
	if _, err := h.Write([]byte("go\n")); err != nil {
		t.Fatal(err)
	}
	if line, err := h.ReadLine(t.Context()); err != nil || line != "second" {
		t.Errorf("ReadLine = %q, %v", line, err)
	}
	info, err := os.Stat(h.capture)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the capture file is %v, %v", info.Mode(), err)
	}
}

func TestAPollOverTheWindowKeepsTheEndAndReportsTheGap(t *testing.T) {
	r := newRegistry(t, Options{})
	h := start(t, r, sh(fmt.Sprintf("head -c %d /dev/zero | tr '\\0' x; printf TAIL", pollBytes+500)))
	wait(t, h)
	text, skipped, err := h.Poll()
	if err != nil || !strings.HasSuffix(text, "TAIL") || len(text) != pollBytes || skipped != 504 {
		t.Errorf("Poll gave %d bytes ending in %q, %d skipped, %v", len(text), text[max(0, len(text)-4):], skipped, err)
	}
	if text, skipped, _ := h.Poll(); text != "" || skipped != 0 {
		t.Error("the second poll gave something again")
	}
}

func TestExitIsReportedAtOnceThoughAGrandchildHoldsTheOutput(t *testing.T) {
	for _, script := range []string{"sleep 30 & exit 0", "(sleep 30) & exit 0", "sleep 30 | sleep 30 & exit 0", "sleep 30 & sleep 31 & exit 0"} {
		r := newRegistry(t, Options{})
		spec := sh(script)
		spec.Grace = time.Second
		h := start(t, r, spec)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		state, err := h.Wait(ctx)
		cancel()
		if err != nil || state.Name != Exited || state.Code == nil || *state.Code != 0 {
			t.Errorf("%s: %v, %v", script, state, err)
		}
		r.Close()
		if left := contain.MarkedExactly(h.all()[0].Mark()); len(left) > 0 {
			t.Errorf("%s: left %v", script, left)
		}
	}
}

func TestAPipelineIsKilledWholeAndItsStateIsTheLastStages(t *testing.T) {
	r := newRegistry(t, Options{})
	h := start(t, r, Spec{Line: "sleep 600 | cat | sleep 600"})
	if got := len(h.PIDs()); got != 3 {
		t.Fatalf("%d processes, want 3", got)
	}
	pids := h.PIDs()
	was, err := h.Kill()
	if err != nil || was.Name != Running || h.State().Name != Killed {
		t.Errorf("Kill = %v, %v, now %v", was, err, h.State())
	}
	for _, pid := range pids {
		if !contain.Over(pid) {
			t.Errorf("process %d is alive", pid)
		}
	}
	if was, err := h.Kill(); err != nil || was.Name != Killed {
		t.Errorf("a second Kill = %v, %v", was, err)
	}

	h = start(t, r, Spec{Line: `sh -c "echo one; echo two" | sh -c "cat; exit 5"`})
	if state := wait(t, h); state.Code == nil || *state.Code != 5 {
		t.Errorf("the pipeline ended with %v, want 5", state)
	}
	if text, _, _ := h.Poll(); text != "one\ntwo\n" {
		t.Errorf("output %q", text)
	}
}

func TestALineWhoseThirdStageCannotStartLeavesNothing(t *testing.T) {
	r := newRegistry(t, Options{})
	spec := Spec{Line: "sleep 600 | sleep 600 | no-such-program", Env: testEnv}
	if _, err := r.Start(t.Context(), spec); err == nil {
		t.Fatal("the line was started")
	}
	if live := r.Live(); len(live) > 0 {
		t.Errorf("live handles: %v", live)
	}
}

func TestStopGivesTheGraceAndSaysWhatWasKilled(t *testing.T) {
	r := newRegistry(t, Options{})
	h := start(t, r, sh(`trap "exit 0" TERM; (trap "" TERM; echo up; exec sleep 600) & wait`))
	if line, err := h.ReadLine(t.Context()); err != nil || line != "up" {
		t.Fatal(line, err)
	}
	begin := time.Now()
	reports, err := h.Stop(t.Context(), 300*time.Millisecond)
	if took := time.Since(begin); took < 300*time.Millisecond || took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if err != nil || len(reports) != 1 || reports[0].Rung != keeper.RungKill || len(reports[0].Killed) != 1 || reports[0].Killed[0].Name != "sleep" {
		t.Errorf("got %+v, %v, want the one killed child by name", reports, err)
	}
}

func TestATerminalIsOne(t *testing.T) {
	r := newRegistry(t, Options{})
	spec := sh(`tty -s && stty size; trap 'echo caught; exit 42' INT; echo ready; while :; do sleep 0.01; done`)
	spec.Terminal, spec.Rows, spec.Columns = true, 30, 100
	h := start(t, r, spec)
	for _, want := range []string{"30 100", "ready"} {
		if line, err := h.ReadLine(t.Context()); err != nil || line != want {
			t.Fatalf("ReadLine = %q, %v, want %q", line, err, want)
		}
	}
	if _, err := h.Write([]byte{3}); err != nil { // ^C
		t.Fatal(err)
	}
	if state := wait(t, h); state.Code == nil || *state.Code != 42 {
		t.Errorf("the command ended with %v, want 42", state)
	}
}

func TestReadLineGivesEverythingInOrderAndThenTheEnd(t *testing.T) {
	r := newRegistry(t, Options{})
	h := start(t, r, sh(`i=0; while [ $i -lt 5000 ]; do echo line $i; i=$((i+1)); done; printf 'no end \033[1m\377'; exit 3`))
	for i := range 5000 {
		if line, err := h.ReadLine(t.Context()); err != nil || line != fmt.Sprintf("line %d", i) {
			t.Fatalf("line %d: %q, %v", i, line, err)
		}
	}
	if line, err := h.ReadLine(t.Context()); err != nil || line != "no end \x1b[1m\xff" {
		t.Errorf("the last piece: %q, %v", line, err)
	}
	if _, err := h.ReadLine(t.Context()); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
	h = start(t, r, sh("sleep 60"))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := h.ReadLine(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("ReadLine past its deadline: %v", err)
	}
}

func TestAnOrphanIsNeverSignalledAndItsIDIsNeverReused(t *testing.T) {
	store := filepath.Join(t.TempDir(), "handles.json")
	victim := exec.Command("/bin/sleep", "600")
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { victim.Process.Kill(); victim.Wait() }()
	id, err := process.Identify(victim.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	// What a run that was killed leaves: its store, with a handle that was running.
	before := newRegistry(t, Options{Store: store})
	h := before.AdoptOrphan(7, "npm run dev")
	h.remember(stored{ID: 7, Line: "npm run dev", Processes: []storedProcess{{Identity: id, Origin: id.Origin}}})
	before.save()

	r := newRegistry(t, Options{Store: store})
	orphan, err := r.Get(7)
	if err != nil || orphan.State().Name != Orphaned || orphan.Line() != "npm run dev" || len(orphan.PIDs()) != 0 {
		t.Fatalf("orphan: %v, %v", orphan, err)
	}
	if _, err := orphan.Kill(); err == nil || !strings.Contains(err.Error(), "orphaned on resume") || !strings.Contains(err.Error(), "may since") {
		t.Errorf("Kill of an orphan: %v", err)
	}
	if err := orphan.Signal(syscall.SIGTERM); err == nil {
		t.Error("an orphan was signalled")
	}
	r.KillAll()
	if contain.Over(victim.Process.Pid) {
		t.Fatal("the process was signalled")
	}
	if next := start(t, r, sh("exit 0")); next.ID() <= 7 {
		t.Errorf("a new handle got id %d", next.ID())
	}
	if _, err := r.Get(99); err == nil || !strings.Contains(err.Error(), "no process handle 99 in this run") {
		t.Errorf("an unknown id: %v", err)
	}

	if id.Origin.Inode == "" {
		t.Skip("this kernel does not number processes for good, so nothing can be re-adopted")
	}
	back, err := r.Readopt(7)
	if err != nil || back.State().Name != Running {
		t.Fatalf("Readopt: %v", err)
	}
	if was, err := back.Kill(); err != nil || was.Name != Running {
		t.Errorf("Kill of a re-adopted handle: %v, %v", was, err)
	}
	if err := victim.Wait(); err == nil {
		t.Error("the re-adopted process was not killed")
	}
}

func TestReadoptRefusesWhatIsNotProved(t *testing.T) {
	store := filepath.Join(t.TempDir(), "handles.json")
	id, err := process.Current()
	if err != nil {
		t.Fatal(err)
	}
	noInode := id.Origin
	noInode.Inode = ""
	other := id
	other.Start += "1"
	otherOrigin := id.Origin
	otherOrigin.Inode += "1"
	before := newRegistry(t, Options{Store: store})
	for n, p := range []storedProcess{{Identity: id, Origin: noInode}, {Identity: other, Origin: otherOrigin}} {
		before.AdoptOrphan(uint64(n+1), "x").remember(stored{ID: uint64(n + 1), Processes: []storedProcess{p}})
	}
	before.save()
	r := newRegistry(t, Options{Store: store})
	for n := uint64(1); n <= 2; n++ {
		if _, err := r.Readopt(n); err == nil {
			t.Errorf("orphan %d was re-adopted", n)
		}
	}
}

func TestTheRunsEndKillsEveryHandleAndWhatEndedOnesLeft(t *testing.T) {
	r := newRegistry(t, Options{})
	live := start(t, r, sh("exec sleep 600"))
	spec := sh("setsid sleep 600 & exit 0")
	spec.KeepLeftovers = true
	ended := start(t, r, spec)
	wait(t, ended)
	mark := ended.all()[0].Mark()
	if left := contain.MarkedExactly(mark); len(left) != 1 {
		t.Errorf("the leftover was not kept: %v", left)
	}
	if n := r.Close(); n != 1 {
		t.Errorf("%d handles were running, want 1", n)
	}
	if left := contain.MarkedExactly(mark); len(left) > 0 || !contain.Over(live.PIDs()[0]) {
		t.Errorf("left after the end: %v", left)
	}
	if _, err := r.Start(t.Context(), sh("exit 0")); !errors.Is(err, ErrClosed) {
		t.Errorf("a start after the end: %v", err)
	}
}
