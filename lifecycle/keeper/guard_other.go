//go:build unix && !linux

package keeper

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"murlua/platform/process"
)

// argument is the hidden first argument that makes the program a keeper.
const argument = "(keeper)"

// Main runs the keeper if that is what this process was started as, and returns its exit code. Call it first thing in
// main (and in TestMain), and exit with the code when handled.
func Main(args []string) (code int, handled bool) {
	if len(args) < 2 || args[1] != argument {
		return 0, false
	}
	signal.Ignore(unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT)
	guardGroups(os.NewFile(3, "host"))
	return 0, true
}

// A guard is the keeper process that ends the commands' groups when this one is killed.
type guard struct {
	cmd *exec.Cmd

	mu    sync.Mutex
	write *os.File
}

func startGuard(options *Options) (*guard, error) {
	program := options.Program
	if program == "" {
		found, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("cannot find the program to run as keeper: %w", err)
		}
		program = found
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("cannot make the keeper's lifeline: %w", err)
	}
	defer read.Close()
	cmd := &exec.Cmd{
		Path: program, Args: []string{"murlua", argument}, Env: options.Env, ExtraFiles: []*os.File{read},
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
	}
	if options.Stderr != nil {
		cmd.Stderr = options.Stderr
	}
	if err := cmd.Start(); err != nil {
		write.Close()
		return nil, fmt.Errorf("cannot start the keeper: %w", err)
	}
	return &guard{cmd: cmd, write: write}, nil
}

// add tells of a group that has begun. One that has ended already needs no guard.
func (g *guard) add(pid int, grace time.Duration) {
	if identity, err := process.Identify(pid); err == nil {
		g.tell(guarded{Identity: identity, Grace: grace})
	}
}

// remove tells that a group is about to have gone.
func (g *guard) remove(pid int) { g.tell(guarded{Identity: process.Identity{PID: pid}, Gone: true}) }

func (g *guard) tell(what guarded) {
	line, err := json.Marshal(what)
	g.mu.Lock()
	defer g.mu.Unlock()
	if err == nil && g.write != nil {
		_, _ = g.write.Write(append(line, '\n')) // a guard that was killed guards nothing
	}
}

// close lets the guard go; it has nothing left to guard. A nil guard has never begun.
func (g *guard) close() error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	g.write.Close()
	g.write = nil
	g.mu.Unlock()
	return g.cmd.Wait()
}
