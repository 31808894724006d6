package member

import (
	"fmt"
	"time"

	"murlua/lifecycle/trace"
)

// deadline returns what delivers when the session's time is over, nothing for a session that has no deadline. The second
// result stops the clock.
func (r *run) deadline() (late <-chan time.Time, stop func()) {
	at := r.options.Flags.Deadline
	if at.IsZero() {
		return nil, func() {}
	}
	timer := time.NewTimer(time.Until(at))
	return timer.C, func() { timer.Stop() }
}

// isLate reports whether the deadline has passed: a formation whose members share one ends at it, whichever member
// notices first.
func (r *run) isLate() bool {
	at := r.options.Flags.Deadline
	return !at.IsZero() && !time.Now().Before(at)
}

// atDeadline is the end of a session at its deadline.
func (r *run) atDeadline() end {
	at := r.options.Flags.Deadline.UTC().Format(time.RFC3339)
	return end{
		trace: trace.DeadlineEnded, cause: errDeadline, code: 1, broken: 1,
		task: &Refusal{
			Code: "E-RUN-053", Message: fmt.Sprintf("the session was ended at the deadline that it inherited, %s", at),
			Hint: "launch the formation with a later --deadline",
		},
	}
}

// deadlineFields are what the trace says about the deadline that was reached.
func (r *run) deadlineFields() map[string]any {
	at := r.options.Flags.Deadline
	return map[string]any{
		"deadline_at": at.UTC().Format(time.RFC3339), "deadline_secs": max(0, int(at.Sub(r.begun).Seconds())), "source": "inherited",
	}
}
