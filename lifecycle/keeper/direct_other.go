//go:build !linux

package keeper

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"murlua/platform/contain"
)

// A Keeper starts commands and keeps them. Without subreapers the commands are this process's own children; see the
// package comment for what is reached then.
type Keeper struct {
	options Options
	report  contain.Report

	mu     sync.Mutex
	kept   map[*Kept]bool
	guard  *guard // of the groups, for when this process is killed; nil where the system does that
	closed bool
}

// New returns a Keeper.
func New(options Options) *Keeper {
	report := options.Report
	if report == nil {
		report = contain.Probe()
	}
	return &Keeper{options: options, report: report, kept: map[*Kept]bool{}}
}

// Report returns what the platform offers.
func (k *Keeper) Report() contain.Report { return k.report }

// Noteless returns nil: there is nothing to note here.
func (k *Keeper) Noteless() error { return nil }

// Warm starts what watches over the commands ahead of the first one.
func (k *Keeper) Warm() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.watchOver()
}

// watchOver starts the guard. The caller holds k.mu.
func (k *Keeper) watchOver() error {
	if k.closed {
		return ErrClosed
	}
	if k.guard != nil {
		return nil
	}
	var err error
	k.guard, err = startGuard(&k.options)
	return err
}

// Start starts a command. ctx bounds the start alone. The errors are a [*StartError] (nothing is left), a
// [*contain.UnavailableError] for a demanded class that cannot be had, and [ErrClosed].
func (k *Keeper) Start(ctx context.Context, command Command) (*Kept, error) {
	if len(command.Args) == 0 {
		return nil, errors.New("cannot start a command without arguments")
	}
	class, err := k.report.Choose(command.Class)
	if err != nil {
		return nil, err
	}
	if err := k.Warm(); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, &StartError{Program: command.Args[0], Err: context.Cause(ctx)}
	}
	kept, err := startDirect(k, class, &command)
	if err != nil {
		dir, path := command.Dir, command.Args[0]
		return nil, &StartError{Program: path, Err: err, Hints: diagnose(path, dir)}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept[kept] = true
	return kept, nil
}

// Close ends everything that is still kept, each command with its own signal and grace, and returns when it has gone.
// When ctx ends first the graces are over. The Keeper starts nothing afterwards.
func (k *Keeper) Close(ctx context.Context) error {
	k.mu.Lock()
	k.closed = true
	var all sync.WaitGroup
	for kept := range k.kept {
		all.Go(func() { kept.Stop(ctx, StopOptions{}) })
	}
	guard := k.guard
	k.guard = nil
	k.mu.Unlock()
	all.Wait()
	return guard.close()
}

// Ask begins the stop of each command, as [Kept.Stop] without options does, and returns at once. When ctx ends before the
// returned function is called, the graces are over: what is left is killed.
func (k *Keeper) Ask(ctx context.Context, commands []*Kept) (done func() bool) {
	hurried, hurry := context.WithCancel(context.Background())
	for _, c := range commands {
		go c.Stop(hurried, StopOptions{}) // ends with the command
	}
	return context.AfterFunc(ctx, hurry)
}

// Drain does nothing: there is no process to go.
func (k *Keeper) Drain() {}

// A Kept is one started command. All methods are safe for concurrent use.
type Kept struct {
	keeper  *Keeper
	class   contain.Class
	command Command
	cmd     *exec.Cmd
	unit    *unit
	exited  chan struct{}

	mu       sync.Mutex
	gone     bool // reaped, with everything in the unit
	stopping bool
	rung     Rung
	killed   []contain.Process
	status   Status
	hurry    chan struct{}
	hurried  bool
}

func startDirect(k *Keeper, class contain.Class, c *Command) (*Kept, error) {
	path := c.Path
	if path == "" {
		path = c.Args[0]
	}
	if !strings.ContainsAny(path, `/\`) {
		found, err := exec.LookPath(path)
		if err != nil {
			return nil, err
		}
		path = found
	}
	if !filepath.IsAbs(path) && c.Dir != "" {
		path = filepath.Join(c.Dir, path)
	}
	u, err := newUnit(c)
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{Path: path, Args: c.Args, Env: c.Env, Dir: c.Dir, ExtraFiles: c.Files, SysProcAttr: u.attributes()}
	if cmd.Env == nil {
		cmd.Env = []string{}
	}
	// A typed nil must not get into the interfaces.
	if c.Stdin != nil {
		cmd.Stdin = c.Stdin
	}
	if c.Stdout != nil {
		cmd.Stdout = c.Stdout
	}
	if c.Stderr != nil {
		cmd.Stderr = c.Stderr
	}
	if err := cmd.Start(); err != nil {
		u.close()
		return nil, err
	}
	if err := u.adopt(cmd.Process); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		u.close()
		return nil, fmt.Errorf("cannot contain it: %w", err)
	}
	kept := &Kept{keeper: k, class: class, command: *c, cmd: cmd, unit: u, exited: make(chan struct{}), hurry: make(chan struct{}), rung: RungGone}
	k.guardian().add(cmd.Process.Pid, c.grace())
	go kept.wait()
	return kept, nil
}

// wait waits for the first process. What it leaves in the unit is killed before it is reaped, so that no number has
// changed hands.
func (k *Kept) wait() {
	k.unit.awaitExit(k.cmd.Process)
	k.mu.Lock()
	k.unit.kill()
	k.keeper.guardian().remove(k.cmd.Process.Pid)
	_ = k.cmd.Wait() // repeats the status
	k.gone = true
	k.status = statusOfState(k.cmd.ProcessState)
	k.unit.close()
	k.mu.Unlock()
	k.keeper.mu.Lock()
	delete(k.keeper.kept, k)
	k.keeper.mu.Unlock()
	close(k.exited)
}

// PID returns the process id of the command's first process.
func (k *Kept) PID() int { return k.cmd.Process.Pid }

// Class returns the containment the command is in.
func (k *Kept) Class() contain.Class { return k.class }

// Mark returns the mark that the command's processes carry; here they carry none.
func (k *Kept) Mark() contain.Mark { return 0 }

// Exited is closed when the command's first process has ended, and what it left with it.
func (k *Kept) Exited() <-chan struct{} { return k.exited }

// Empty is closed when nothing of the command is left that its class reaches.
func (k *Kept) Empty() <-chan struct{} { return k.exited }

// Status returns how the first process ended. It is the zero Status until Exited is closed.
func (k *Kept) Status() Status {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.status
}

// Signal sends a signal to the command's first process. [ErrEnded] when it has ended.
func (k *Kept) Signal(signal syscall.Signal) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.gone {
		return ErrEnded
	}
	return k.cmd.Process.Signal(signal)
}

// SignalGroup sends a signal to everything that the command's class reaches. [ErrEnded] when it has ended.
func (k *Kept) SignalGroup(signal syscall.Signal) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.gone {
		return ErrEnded
	}
	return k.unit.signal(signal)
}

// Stop ends the command and what its class reaches, and returns when nothing of that is left. A second call while one
// is under way can only hasten it. When ctx ends first, the grace is over.
func (k *Kept) Stop(ctx context.Context, options StopOptions) StopReport {
	begin := time.Now()
	signal, grace := k.command.signal(), k.command.grace()
	if options.Signal != 0 {
		signal = options.Signal
	}
	if options.Grace != 0 {
		grace = max(0, options.Grace)
	}
	k.ask(signal, grace)
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-k.exited:
	case <-k.hurry:
	case <-timer.C:
	case <-ctx.Done():
	}
	k.end()
	<-k.exited
	k.mu.Lock()
	defer k.mu.Unlock()
	return StopReport{Rung: k.rung, Status: k.status, Killed: k.killed, Took: time.Since(begin)}
}

// ask sends the stop signal once; a stop without a grace hastens those under way.
func (k *Kept) ask(signal syscall.Signal, grace time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.gone {
		return
	}
	if grace == 0 && !k.hurried {
		k.hurried = true
		close(k.hurry)
	}
	if k.stopping || grace == 0 {
		return
	}
	k.stopping, k.rung = true, RungSignal
	if signal == NoSignal {
		k.rung = RungAsked
		return
	}
	_ = k.unit.signal(signal) // one that cannot be asked is killed after the grace
}

// end kills what is left.
func (k *Kept) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.gone {
		return
	}
	select {
	case <-k.exited:
	default:
		if k.rung != RungKill {
			k.rung = RungKill
			k.killed = []contain.Process{{PID: k.cmd.Process.Pid, Name: filepath.Base(k.command.Args[0])}}
		}
		k.unit.kill()
	}
}

// Kill ends the command and what its class reaches at once.
func (k *Kept) Kill() StopReport {
	return k.Stop(context.Background(), StopOptions{Signal: NoSignal, Grace: -1})
}

// guardian returns the guard, a nil one after Close.
func (k *Keeper) guardian() *guard {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.guard
}
