//go:build unix

package formation_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"murlua/lifecycle/formation"
)

func TestAPeerIsReadyWhenItsDoorAnswersAndEndsByItsLifeline(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	termed := filepath.Join(t.TempDir(), "termed")
	f := r.launch(plan(capsule("coder", "sigterm "+termed, "door ses_standin", "await"), entry("lead")))
	peers := f.Peers()
	if len(peers) != 1 || peers[0].Session != "ses_standin" || !strings.HasPrefix(peers[0].URL, "http://localhost:") {
		t.Fatalf("peers: %+v", peers)
	}
	if want := filepath.Join(r.options.Home.Formations(), string(r.options.ID), "coder"); peers[0].Workdir != want {
		t.Errorf("workdir %s, want %s", peers[0].Workdir, want)
	}
	f.Stop(nil)
	ending := r.wait(f)
	if diff := cmp.Diff([]formation.Stopped{{Name: "coder", PID: peers[0].PID}}, ending.Stopped); diff != "" {
		t.Error(diff)
	}
	if len(ending.Members) != 1 || ending.Members[0].Status != (formation.Status{}) {
		t.Errorf("members ended as %+v, want by themselves", ending.Members)
	}
	if _, err := os.Stat(termed); err == nil {
		t.Error("the launcher sent SIGTERM")
	}
	r.gone()
	want := []formation.EventKind{
		formation.Spawned, formation.Reported, formation.DoorAnswered, formation.Ready,
		formation.Stopping, formation.Rung, formation.Exited, formation.Reaped,
	}
	if diff := cmp.Diff(want, r.kinds("coder")); diff != "" {
		t.Error(diff)
	}
}

func TestAMemberDeafToItsLifelineIsKilledAfterTheGrace(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.options.Grace = 300 * time.Millisecond
	f := r.launch(plan(capsule("coder", "door ses_standin", "deaf"), entry("lead")))
	began := time.Now()
	f.Stop(nil)
	ending := r.wait(f)
	if took := time.Since(began); took < r.options.Grace {
		t.Errorf("it was stopped after %v, before the grace was over", took)
	}
	if got := ending.Members[0].Status; got.Signal != syscall.SIGKILL {
		t.Errorf("it ended with %v, want signal 9", got)
	}
	r.gone()
}

func TestHurryCutsTheGraceOfAStopUnderWay(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.options.Grace = time.Hour
	f := r.launch(plan(capsule("coder", "door ses_standin", "deaf"), entry("lead")))
	f.Stop(&formation.Interruption{Signal: syscall.SIGINT})
	f.Stop(&formation.Interruption{Signal: syscall.SIGTERM})
	r.hurry()
	if code := r.wait(f).Code(); code != 130 {
		t.Errorf("code %d, want that of the first reason, 130", code)
	}
	r.gone()
}

func TestWhatAMemberStartedInItsGroupIsKilledWithIt(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	f := r.launch(plan(capsule("coder", "child deaf", "door ses_standin", "await"), entry("lead")))
	f.Stop(nil)
	r.wait(f)
	child := childPID(t, r.relayed.String())
	eventually(t, "the end of the member's child", func() bool { return unix.Kill(child, 0) != nil || zombie(child) })
}

func childPID(t *testing.T, output string) int {
	t.Helper()
	_, rest, ok := strings.Cut(output, "child ")
	number, _, _ := strings.Cut(rest, "\n")
	pid, err := strconv.Atoi(number)
	if !ok || err != nil {
		t.Fatalf("no child in %q", output)
	}
	return pid
}

// zombie reports whether the process waits to be reaped by whoever adopted it.
func zombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	after := stat[bytes.LastIndexByte(stat, ')')+1:]
	return bytes.HasPrefix(bytes.TrimSpace(after), []byte("Z"))
}

func TestTheEndOfOutputThatAnEscapedProcessHoldsIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	f := r.launch(plan(capsule("coder", "escape sleep 30s", "door ses_standin", "await"), entry("lead")))
	// The member is ready through one pipe and names its child through another.
	eventually(t, "the child's number", func() bool {
		_, rest, _ := strings.Cut(r.relayed.String(), "child ")
		return strings.Contains(rest, "\n")
	})
	child := childPID(t, r.relayed.String())
	t.Cleanup(func() { _ = unix.Kill(child, unix.SIGKILL) })
	began := time.Now()
	f.Stop(nil)
	r.wait(f)
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("the stop took %v", took)
	}
}

func TestTheFormationEndsWithItsEntry(t *testing.T) {
	for _, test := range []struct {
		step string
		code int
	}{{"exit 0", 0}, {"exit 7", 7}, {"kill 15", 143}, {"kill 9", 137}} {
		t.Run(test.step, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			f := r.launch(plan(capsule("coder", "door ses_standin", "await"), entry("lead", test.step)))
			if _, err := f.StartEntry(t.Context()); err != nil {
				t.Fatal(err)
			}
			ending := r.wait(f)
			if ending.Code() != test.code {
				t.Errorf("code %d, want %d (%+v)", ending.Code(), test.code, ending)
			}
			if len(ending.Stopped) != 1 || ending.Stopped[0].Name != "coder" {
				t.Errorf("stopped: %v", ending.Stopped)
			}
			r.gone()
			if _, err := f.StartEntry(t.Context()); err == nil {
				t.Error("an ended formation started its entry again")
			}
		})
	}
}

func TestAStopEndsTheEntryToo(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	f := r.launch(plan(capsule("coder", "door ses_standin", "await"), entry("lead", "await")))
	if _, err := f.StartEntry(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.Stop(&formation.Interruption{Signal: syscall.SIGHUP})
	ending := r.wait(f)
	if ending.Code() != 129 || len(ending.Stopped) != 2 {
		t.Errorf("ending %+v, code %d", ending, ending.Code())
	}
	r.gone()
}
