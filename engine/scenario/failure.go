package scenario

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"murlua/engine"
)

// deadlineError is the cause with which a test that takes too long is stopped.
type deadlineError struct {
	what string
	d    time.Duration
}

func (e *deadlineError) Error() string { return fmt.Sprintf("%s ran longer than %s", e.what, e.d) }

// failureOf says why something failed. kind is what other errors count as.
func failureOf(kind string, err error) Failure {
	f := Failure{Kind: kind, Message: err.Error()}
	if own, ok := errors.AsType[*engine.Error](err); ok {
		f.Message, f.Where, f.Hint, f.Traceback = own.Message, own.Where, own.Hint, own.UsefulTrace()
		if f.Message == "" {
			f.Message = strings.TrimPrefix(own.Error(), own.Where+": ")
		}
	}
	if strings.Contains(f.Message, f.Hint) {
		f.Hint = "" // it is said already
	}
	// The outermost error has place and traceback; a cause may know the rest.
	for cause := err; cause != nil; cause = errors.Unwrap(cause) {
		own, ok := cause.(*engine.Error)
		if !ok {
			continue
		}
		if diff, ok := own.Fields["diff"].(string); ok && f.Diff == "" {
			f.Diff = diff
		}
		if stack, ok := own.Fields["go_stack"].(string); ok && own.Kind == engine.KindInternal {
			f.Kind, f.Traceback = FailedPanic, strings.TrimRight(stack, "\n")
		}
		if own.Kind == KindExpectation && f.Kind == FailedError {
			f.Kind = FailedExpectation
		}
	}
	if late, ok := errors.AsType[*deadlineError](err); ok {
		f.Kind, f.Message = FailedDeadline, late.Error()
	}
	if exit, ok := errors.AsType[*engine.ExitError](err); ok {
		f = Failure{Kind: FailedExit, Message: fmt.Sprintf("it called os.exit(%d)", exit.Status), Hint: "tests end by returning; what a script exits with is seen from outside, in a process of its own"}
	}
	if f.Kind == FailedExpectation {
		f.Traceback = "" // its place says it all
	}
	return f
}

// spoils reports whether a host cannot be trusted after such an error: it was told to exit, a binding panicked, or a
// call inside does not return.
func spoils(err error) bool {
	if _, ok := errors.AsType[*engine.ExitError](err); ok {
		return true
	}
	own, ok := errors.AsType[*engine.Error](err)
	return ok && own.Kind == engine.KindInternal
}

// isStuck reports whether a call inside the host does not return, so that nothing else can run there.
func isStuck(err error) bool {
	own, ok := errors.AsType[*engine.Error](err)
	return ok && own.Kind == engine.KindInternal && own.Fields["go_stack"] == nil
}
