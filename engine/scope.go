package engine

import (
	"context"
	"errors"
)

// Scope remembers what a host had been given when the scope was opened, so that what came after can be ended while
// the host goes on. Test runners open one for each test.
type Scope struct {
	host  *Host
	hooks int
	tasks map[*Task]struct{}
}

// OpenScope opens a scope. Scopes are closed in the reverse order of their opening.
func (h *Host) OpenScope() *Scope {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := &Scope{host: h, hooks: len(h.hooks), tasks: make(map[*Task]struct{}, len(h.tasks))}
	for t := range h.tasks {
		s.tasks[t] = struct{}{}
	}
	return s
}

// Close stops the tasks that began since, waits for them until ctx ends, and runs the functions given to
// [Host.OnClose] since, the last one first. It returns the errors of those functions, and says when a call inside a
// task does not return.
func (s *Scope) Close(ctx context.Context) error {
	var errs []error
	var stopped []*Task
	for _, t := range s.host.topTasks() {
		if _, earlier := s.tasks[t]; !earlier {
			t.Stop(ErrStopped)
			stopped = append(stopped, t)
		}
	}
	for _, t := range stopped {
		_, err := t.Wait(ctx)
		select {
		case <-t.Done():
		default:
			errs = append(errs, err)
		}
	}
	s.host.mu.Lock()
	first := min(s.hooks, len(s.host.hooks))
	hooks := append([]func(context.Context) error(nil), s.host.hooks[first:]...)
	s.host.hooks = s.host.hooks[:first]
	s.host.mu.Unlock()
	for i := len(hooks) - 1; i >= 0; i-- {
		errs = append(errs, hooks[i](ctx))
	}
	return errors.Join(errs...)
}
