package formation

import (
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Reason says why one member did not come up. Kind is one of the Kind constants, stable for programs; the
// text is murmur's, for people and for programs that match on it.
type Reason struct {
	Kind string
	// Why has the details of not_started, unreadable_report, not_ready and door_did_not_answer (the last
	// probe's error).
	Why string
	// Status is how the process ended, for the two kinds of exit.
	Status Status
	// StderrTail has the last lines of standard error, unprefixed; for a command, which reports nothing on standard
	// output, those of both streams, and BothStreams is set.
	StderrTail  []string
	BothStreams bool
	// Deadline is the time that the member had.
	Deadline time.Duration
	// Reported and Expected are formation ids, for wrong_formation; Reported is empty if there was none.
	Reported, Expected string
	// URL and Session are what the member reported, for door_did_not_answer.
	URL, Session string
}

// The kinds of reasons.
const (
	NotStarted               = "not_started"
	ExitedBeforeReporting    = "exited_before_reporting"
	ExitedBeforeDoorAnswered = "exited_before_door_answered"
	DidNotReport             = "did_not_report"
	UnreadableReport         = "unreadable_report"
	ReportedNoDoor           = "reported_no_door"
	WrongFormation           = "wrong_formation"
	DoorDidNotAnswer         = "door_did_not_answer"
	NotReady                 = "not_ready"           // a readiness policy said no, or ran out of time
	ExitedBeforeReady        = "exited_before_ready" // a member with a policy of its own ended before it was ready
)

func (r Reason) String() string {
	switch r.Kind {
	case NotStarted:
		return "its process could not be started: " + r.Why
	case ExitedBeforeReporting:
		return fmt.Sprintf("its process exited with %v before reporting%s", r.Status, r.tail())
	case ExitedBeforeDoorAnswered:
		return fmt.Sprintf("its process reported and then exited with %v before its door answered%s", r.Status, r.tail())
	case ExitedBeforeReady:
		return fmt.Sprintf("its process exited with %v before it was ready%s", r.Status, r.tail())
	case DidNotReport:
		return fmt.Sprintf("it did not report within %ss", seconds(r.Deadline))
	case UnreadableReport:
		return "its first line is not a readiness line: " + r.Why
	case ReportedNoDoor:
		return "it reported no door"
	case WrongFormation:
		if r.Reported == "" {
			return "it reported no formation instead of " + r.Expected
		}
		return fmt.Sprintf("it reported formation %s instead of %s", r.Reported, r.Expected)
	case DoorDidNotAnswer:
		return fmt.Sprintf("its door at %s did not answer as session %s within %ss; the last probe said: %s",
			r.URL, r.Session, seconds(r.Deadline), r.Why)
	case NotReady:
		if r.Deadline == 0 { // the policy gave up by itself
			return fmt.Sprintf("it will not be ready: %s%s", r.Why, r.tail())
		}
		return fmt.Sprintf("it was not ready within %ss: %s%s", seconds(r.Deadline), r.Why, r.tail())
	}
	return r.Kind
}

// seconds writes a duration as murmur does: the shortest decimal, in the precision of a 32-bit float.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 32)
}

func (r Reason) tail() string {
	if len(r.StderrTail) == 0 {
		if r.BothStreams {
			return "; it wrote nothing"
		}
		return "; it wrote nothing to stderr"
	}
	const newline = "\n      "
	whose := "stderr "
	if r.BothStreams {
		whose = ""
	}
	return "; its last " + whose + "lines were:" + newline + strings.Join(r.StderrTail, newline)
}

// Failure is one member that did not come up. Version is empty for a command.
type Failure struct {
	Name, Capsule, Version string
	Reason                 Reason
}

// Stopped is a member that was still running when the launcher began to stop it.
type Stopped struct {
	Name string
	PID  int
}

// LaunchError is a launch that did not complete. When it is returned, nothing that the launch started is
// running, and everything is reaped.
type LaunchError struct {
	// Failed has every member that is known to have failed, in plan order. It is empty when the launch was
	// interrupted first.
	Failed []Failure
	// Stopped has every member that had started and was stopped, in plan order.
	Stopped []Stopped
	// Interrupted is the cause of the start context when that ended the launch: an [*Interruption] for a
	// caught signal.
	Interrupted error
}

func (e *LaunchError) Error() string {
	var text strings.Builder
	switch {
	case e.Interrupted != nil && len(e.Failed) == 0:
		fmt.Fprintf(&text, "the formation launch was interrupted by %v before every member was ready", e.Interrupted)
	default:
		text.WriteString("the formation could not be launched")
	}
	for _, f := range e.Failed {
		of := f.Capsule
		if f.Version != "" {
			of += "@" + f.Version
		}
		fmt.Fprintf(&text, "\n  '%s' (%s): %v", f.Name, of, f.Reason)
	}
	fmt.Fprintf(&text, "\n  stopped: %s", RenderStopped(e.Stopped))
	return text.String()
}

// Unwrap returns the cause of the interruption.
func (e *LaunchError) Unwrap() error { return e.Interrupted }

// RenderStopped writes "name (pid N), …" or "none".
func RenderStopped(stopped []Stopped) string {
	if len(stopped) == 0 {
		return "none"
	}
	each := make([]string, len(stopped))
	for i, s := range stopped {
		each[i] = fmt.Sprintf("%s (pid %d)", s.Name, s.PID)
	}
	return strings.Join(each, ", ")
}

// Interruption is the cause to cancel a start context with, or to give to [Formation.Stop], when the
// launcher caught a signal: the exit code then is 128 and the signal.
type Interruption struct{ Signal syscall.Signal }

func (i *Interruption) Error() string { return SignalName(i.Signal) }

// SignalName writes the conventional name of the three signals that a launcher catches and the number of any
// other.
func SignalName(signal syscall.Signal) string {
	switch signal {
	case syscall.SIGINT:
		return "SIGINT"
	case syscall.SIGTERM:
		return "SIGTERM"
	case syscall.SIGHUP:
		return "SIGHUP"
	}
	return fmt.Sprintf("signal %d", int(signal))
}
