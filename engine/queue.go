package engine

import (
	"context"
	"fmt"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// queue passes Lua values between tasks, first in, first out. Only the holder of the lock touches it; changed is
// closed and replaced at each change, which wakes those who wait.
type queue struct {
	values   []lua.LValue
	capacity int // 0 is no bound
	closed   bool
	changed  chan struct{}
}

// newQueue is queue(capacity).
func newQueue(c *Call) error {
	capacity := c.OptInt(1, 0)
	if capacity < 0 {
		c.BadArgument(1, "capacity must be zero (no bound) or more, got %d", capacity)
	}
	q := &queue{capacity: capacity, changed: make(chan struct{})}
	return c.Return(c.t.host.queueType.Box(q))
}

func (q *queue) wake() {
	close(q.changed)
	q.changed = make(chan struct{})
}

func newQueueType() *Type {
	return &Type{
		Name: "queue", Class: "mur.Queue",
		Methods: map[string]Function{
			"push":  pushQueue,
			"pop":   popQueue,
			"close": closeQueue,
			"each": func(c *Call) error {
				q := c.Self().(*queue)
				return c.Return(Function(func(c *Call) error {
					v, _, err := q.pop(c, -1)
					if err != nil {
						return err
					}
					return c.Return(v)
				}))
			},
		},
		Fields: map[string]func(any) any{
			"length": func(v any) any { return len(v.(*queue).values) },
			"closed": func(v any) any { return v.(*queue).closed },
		},
		String: func(v any) string { return fmt.Sprintf("queue of %d", len(v.(*queue).values)) },
	}
}

// pushQueue is queue:push(value); it waits while the queue is full.
func pushQueue(c *Call) error {
	q, v := c.Self().(*queue), c.Get(1)
	if v == lua.LNil {
		c.BadArgument(1, "a queue cannot hold nil")
	}
	for !q.closed && q.capacity > 0 && len(q.values) >= q.capacity {
		if err := q.wait(c, nil); err != nil {
			return err
		}
	}
	if q.closed {
		return Errorf("closed", "cannot push to a closed queue")
	}
	q.values = append(q.values, v)
	q.wake()
	return nil
}

// popQueue is queue:pop(seconds): the oldest value, or nil and "closed" or "timeout".
func popQueue(c *Call) error {
	q := c.Self().(*queue)
	v, why, err := q.pop(c, c.OptDuration(1, -1))
	switch {
	case err != nil:
		return err
	case why != "":
		return c.Return(nil, why)
	}
	return c.Return(v)
}

func (q *queue) pop(c *Call, d time.Duration) (v lua.LValue, why string, err error) {
	var expired <-chan time.Time
	if d >= 0 && len(q.values) == 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		expired = timer.C
	}
	for len(q.values) == 0 {
		if q.closed {
			return lua.LNil, "closed", nil
		}
		if err := q.wait(c, expired); err == errExpired {
			return lua.LNil, "timeout", nil
		} else if err != nil {
			return lua.LNil, "", err
		}
	}
	v = q.values[0]
	q.values[0] = nil
	q.values = q.values[1:]
	q.wake()
	return v, "", nil
}

var errExpired = Errorf(KindTimeout, "the time is over")

func (q *queue) wait(c *Call, expired <-chan time.Time) error {
	changed := q.changed
	return c.Block(func(ctx context.Context) error {
		select {
		case <-changed:
			return nil
		case <-expired:
			return errExpired
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
}

func closeQueue(c *Call) error {
	q := c.Self().(*queue)
	q.closed = true
	q.wake()
	return nil
}
