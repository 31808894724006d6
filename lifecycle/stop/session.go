package stop

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"murlua/lifecycle/door"
	"murlua/lifecycle/home"
	"murlua/lifecycle/running"
)

// Options says how to stop. Home is required.
type Options struct {
	Home home.Home
	// Grace is the time between SIGTERM and SIGKILL; zero means none.
	Grace time.Duration
}

// SessionReport says how a session was stopped.
type SessionReport struct {
	Session string `json:"session_id"`
	Capsule string `json:"capsule"` // name@version
	Signal  Signal `json:"signal"`
	// Canceled are the tasks that were canceled, Unended those of them whose end the trace does not record.
	Canceled []string `json:"canceled"`
	Unended  []string `json:"unended,omitempty"`
	// Residue is what the session leaves running, as it describes it. Silent says why it could not be asked.
	Residue []string `json:"residue"`
	Silent  string   `json:"silent,omitempty"`
}

// NoDoor is why a session without a door, such as a plain command, could not be asked for its residue.
const NoDoor = "it has no door"

// doorWithin bounds the question to the door: a silent one must not keep its process alive.
const doorWithin = 10 * time.Second

// Session stops the session of a record and prunes the record. The error is an [*Error] when its process is still
// there, or the cause of ctx; the report is then as far as it went.
func Session(ctx context.Context, o Options, record running.Record) (SessionReport, error) {
	report := SessionReport{
		Session: string(record.SessionID), Capsule: record.CapsuleName + "@" + record.CapsuleVersion,
		Signal: NoSignal, Canceled: []string{}, Residue: []string{},
	}
	if record.URL != "" {
		askDoor(ctx, &report, record)
	} else {
		report.Silent = NoDoor
	}
	if len(report.Canceled) > 0 {
		report.Unended = awaitTasks(ctx, record, report.Canceled)
	}
	signal, err := endProcess(ctx, record.Identity(), o.Grace)
	report.Signal = signal
	if err != nil {
		return report, err
	}
	// The session removes its record itself when it ends in order.
	if err := running.Prune(o.Home, record); err != nil && !errors.Is(err, running.ErrNotGone) {
		return report, err
	}
	return report, nil
}

func askDoor(ctx context.Context, report *SessionReport, record running.Record) {
	ctx, cancel := context.WithTimeoutCause(ctx, doorWithin, errors.New("its door did not answer in time"))
	defer cancel()
	client := &door.Client{URL: record.URL, Token: record.DoorToken}
	stopped, err := client.StopSession(ctx)
	if err != nil {
		report.Silent = err.Error()
		return
	}
	report.Canceled = append(report.Canceled, stopped.Canceled...)
	for _, item := range stopped.Residue {
		report.Residue = append(report.Residue, residueText(item))
	}
}

// residueText shows an item as text if it is one, and as JSON otherwise.
func residueText(item json.RawMessage) string {
	var text string
	if json.Unmarshal(item, &text) == nil {
		return text
	}
	return string(item)
}
