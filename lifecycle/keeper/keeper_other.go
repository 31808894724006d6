//go:build !linux

package keeper

import (
	"context"
	"errors"
	"os"
	"runtime"
	"syscall"

	"murlua/platform/contain"
)

// ErrClosed is returned by [Keeper.Start] after [Keeper.Close].
var ErrClosed = errors.New("the keeper is closed")

// ErrEnded is returned by [Kept.Signal] when the command's first process has ended.
var ErrEnded = errors.New("the process has ended")

// Options are the surroundings of a [Keeper].
type Options struct {
	Program string
	Report  contain.Report
	Stderr  *os.File
	Env     []string
}

// A Keeper starts commands and keeps them; on this platform it cannot yet.
type Keeper struct{ options Options }

// Main runs the keeper if that is what this process was started as. On this platform it never is.
func Main([]string) (code int, handled bool) { return 0, false }

// New returns a Keeper.
func New(options Options) *Keeper { return &Keeper{options: options} }

// Report returns what the platform offers.
func (k *Keeper) Report() contain.Report { return contain.Probe() }

// Warm does nothing here.
func (k *Keeper) Warm() error { return nil }

// Start refuses: commands cannot be kept on this platform.
func (k *Keeper) Start(_ context.Context, command Command) (*Kept, error) {
	name := ""
	if len(command.Args) > 0 {
		name = command.Args[0]
	}
	return nil, &StartError{Program: name, Err: errors.New("commands cannot be kept on " + runtime.GOOS)}
}

// Close does nothing here.
func (k *Keeper) Close(context.Context) error { return nil }

// A Kept is one started command.
type Kept struct{ never chan struct{} }

// PID returns the process id of the command's first process.
func (k *Kept) PID() int { return 0 }

// Class returns the containment the command is in.
func (k *Kept) Class() contain.Class { return contain.Group }

// Mark returns the mark that the command's processes carry; here they carry none.
func (k *Kept) Mark() contain.Mark { return 0 }

// Exited is closed when the command's first process has ended.
func (k *Kept) Exited() <-chan struct{} { return k.never }

// Empty is closed when nothing of the command is left.
func (k *Kept) Empty() <-chan struct{} { return k.never }

// Status returns how the first process ended.
func (k *Kept) Status() Status { return Status{Lost: true} }

// Signal sends a signal to the command's first process.
func (k *Kept) Signal(syscall.Signal) error { return ErrEnded }

// SignalGroup sends a signal to the command's whole process group.
func (k *Kept) SignalGroup(syscall.Signal) error { return ErrEnded }

// Stop ends the command and everything it started.
func (k *Kept) Stop(context.Context, StopOptions) StopReport { return StopReport{Rung: RungGone} }

// Kill ends the command and everything it started at once.
func (k *Kept) Kill() StopReport { return StopReport{Rung: RungGone} }
