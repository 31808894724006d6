package keeper

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"

	"murlua/platform/contain"
)

// DefaultGrace is how long a command may take to end by itself after its stop signal, unless it says otherwise.
const DefaultGrace = 10 * time.Second

// NoSignal as a [Command.StopSignal] means that no signal asks the command to end: it watches a lifeline of its
// own and is given the grace to notice.
const NoSignal = syscall.Signal(-1)

// A Command is what to start and how to stop it. Args is required.
type Command struct {
	// Path is the program; empty: Args[0], looked up in the PATH of Env when it holds no slash.
	Path string
	// Args are the arguments, Args[0] being the name the program sees.
	Args []string
	// Env is the whole environment; nil is an empty one.
	Env []string
	// Dir is the working directory; empty: the host's at the time of the start.
	Dir string
	// Stdin, Stdout and Stderr are duplicated into the command; nil is /dev/null.
	Stdin, Stdout, Stderr *os.File
	// Files become descriptors 3, 4 and so on. A nil entry leaves its number closed.
	Files []*os.File
	// Class demands a containment; empty takes the best there is.
	Class contain.Class
	// StopSignal asks the command to end (0: SIGTERM), Grace is how long it then has (0: [DefaultGrace], less
	// than 0: none). Both also hold when the host dies.
	StopSignal syscall.Signal
	Grace      time.Duration
	// Foreground puts the command in the host's own process group, so that the terminal's ^C reaches it; else it
	// leads a group of its own.
	Foreground bool
	// Terminal makes the command lead a session whose controlling terminal is Stdin.
	Terminal bool
}

func (c *Command) grace() time.Duration {
	switch {
	case c.Grace == 0:
		return DefaultGrace
	case c.Grace < 0:
		return 0
	}
	return c.Grace
}

func (c *Command) signal() syscall.Signal {
	if c.StopSignal == 0 {
		return syscall.SIGTERM
	}
	return c.StopSignal
}

// Status is how a command's first process ended.
type Status struct {
	// Code is the exit code; -1 when a signal ended it, or when the status was lost.
	Code int
	// Signal is the signal that ended it, 0 when it exited.
	Signal syscall.Signal
	// Core reports that the signal wrote a core file.
	Core bool
	// Lost reports that the status could not be had: the keeper was killed and somebody else reaped the command.
	Lost bool
}

// Success reports an exit with code 0.
func (s Status) Success() bool { return s.Code == 0 && s.Signal == 0 && !s.Lost }

// String says "status 3", "signal 9" or "an unknown status", as failure reports want it.
func (s Status) String() string {
	switch {
	case s.Lost:
		return "an unknown status"
	case s.Signal != 0:
		return "signal " + strconv.Itoa(int(s.Signal))
	}
	return "status " + strconv.Itoa(s.Code)
}

// Rung is the step of the ladder that ended a command.
type Rung string

// The rungs, in the order they are climbed.
const (
	RungGone     Rung = "gone"     // nothing was left to stop
	RungAsked    Rung = "asked"    // it ended when asked, without a signal
	RungSignal   Rung = "signal"   // it ended within the grace after its stop signal
	RungKill     Rung = "kill"     // something had to be killed
	RungSurvivor Rung = "survivor" // something could not be ended
)

// StopOptions say how to stop. The zero value uses the command's own signal and grace.
type StopOptions struct {
	// Signal and Grace replace the command's own when not 0; a Grace below 0 is none.
	Signal syscall.Signal
	Grace  time.Duration
}

// StopReport says how a stop went.
type StopReport struct {
	Rung   Rung
	Status Status
	// Escaped are processes that had left the command's process group and outlived its first process; Killed had
	// to be killed; Survivors could not be.
	Escaped, Killed, Survivors []contain.Process
	Took                       time.Duration
}

// StartError says why a command could not be started. Nothing of it is left.
type StartError struct {
	Program string
	Err     error
	// Hints are what was found out about the program, one finding each.
	Hints []string
}

func (e *StartError) Error() string { return fmt.Sprintf("cannot start %q: %v", e.Program, e.Err) }

func (e *StartError) Unwrap() error { return e.Err }

// Hint gives the findings as one line, empty when there are none.
func (e *StartError) Hint() string {
	hint := ""
	for _, h := range e.Hints {
		if hint != "" {
			hint += "; "
		}
		hint += h
	}
	return hint
}
