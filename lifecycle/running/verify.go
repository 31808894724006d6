package running

import (
	"context"
	"fmt"
	"strconv"

	"murlua/lifecycle/credential"
	"murlua/lifecycle/id"
	"murlua/platform/process"
)

// LivenessState is what the three layers say about a record together.
type LivenessState int

const (
	// Unreachable: the process is alive and its door did not answer for this session, or its identity
	// could not be read. The record is kept.
	Unreachable LivenessState = iota
	// Live: the process is the record's, and its door, when it has one, answers for this session.
	Live
	// Gone: the process is proven to have ended. The record may be removed.
	Gone
)

// String returns "unreachable", "live" or "gone".
func (s LivenessState) String() string {
	switch s {
	case Live:
		return "live"
	case Gone:
		return "gone"
	default:
		return "unreachable"
	}
}

// Liveness is a verdict, and why; a live session needs no reason.
type Liveness struct {
	State  LivenessState
	Reason string
}

// Probe asks the door at url which session it answers for. An empty token asks a door that is open to
// all. It ends with the context, and within bounds of its own.
type Probe func(ctx context.Context, url string, token credential.Secret) (session string, err error)

// Verifier takes all three layers.
type Verifier struct {
	// Probe asks the doors. Without one no session that has a door is found to live.
	Probe Probe
	// Parallel is how many records [Verifier.VerifyAll] verifies at once; 0 means 32.
	Parallel int
}

const defaultParallel = 32

// ProcessState takes the first two layers: whether the process that the record names is still there.
func ProcessState(record Record) process.State { return process.Inspect(record.Identity()) }

// Verify takes all three layers. The door is asked only when the process is alive, and only when there
// is one. The end of the context makes a session unreachable, never gone.
func (v Verifier) Verify(ctx context.Context, record Record) Liveness {
	switch state := ProcessState(record); state.Kind {
	case process.Gone:
		return Liveness{Gone, state.Reason}
	case process.Unverified:
		return Liveness{Unreachable, state.Reason}
	}
	switch {
	case record.URL == "":
		return Liveness{State: Live}
	case v.Probe == nil:
		return Liveness{Unreachable, "its door was not asked"}
	}
	session, err := v.Probe(ctx, record.URL, record.DoorToken)
	switch {
	case err != nil:
		return Liveness{Unreachable, err.Error()}
	case session != string(record.SessionID):
		return Liveness{Unreachable, fmt.Sprintf("the capsule at %s answers for session %s", record.URL, shown(session))}
	}
	return Liveness{State: Live}
}

// VerifyAll verifies every record, several at once, and gives the verdicts in their order.
func (v Verifier) VerifyAll(ctx context.Context, records []Record) []Liveness {
	parallel := v.Parallel
	if parallel <= 0 {
		parallel = defaultParallel
	}
	verdicts := make([]Liveness, len(records))
	inParallel(len(records), parallel, func(i int) { verdicts[i] = v.Verify(ctx, records[i]) })
	return verdicts
}

// shown is a session id as a door gave it, made fit to be shown when it is not one.
func shown(session string) string {
	if _, err := id.ParseSession(session); err == nil {
		return session
	}
	return strconv.Quote(abridged(session))
}
