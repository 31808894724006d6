package running

import (
	"errors"
	"os"
	"syscall"

	"murlua/platform/process"
)

// OutcomeKind is what became of a signal.
type OutcomeKind int

const (
	// Refused: something holds the pid, and no signal was sent or the system did not allow it.
	Refused OutcomeKind = iota
	// Sent: the signal went to the process that was named.
	Sent
	// AlreadyGone: nothing was signalled, since the process has ended.
	AlreadyGone
)

// String returns "refused", "sent" or "already gone".
func (k OutcomeKind) String() string {
	switch k {
	case Sent:
		return "sent"
	case AlreadyGone:
		return "already gone"
	default:
		return "refused"
	}
}

// Outcome is what became of a signal, and why.
type Outcome struct {
	Kind OutcomeKind
	// Reason says why a signal was refused, or why the process is taken to have ended.
	Reason string
	// Method is how the process was held when it was signalled; 0 when no signal was tried.
	Method process.Method
}

// Signal sends sig to the process that the record names, if it still is that process: to it alone and
// never to its group. See [SignalIdentity].
func Signal(record Record, sig syscall.Signal) Outcome { return SignalIdentity(record.Identity(), sig) }

// SignalIdentity sends sig to the process, if it still is that process. It takes hold of it first,
// looks whether it is the one, and signals what it holds, so that no other process can be hit in
// between; [Outcome.Method] says where the platform could not give that.
func SignalIdentity(identity process.Identity, sig syscall.Signal) Outcome {
	ref, state := process.OpenIdentity(identity)
	if ref == nil {
		if state.Kind == process.Gone {
			return Outcome{Kind: AlreadyGone, Reason: state.Reason}
		}
		return Outcome{Kind: Refused, Reason: state.Reason}
	}
	defer func() { _ = ref.Close() }()
	outcome := Outcome{Kind: Sent, Method: ref.Method()}
	if err := ref.Signal(sig); errors.Is(err, os.ErrProcessDone) {
		outcome.Kind, outcome.Reason = AlreadyGone, "the process ended before the signal"
	} else if err != nil {
		outcome.Kind, outcome.Reason = Refused, reasonOf(err)
	}
	return outcome
}

// reasonOf is the system's own word for an error.
func reasonOf(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	return err.Error()
}
