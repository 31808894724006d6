package keeper_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"murlua/lifecycle/keeper"
	"murlua/platform/contain"
)

// newKeeper returns a keeper that is closed at the end of the test, after which nothing of it may be left.
func newKeeper(t *testing.T) *keeper.Keeper {
	t.Helper()
	k := keeper.New(keeper.Options{Stderr: os.Stderr, Env: []string{promptly}})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := k.Close(ctx); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return k
}

func role(name string) keeper.Command {
	return keeper.Command{
		Path: "/proc/self/exe", Args: []string{"command", "-test.run=^$"}, Env: append(os.Environ(), promptly, roleVar+"="+name),
		Stderr: os.Stderr, Grace: 2 * time.Second,
	}
}

// start starts the role and waits until it says it is up.
func start(t *testing.T, k *keeper.Keeper, c keeper.Command) *keeper.Kept {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c.Stdout = w
	kept, err := k.Start(t.Context(), c)
	w.Close()
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "up") {
		t.Fatalf("the command did not come up: %q, %v", line, err)
	}
	return kept
}

func exited(t *testing.T, kept *keeper.Kept) keeper.Status {
	t.Helper()
	select {
	case <-kept.Exited():
	case <-time.After(10 * time.Second):
		t.Fatal("the command did not exit")
	}
	return kept.Status()
}

func TestExitIsForwardedExactly(t *testing.T) {
	k := newKeeper(t)
	for code := range 256 {
		kept, err := k.Start(t.Context(), keeper.Command{Args: []string{"/bin/sh", "-c", fmt.Sprintf("exit %d", code)}})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := exited(t, kept), (keeper.Status{Code: code}); got != want {
			t.Errorf("exit %d was reported as %+v", code, got)
		}
	}
	for n := syscall.Signal(1); n < 32; n++ {
		switch n {
		case syscall.SIGCHLD, syscall.SIGURG, syscall.SIGWINCH, syscall.SIGCONT, syscall.SIGSTOP, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU:
			continue // do not end a process
		}
		kept, err := k.Start(t.Context(), keeper.Command{Args: []string{"/bin/sh", "-c", fmt.Sprintf("ulimit -c 0; kill -%d $$", n)}})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := exited(t, kept), (keeper.Status{Code: -1, Signal: n}); got != want {
			t.Errorf("signal %d was reported as %+v", n, got)
		}
	}
}

func TestACommandThatCannotStartIsRefusedWithTheReason(t *testing.T) {
	k := newKeeper(t)
	dir := t.TempDir()
	script := dir + "/script"
	if err := os.WriteFile(script, []byte("#!/no/such/interpreter\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		command keeper.Command
		errno   error
		hint    string
	}{
		{"missing", keeper.Command{Args: []string{"/no/such/program"}}, syscall.ENOENT, "/no/such/program does not exist"},
		{"not in PATH", keeper.Command{Args: []string{"no-such-program"}, Env: []string{"PATH=/bin"}}, nil, "install it, or give its path"},
		{"directory", keeper.Command{Args: []string{dir}}, syscall.EACCES, "is a directory"},
		{"no interpreter", keeper.Command{Args: []string{script}}, syscall.ENOENT, "its interpreter /no/such/interpreter does not exist"},
		{"no directory", keeper.Command{Args: []string{"/bin/true"}, Dir: dir + "/none"}, syscall.ENOENT, "cannot be entered"},
	} {
		_, err := k.Start(t.Context(), c.command)
		var failed *keeper.StartError
		if !errors.As(err, &failed) {
			t.Errorf("%s: got %v, want a StartError", c.name, err)
			continue
		}
		if strings.Contains(err.Error(), "/bin") && c.name == "not in PATH" {
			t.Errorf("%s: %v shows the whole PATH", c.name, err)
		}
		if c.errno != nil && !errors.Is(err, c.errno) || !strings.Contains(failed.Hint(), c.hint) {
			t.Errorf("%s: got %v (%s), want %v with a hint of %q", c.name, err, failed.Hint(), c.errno, c.hint)
		}
	}
}

func TestStopSaysWhichRungEndedIt(t *testing.T) {
	k := newKeeper(t)
	for _, c := range []struct {
		role string
		want keeper.Rung
		code int
	}{
		{"plain", keeper.RungSignal, -1},
		{"cleanup", keeper.RungSignal, 42},
		{"stubborn", keeper.RungKill, -1},
		{"deafchild", keeper.RungKill, -1},
		{"setsid", keeper.RungSignal, -1},
		{"daemon", keeper.RungSignal, -1},
		{"bare", keeper.RungSignal, -1},
	} {
		for _, class := range []contain.Class{contain.Tracked, contain.Cgroup, contain.Sealed} {
			t.Run(c.role+"/"+string(class), func(t *testing.T) {
				command := role(c.role)
				command.Class, command.Grace = class, 500*time.Millisecond
				kept := start(t, k, command)
				report := kept.Stop(t.Context(), keeper.StopOptions{})
				if report.Rung != c.want || report.Status.Code != c.code || len(report.Survivors) > 0 {
					t.Errorf("got %+v, want rung %s and code %d", report, c.want, c.code)
				}
				if c.want == keeper.RungKill && len(report.Killed) != 1 {
					t.Errorf("the killed process is not named: %+v", report)
				}
				switch c.role {
				case "setsid", "daemon", "bare":
					if len(report.Escaped) != 1 {
						t.Errorf("the escaped process is not named: %+v", report)
					}
				}
			})
		}
	}
}

// However early the keeper process ends, before it has cgroups or while it is given a command.
func TestAKeeperThatDoesNotComeUpFailsTheStart(t *testing.T) {
	for i := range 300 {
		k := keeper.New(keeper.Options{Program: "/bin/false"})
		if i%2 == 0 {
			if err := k.Warm(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(i) * 5 * time.Microsecond) // over the time that it takes to end
		}
		_, err := k.Start(t.Context(), role("hold"))
		if err == nil || !strings.Contains(err.Error(), "the keeper") {
			t.Fatalf("start %d: %v, want one that is about the keeper", i, err)
		}
		if err := k.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
