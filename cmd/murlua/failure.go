package main

import (
	"context"
	"errors"
	"io"
	"strings"

	"murlua/bindings"
	"murlua/engine"
	"murlua/lifecycle/formation"
	"murlua/lifecycle/member"
)

// The exit codes of every subcommand. A command that ends with a formation takes the entry's status instead;
// a command that a signal ended exits with 128 and the signal's number.
const (
	exitOK      = 0
	exitFailure = 1 // what was asked for failed
	exitUsage   = 2 // the command line was not understood, or there was nothing to do
	exitSignal  = 128
)

// usageError is a command line that was not understood.
type usageError struct {
	command string // whose help says more; "" for the command as a whole
	err     error
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// exitError carries an exit code and nothing to print: everything has been said.
type exitError struct{ code int }

func (e exitError) Error() string { return "" }

// hintedError adds what to do about an error.
type hintedError struct {
	error
	hint string
}

func (e *hintedError) Unwrap() error { return e.error }

// fail prints err as a person wants to read it and returns the exit code it stands for: a line for what went wrong,
// the script's stack if there is one, and a line for what to do about it. After a signal the code is the signal's.
func fail(ctx context.Context, stderr io.Writer, err error) int {
	caught, interrupted := errors.AsType[*formation.Interruption](context.Cause(ctx))
	if exit, ok := errors.AsType[exitError](err); ok {
		return exit.code
	}
	code := exitOK
	if err != nil {
		code = exitFailure
	}
	if usage, ok := errors.AsType[*usageError](err); ok {
		code = exitUsage
		err = &hintedError{err, "`" + strings.TrimSpace("murlua help "+usage.command) + "` shows what it takes"}
	}
	if interrupted {
		code = exitSignal + int(caught.Signal)
		if stoppedBy(err) {
			place := ""
			if script, ok := errors.AsType[*engine.Error](err); ok && script.Where != "" {
				place = script.Where + ": "
			}
			err = errors.New(place + "stopped by " + caught.Error())
		}
	}
	if err != nil {
		writeAll(stderr, describeError(err))
	}
	return code
}

// stoppedBy reports whether the error says nothing but that a signal ended what was going on.
func stoppedBy(err error) bool {
	if err == nil {
		return true
	}
	if launch, ok := errors.AsType[*formation.LaunchError](err); ok {
		return len(launch.Failed) == 0
	}
	_, interruption := errors.AsType[*formation.Interruption](err)
	return interruption || errors.Is(err, context.Canceled)
}

func describeError(err error) string {
	var out strings.Builder
	name, text, trace, hint := "murlua", err.Error(), "", ""
	if refusal, ok := errors.AsType[*member.Refusal](err); ok {
		name, hint = "error["+refusal.Code+"]", refusal.Hint
	}
	if hinted, ok := errors.AsType[*hintedError](err); ok {
		hint = hinted.hint
	}
	if script, ok := errors.AsType[*engine.Error](err); ok {
		trace = script.UsefulTrace()
		if hint == "" && !strings.Contains(script.Message, script.Hint) {
			hint = script.Hint
		}
		if script.Kind == bindings.KindLaunch {
			trace = "" // it is about members, which it names: the stack that launched them says nothing more
		}
	}
	out.WriteString(name + ": " + strings.TrimRight(text, "\n") + "\n")
	if trace != "" {
		out.WriteString(trace + "\n")
	}
	if hint != "" {
		out.WriteString("  hint: " + hint + "\n")
	}
	return out.String()
}
