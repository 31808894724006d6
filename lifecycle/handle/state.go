package handle

import "fmt"

// StateName is what a handle is doing.
type StateName string

// The states. All but Running are final.
const (
	Running  StateName = "running"
	Exited   StateName = "exited"
	Killed   StateName = "killed"
	Orphaned StateName = "orphaned"
)

// A State is what a handle is doing as far as this process knows.
type State struct {
	Name StateName
	// Code is the last stage's exit code when the handle has exited; nil when a signal ended it.
	Code *int
	// Reason says why an orphan is one.
	Reason string
}

// Over reports whether nothing more can happen to the handle.
func (s State) Over() bool { return s.Name != Running }

func (s State) String() string {
	switch {
	case s.Name == Exited && s.Code != nil:
		return fmt.Sprintf("exited with %d", *s.Code)
	case s.Name == Exited:
		return "ended by a signal"
	}
	return string(s.Name)
}
