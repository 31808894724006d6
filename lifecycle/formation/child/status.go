package child

import (
	"fmt"
	"os"
	"syscall"
)

// Status is how a process ended: by itself with a code, or by a signal.
type Status struct {
	Code   int            // -1 when a signal ended it, or nobody knows
	Signal syscall.Signal // 0 when the process ended by itself
}

// String writes "status N", "signal N" or "an unknown status".
func (s Status) String() string {
	switch {
	case s.Signal != 0:
		return fmt.Sprintf("signal %d", int(s.Signal))
	case s.Code < 0:
		return "an unknown status"
	}
	return fmt.Sprintf("status %d", s.Code)
}

// ExitCode is the code, or 128 and the signal, as shells have it; 1 when nobody knows.
func (s Status) ExitCode() int {
	switch {
	case s.Signal != 0:
		return 128 + int(s.Signal)
	case s.Code < 0:
		return 1
	}
	return s.Code
}

func statusOf(state *os.ProcessState) Status {
	if state == nil {
		return Status{Code: -1}
	}
	if wait, ok := state.Sys().(syscall.WaitStatus); ok && wait.Signaled() {
		return Status{Code: -1, Signal: wait.Signal()}
	}
	return Status{Code: state.ExitCode()}
}
