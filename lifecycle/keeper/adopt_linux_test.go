package keeper_test

import (
	"errors"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"murlua/lifecycle/keeper"
	"murlua/platform/contain"
)

// While the orphans of killed keepers are adopted, ended and reaped, os/exec gets the exits of its own children.
func TestAdoptingOrphansStealsNoExitFromOthers(t *testing.T) {
	k := newKeeper(t)
	stop := make(chan struct{})
	var others sync.WaitGroup
	for worker := range 4 {
		others.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				want := (worker*50 + i) % 200
				err := exec.Command("/bin/sh", "-c", "exit "+strconv.Itoa(want)).Run()
				var exit *exec.ExitError
				if errors.As(err, &exit) && exit.ExitCode() == want || err == nil && want == 0 {
					continue
				}
				t.Errorf("a command of os/exec that exits with %d ended with %v", want, err)
				return
			}
		})
	}
	rounds := 5
	if testing.Short() {
		rounds = 2
	}
	for range rounds {
		var kept []*keeper.Kept
		for _, behaviour := range []string{"plain", "bare", "deafchild", "daemon", "stubborn"} {
			command := role(behaviour)
			command.Class = contain.Tracked
			kept = append(kept, start(t, k, command))
		}
		if err := unix.Kill(keeperOf(kept[0].PID()), unix.SIGKILL); err != nil {
			t.Fatal(err)
		}
		for i, command := range kept {
			select {
			case <-command.Empty():
			case <-time.After(10 * time.Second):
				t.Fatalf("command %d is not given up", i)
			}
			if got := command.Status(); got.Signal != syscall.SIGKILL {
				t.Errorf("command %d ended with %v, want signal 9", i, got)
			}
			if left := contain.MarkedExactly(command.Mark()); len(left) > 0 {
				t.Errorf("command %d left %v", i, left)
			}
		}
	}
	close(stop)
	others.Wait()
}

func TestAfterItsKeeperWasKilledAHostStartsAnother(t *testing.T) {
	k := newKeeper(t)
	first := start(t, k, role("plain"))
	if err := unix.Kill(keeperOf(first.PID()), unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-first.Empty()
	second := start(t, k, role("cleanup"))
	if report := second.Stop(t.Context(), keeper.StopOptions{}); report.Status.Code != 42 {
		t.Errorf("got %+v", report)
	}
}
