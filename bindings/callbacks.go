package bindings

import (
	"context"
	"sync"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine"
)

// callbacks calls a script's function for one thing after the other, in tasks of their own, so that a slow script
// holds up nobody. A function that fails is called no more.
type callbacks struct {
	host   *engine.Host
	fn     *lua.LFunction
	failed func(error)

	mu      sync.Mutex
	queue   []map[string]any
	busy    bool
	stopped bool
	current *engine.Task
	idle    chan struct{} // closed when the queue is empty; a new one is made when it is not
}

func newCallbacks(host *engine.Host, fn *lua.LFunction, failed func(error)) *callbacks {
	idle := make(chan struct{})
	close(idle)
	return &callbacks{host: host, fn: fn, failed: failed, idle: idle}
}

func (q *callbacks) add(argument map[string]any) {
	if q.fn == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.queue = append(q.queue, argument)
	if !q.busy {
		q.busy = true
		q.idle = make(chan struct{})
		go q.run() // ends with the queue, or when the host does
	}
}

func (q *callbacks) run() {
	for {
		q.mu.Lock()
		if len(q.queue) == 0 || q.stopped {
			q.busy, q.queue = false, nil
			close(q.idle)
			q.mu.Unlock()
			return
		}
		argument := q.queue[0]
		q.queue = q.queue[1:]
		q.mu.Unlock()
		task, err := q.host.Spawn(context.Background(), q.fn, argument)
		if err == nil {
			q.mu.Lock()
			q.current = task
			q.mu.Unlock()
			_, err = task.Wait(context.Background())
		}
		if err != nil {
			q.mu.Lock()
			q.stopped = true
			q.mu.Unlock()
			q.failed(err)
		}
	}
}

// drain waits until the function has been called for everything so far. The function itself, which task is, would
// wait for ever and does not.
func (q *callbacks) drain(ctx context.Context, task *engine.Task) error {
	q.mu.Lock()
	idle, own := q.idle, task != nil && task == q.current
	q.mu.Unlock()
	if own {
		return nil
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// callbackError is why a script is stopped when one of its callbacks failed.
type callbackError struct{ error }

func (e *callbackError) Unwrap() error { return e.error }
