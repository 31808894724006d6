package attach

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"testing"

	"murlua/lifecycle/home"
	"murlua/platform/process"
)

// awaiting is an Await at work, which gives whether somebody answered.
func awaiting(ctx context.Context, h home.Home, of process.Identity) <-chan error {
	done := make(chan error, 1)
	go func() {
		conn, err := Await(ctx, h, of)
		if err == nil {
			conn.Close()
		}
		done <- err
	}()
	return done
}

func TestAwaitFindsASocketThatIsOpenedLater(t *testing.T) {
	for name, prepare := range map[string]func(h home.Home) error{
		"in a home that is not there": func(home.Home) error { return nil },
		"in a folder that is there":   func(h home.Home) error { return os.MkdirAll(folder(h), 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			for range 50 {
				h := testHome(t, "x")
				if err := prepare(h); err != nil {
					t.Fatal(err)
				}
				done := awaiting(t.Context(), h, me(t))
				l := listen(t, h)
				if err := <-done; err != nil {
					t.Fatal(err)
				}
				l.Close()
			}
		})
	}
}

func TestAwaitEndsWithItsContextAndWithTheProcess(t *testing.T) {
	h := testHome(t, "x")
	ctx, cancel := context.WithCancel(t.Context())
	done := awaiting(ctx, h, me(t))
	cancel()
	if err := <-done; !errors.Is(err, ErrNobody) {
		t.Errorf("the end of the context: %v", err)
	}
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	other, err := process.Identify(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	done = awaiting(t.Context(), h, other)
	_ = cmd.Process.Kill()
	if err := <-done; !errors.Is(err, ErrNobody) {
		t.Errorf("the end of the process: %v", err)
	}
	_ = cmd.Wait()
	if err := <-awaiting(t.Context(), h, other); !errors.Is(err, ErrNobody) {
		t.Errorf("a process that has ended: %v", err)
	}
}
