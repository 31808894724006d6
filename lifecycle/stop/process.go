package stop

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"murlua/platform/process"
)

// The bounds of a stop, as murmur has them.
const (
	// DefaultGrace is how long a process has between SIGTERM and SIGKILL.
	DefaultGrace = 10 * time.Second
	// killWait is how long a process may take to be gone after SIGKILL.
	killWait = 5 * time.Second
)

// Signal says which signal ended a process.
type Signal string

// What ends a process.
const (
	NoSignal Signal = "none" // it had already exited
	Term     Signal = "SIGTERM"
	Kill     Signal = "SIGKILL"
)

// Error is a process that could not be ended. Its record is kept.
type Error struct {
	PID    int
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("cannot stop pid %d: %s", e.PID, e.Reason) }

// Code is murmur's name of the failure.
func (*Error) Code() string { return "E-RUN-024" }

// endProcess signals a process, if it still is the one that is named, and waits until it has exited. A grace of zero
// goes to SIGKILL at once. The error is an [*Error], or the cause of ctx, whose end leaves the process as it is.
func endProcess(ctx context.Context, identity process.Identity, grace time.Duration) (Signal, error) {
	ref, state := process.OpenIdentity(identity)
	if ref == nil {
		if state.Kind == process.Gone {
			return NoSignal, nil
		}
		return NoSignal, &Error{identity.PID, state.Reason}
	}
	defer func() { _ = ref.Close() }()
	if exited(ref) {
		return NoSignal, nil
	}
	if grace > 0 {
		if err := ref.Signal(syscall.SIGTERM); err != nil {
			return refused(ref, err)
		}
		if gone, err := await(ctx, ref, grace); gone || err != nil {
			return Term, err
		}
	}
	if err := ref.Signal(syscall.SIGKILL); err != nil {
		return refused(ref, err)
	}
	gone, err := await(ctx, ref, killWait)
	if err == nil && !gone {
		err = &Error{identity.PID, fmt.Sprintf("it is still running %v after SIGKILL", killWait)}
	}
	return Kill, err
}

// refused tells a process that ended before the signal from one that may not be signalled.
func refused(ref *process.Ref, err error) (Signal, error) {
	if errors.Is(err, os.ErrProcessDone) || exited(ref) {
		return NoSignal, nil
	}
	return NoSignal, &Error{ref.PID(), err.Error()}
}

func exited(ref *process.Ref) bool {
	select {
	case <-ref.Exited():
		return true
	default:
		return false
	}
}

// await reports whether the process exited within the time.
func await(ctx context.Context, ref *process.Ref, within time.Duration) (gone bool, err error) {
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-ref.Exited():
		return true, nil
	case <-timer.C:
		return false, nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}
