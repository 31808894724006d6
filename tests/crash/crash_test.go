//go:build linux

// Package crash_test ends launchers at random moments, by force and by request, and looks for whatever is left.
package crash_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// How many launchers are ended by force and by request; -short ends a tenth of them.
const (
	kills = 200
	stops = 60
)

// leftWithin is how long what a killed launcher had started may take to be gone. Members are given 0.2 s by the recipe.
const leftWithin = 10 * time.Second

var binary string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

// run makes the program and this process the one to which everything comes that loses its parent: a process that is left
// cannot be missed, whatever it does to its group, session, name or environment.
func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "crash")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "murlua")
	if out, err := exec.Command("go", "build", "-o", binary, "murlua/cmd/murlua").CombinedOutput(); err != nil {
		panic(fmt.Sprintf("cannot build murlua: %v\n%s", err, out))
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		panic(err)
	}
	return m.Run()
}

// launcher starts the recipe in a home of its own.
func launcher(t *testing.T, home string) (*os.Process, *bytes.Buffer, func()) {
	t.Helper()
	recipe, err := filepath.Abs("testdata/eight.lua")
	if err != nil {
		t.Fatal(err)
	}
	output, err := os.Create(filepath.Join(home, "output"))
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	process, err := os.StartProcess(binary, []string{"murlua", "run", recipe}, &os.ProcAttr{
		Dir: home, Env: []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}, Files: []*os.File{nil, output, output},
		Sys: &syscall.SysProcAttr{Setpgid: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	text := &bytes.Buffer{}
	return process, text, func() {
		content, _ := os.ReadFile(output.Name())
		text.Write(content)
	}
}

// nothingLeft waits until this process has no descendant any more. ECHILD proves it.
func nothingLeft(t *testing.T, what string) (took time.Duration) {
	t.Helper()
	began := time.Now()
	for time.Since(began) < leftWithin {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
		switch {
		case errors.Is(err, unix.ECHILD):
			return time.Since(began)
		case pid == 0 && err == nil:
			time.Sleep(2 * time.Millisecond)
		}
	}
	t.Fatalf("%s: after %v these are left:\n%s", what, leftWithin, descendants())
	return 0
}

func descendants() string {
	out, _ := exec.Command("ps", "-o", "pid,ppid,pgid,stat,args", "--ppid", fmt.Sprint(os.Getpid())).CombinedOutput()
	return string(out)
}

func count(all int) int {
	if testing.Short() {
		return all / 10
	}
	return all
}

func TestALauncherKilledAtAnyMomentLeavesNothing(t *testing.T) {
	longest := time.Duration(0)
	for i := range count(kills) {
		after := time.Duration(rand.Int64N(int64(100 * time.Millisecond)))
		process, _, _ := launcher(t, t.TempDir())
		time.Sleep(after)
		if err := process.Kill(); err != nil {
			t.Fatal(err)
		}
		_, _ = process.Wait()
		longest = max(longest, nothingLeft(t, fmt.Sprintf("launch %d, killed after %v", i, after)))
	}
	t.Logf("the last was gone %v after its launcher", longest)
}

func TestALauncherStoppedAtAnyMomentLeavesNothing(t *testing.T) {
	for i := range count(stops) {
		home := t.TempDir()
		after := time.Duration(rand.Int64N(int64([]time.Duration{200 * time.Millisecond, 15 * time.Millisecond}[i%2])))
		signal := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}[i%3]
		what := fmt.Sprintf("launch %d, %v after %v", i, signal, after)
		process, output, read := launcher(t, home)
		time.Sleep(after)
		if err := process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		state, err := process.Wait()
		if err != nil {
			t.Fatal(err)
		}
		read()
		// Before it has taken its signals over a launcher dies of them, with nothing started.
		status := state.Sys().(syscall.WaitStatus)
		if status.Signaled() && status.Signal() == signal && output.Len() == 0 {
			nothingLeft(t, what)
			noRecords(t, home, what)
			continue
		}
		if status.ExitStatus() != 128+int(signal) {
			t.Errorf("%s: it ended with %v:\n%s", what, state, output)
		}
		// It returned when all was gone: what is here now was left, even if it went by itself.
		var ws unix.WaitStatus
		if pid, err := unix.Wait4(-1, &ws, unix.WNOHANG, nil); !errors.Is(err, unix.ECHILD) {
			t.Errorf("%s: it left process %d, %v:\n%s", what, pid, err, descendants())
		}
		noRecords(t, home, what)
		nothingLeft(t, what)
		if t.Failed() {
			t.Logf("it wrote:\n%s", output)
			return
		}
	}
}

func noRecords(t *testing.T, home, what string) {
	t.Helper()
	if records, _ := filepath.Glob(filepath.Join(home, ".murmur/running/*.json")); len(records) > 0 {
		text, _ := os.ReadFile(records[0])
		t.Errorf("%s: it left records %v, the first:\n%s", what, records, text)
	}
}

func TestTheRecipeComesUpWhenItIsLetAlone(t *testing.T) {
	home := t.TempDir()
	process, output, read := launcher(t, home)
	deadline := time.Now().Add(time.Minute)
	for !strings.Contains(output.String(), "up\n") {
		if time.Now().After(deadline) {
			t.Errorf("it is not up: %s", output)
			break
		}
		time.Sleep(10 * time.Millisecond)
		output.Reset()
		read()
	}
	_ = process.Signal(syscall.SIGTERM)
	_, _ = process.Wait()
	nothingLeft(t, "a stopped launcher")
}
