package engine

import (
	"errors"
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Kinds of errors that the host itself makes.
const (
	KindError     = "error"     // a script called error with a string or another plain value
	KindSyntax    = "syntax"    // a chunk could not be compiled
	KindUsage     = "usage"     // a function was called with something it does not take
	KindCancelled = "cancelled" // the task was stopped while it waited
	KindTimeout   = "timeout"   // a deadline passed
	KindLimit     = "limit"     // a budget or size limit was exceeded
	KindInternal  = "internal"  // a Go panic: a fault of the host, not of the script
	KindTasks     = "tasks"     // several tasks failed
)

// Error is what a failure looks like on both sides. A [Function] may return one, or any other error; Lua sees an
// error object with the fields kind, message, hint, where and the error's own Fields.
type Error struct {
	Kind    string         // a stable word that a script can compare with
	Message string         // what happened: lower-case, no full stop
	Hint    string         // what to do about it, or empty
	Where   string         // "file:line" of the script; filled in when the error is raised, if empty
	Trace   string         // the script's stack, for errors that nothing caught
	Fields  map[string]any // further fields, converted as by [FromGo]
	Cause   error          // what it came from, for errors.Is and errors.As

	// Value is the Lua value that was raised, when a script raised it: raising the error again raises the same value.
	Value lua.LValue

	stack *trace
}

// Error returns the message, with the place in front when there is one.
func (e *Error) Error() string {
	message := e.Message
	if message == "" && e.Cause != nil {
		message = e.Cause.Error()
	}
	if e.Where != "" && !strings.HasPrefix(message, e.Where) {
		return e.Where + ": " + message
	}
	return message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// UsefulTrace is the trace without the call of error that it begins with, and nothing when it has one place in a
// script only: that is the error's own.
func (e *Error) UsefulTrace() string {
	frames, ok := strings.CutPrefix(e.Trace, traceHead)
	if !ok {
		return e.Trace
	}
	if strings.Count(frames, "\n\t")+1-strings.Count("\n"+frames, "\n\t[Go]") < 2 {
		return ""
	}
	return traceHead + strings.TrimPrefix(frames, "\t[Go]: in function 'error'\n")
}

// Errorf makes an error of a kind. %w wraps.
func Errorf(kind, format string, args ...any) *Error {
	wrapped := fmt.Errorf(format, args...)
	return &Error{Kind: kind, Message: wrapped.Error(), Cause: errors.Unwrap(wrapped)}
}

// ExitError is what [Host.Run] returns when a script called os.exit. The command exits with its status after
// [Host.Close].
type ExitError struct{ Status int }

func (e *ExitError) Error() string { return fmt.Sprintf("the script exited with status %d", e.Status) }

// ErrStopped is the cause of a stop that nobody gave a reason for.
var ErrStopped = errors.New("the script was stopped")

// errStopped is only ever seen by the VM: it unwinds a task that was stopped.
var errStopped = errors.New("stopped")

// errorKind returns the stable word for an error.
func errorKind(err error) string {
	var own *Error
	if errors.As(err, &own) && own.Kind != "" {
		return own.Kind
	}
	var kinded interface{ ErrorKind() string }
	if errors.As(err, &kinded) {
		return kinded.ErrorKind()
	}
	return KindError
}

func errorHint(err error) string {
	var own *Error
	if errors.As(err, &own) && own.Hint != "" {
		return own.Hint
	}
	var hinted interface{ ErrorHint() string }
	if errors.As(err, &hinted) {
		return hinted.ErrorHint()
	}
	return ""
}

func errorField(err error, name string) (any, bool) {
	for ; err != nil; err = errors.Unwrap(err) {
		switch e := err.(type) {
		case *Error:
			if v, ok := e.Fields[name]; ok {
				return v, true
			}
		case interface{ ErrorFields() map[string]any }:
			if v, ok := e.ErrorFields()[name]; ok {
				return v, true
			}
		}
	}
	return nil, false
}

// message is the text of an error without its place.
func errorMessage(err error) string {
	if own, ok := err.(*Error); ok {
		if own.Message == "" && own.Cause != nil {
			return own.Cause.Error()
		}
		return own.Message
	}
	return err.Error()
}
