package formation

import (
	"context"

	"murlua/lifecycle/formation/child"
)

// What a member's process is to those who look at it.
type (
	// Status is how a process ended.
	Status = child.Status
	// Output is one line that a member wrote.
	Output = child.Output
	// Log keeps the latest lines that a member wrote.
	Log = child.Log
	// StopReport says how far a stop had to go.
	StopReport = child.StopReport
)

// Probe is what a readiness policy and a health check see of their member. Its fields do not change.
type Probe struct {
	Name string
	PID  int
	// Session is the id under which the member's record is found. URL ("http://host:port") is what a capsule
	// reported; empty for a command.
	Session string
	URL     string
	// Workdir is where the member works.
	Workdir string
	// Log has what it wrote so far and tells when there is more.
	Log *Log
	// AskDoor asks a capsule's door once. It returns "" when the door answers as the session that was
	// reported, else what it said instead.
	AskDoor func(ctx context.Context) string
	// NotYet tells what is still missing. It becomes a not_ready_yet event; call it when the sentence changes.
	NotYet func(why string)
}
