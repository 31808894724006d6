package roster

import "fmt"

// The codes of refusals, as murmur's command shows them.
const (
	CodeShape         = "E-ROS-001" // the file cannot be read, or is not a roster
	CodeEntry         = "E-ROS-002" // no entry member, or more than one
	CodeDuplicate     = "E-ROS-003" // two members of one name
	CodeUnknownMember = "E-ROS-004" // a rule names no member
	CodeNotServing    = "E-ROS-005" // a rule calls a member that takes no tasks from peers
	CodePublicDoor    = "E-ROS-006" // members may call each other, and one has a public door
	CodeNotInstalled  = "E-ROS-007" // a member is not installed, or its artifact is not readable
	CodeCallsEntry    = "E-ROS-008" // a rule calls the entry member
	CodeLocked        = "E-REG-005" // murmur.lock pins another artifact
	CodeBadLock       = "E-RUN-003" // murmur.lock is not readable
)

// Refusal says why a roster is not admitted. Nothing of a refused roster may be started.
type Refusal struct{ code, message, hint string }

// Error names the file, and the place in it.
func (r *Refusal) Error() string { return r.message }

// Code is murmur's name of the refusal, one of the constants of this package.
func (r *Refusal) Code() string { return r.code }

// Hint says what to do about it, "" if that is plain.
func (r *Refusal) Hint() string { return r.hint }

func refuse(code, hint, format string, args ...any) *Refusal {
	return &Refusal{code: code, message: fmt.Sprintf(format, args...), hint: hint}
}
