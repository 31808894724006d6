package bindings

import (
	"context"
	"sync/atomic"
	"time"
)

// steps is the reading of a stream by a script, one step after the other.
type steps struct {
	cancel  context.CancelCauseFunc // ends the connection
	timeout time.Duration           // of one step; 0 is none
	late    error                   // what a step fails with that takes longer
}

// limited runs one step within the time limit and the task's life. What breaks it ends the connection: a stream of which
// a piece was lost is of no use.
func (s *steps) limited(task context.Context, step func() error) error {
	var late atomic.Bool
	if s.timeout > 0 {
		timer := time.AfterFunc(s.timeout, func() {
			late.Store(true)
			s.cancel(s.late)
		})
		defer timer.Stop()
	}
	unhook := context.AfterFunc(task, func() { s.cancel(context.Canceled) })
	defer unhook()
	err := step()
	switch {
	case err != nil && task.Err() != nil:
		return context.Cause(task)
	case err != nil && late.Load():
		return s.late
	}
	return err
}
