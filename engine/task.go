package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// Task is a Lua function that runs on a goroutine and a Lua thread of its own. It ends when its function and all
// tasks it spawned have ended and the functions given to mur.defer have run.
type Task struct {
	host   *Host
	parent *Task // nil for tasks that Go code or a detached spawn started
	name   string
	born   string // where it was spawned

	ctx    context.Context // ends at the soft stop
	cancel context.CancelCauseFunc
	hard   atomic.Bool
	asked  atomic.Bool // the watchdog wants to know where it is
	joined atomic.Bool // somebody saw, or will see, how it ended
	loose  atomic.Bool // a script spawned it, detached
	late   atomic.Bool // a deadline of its own stopped it

	cleanupOf *Task                  // of a function given to mur.defer
	unwound   atomic.Bool            // its function has ended
	calling   atomic.Pointer[string] // the name of the Go function it is in
	queued    atomic.Bool            // that function waits for the lock or for another task

	done chan struct{}
	lost chan struct{} // closed when a stuck Go call keeps the task from ending
	lose sync.Once     // closes it
	wake chan struct{}

	mu       sync.Mutex // guards what follows
	fatal    error      // ends the task whatever its function does
	timer    *time.Timer
	children map[*Task]struct{}
	watchers []func()

	// For the holder of the lock.
	cleanups   []lua.LValue
	coroutines map[*coroutine]struct{}
	stopTrace  *trace
	settled    bool // it has ended; done is closed a moment later
	named      bool // by the script
	spawned    bool // it started others
	failed     bool // by itself: not because it was stopped
	told       bool // what it failed with was told when it was a child's

	unjoined unjoined // children

	spawnDetached bool        // see SpawnDetached
	typed         bool        // at a prompt, or spawned by what was
	tell          func(error) // likewise: hears of detached tasks that failed; nil is Warn

	results []lua.LValue
	err     error
	object  *lua.LUserData
}

// bareTask makes a task that runs on the goroutine of another.
func bareTask(h *Host, name string) *Task {
	t := &Task{host: h, name: name, done: make(chan struct{}), lost: make(chan struct{}), wake: make(chan struct{}, 1)}
	t.ctx, t.cancel = context.WithCancelCause(context.Background())
	return t
}

// Context ends when the task is stopped softly; its cause says why.
func (t *Task) Context() context.Context { return t.ctx }

// SpawnDetached makes tasks that mur.task.spawn starts in this one outlive it, unless the script says otherwise. What
// is typed at a prompt is a task that ends with the line; what the line spawned goes on. tell hears of each such task
// that failed when nobody had joined it, and may wait; without it [Options].Warn does, before the task has ended. The
// caller holds the lock.
func (t *Task) SpawnDetached(tell func(error)) {
	t.spawnDetached, t.typed, t.tell = true, true, tell
}

// Done is closed when the task has ended.
func (t *Task) Done() <-chan struct{} { return t.done }

// Name is what traces and reports call the task.
func (t *Task) Name() string { return t.name }

// Wait waits until the task has ended, or until ctx ends, which does not stop the task. It must not be called by
// the holder of the lock: bindings use [Call.Join]. Tables among the results are read inside [Host.Do].
func (t *Task) Wait(ctx context.Context) ([]lua.LValue, error) {
	select {
	case <-t.done:
		return t.results, t.err
	case <-t.lost:
		return nil, t.lostError()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Stop stops the task and its children softly, and hard after the host's grace. The cause may be nil. It returns at
// once; calls after the first do nothing.
func (t *Task) Stop(cause error) {
	if cause == nil {
		cause = ErrStopped
	}
	if t.ctx.Err() != nil && t.hard.Load() {
		return
	}
	t.cancel(cause)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer == nil {
		t.timer = time.AfterFunc(t.host.options.Grace, t.Kill)
	}
}

// Kill stops the task and its children hard: no more Lua runs in them except cleanups. It returns at once.
func (t *Task) Kill() {
	t.cancel(ErrStopped)
	if t.hard.Swap(true) || t.host == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer != nil {
		t.timer.Stop()
	}
	t.timer = time.AfterFunc(stuckAfter, t.giveUp)
}

// stuckAfter is how long after a hard stop a task may still be inside one Go call before it is given up.
const stuckAfter = 60 * time.Millisecond

// giveUp is called when the task was stopped hard some time ago. If its function has not ended it is inside a Go call
// that does not return; those who wait for the task are told so. Cleanups have deadlines of their own.
func (t *Task) giveUp() {
	if t.unwound.Load() {
		return
	}
	if t.calling.Load() == nil || t.queued.Load() {
		// It runs Lua, or waits its turn to: it ends as soon as the machine lets it.
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.timer != nil {
			t.timer = time.AfterFunc(stuckAfter, t.giveUp)
		}
		return
	}
	t.lose.Do(func() { close(t.lost) })
	if of := t.cleanupOf; of != nil {
		of.lose.Do(func() { close(of.lost) })
	}
}

func (t *Task) lostError() error {
	return &Error{Kind: KindInternal, Message: fmt.Sprintf("%s was stopped but %s does not return", t.name, t.inside()), Cause: context.Cause(t.ctx)}
}

// unwinding says whether Lua code of the task has to end now.
func (t *Task) unwinding() bool {
	for ; t != nil; t = t.parent {
		if t.hard.Load() {
			return true
		}
	}
	return false
}

// cleansUp says whether the task is a cleanup or part of one: those have a deadline instead of the budget.
func (t *Task) cleansUp() bool {
	for ; t != nil; t = t.parent {
		if t.cleanupOf != nil {
			return true
		}
	}
	return false
}

// fail ends the outermost task that this one belongs to, with an error that no protected call catches.
func (t *Task) fail(err error) {
	for t.parent != nil {
		t = t.parent
	}
	t.mu.Lock()
	if t.fatal == nil {
		t.fatal = err
	}
	t.mu.Unlock()
	t.cancel(err)
	t.hard.Store(true)
}

// main is the task's goroutine.
func (t *Task) main(fn func() lua.LValue, args func(L *lua.LState) ([]lua.LValue, error)) {
	defer t.host.running.Done()
	defer t.host.alive.Add(-1)
	defer t.announce()
	<-t.wake // it is in the lock's queue
	t.host.took(t)
	defer t.host.lock.release()
	defer func() {
		if r := recover(); r != nil {
			t.err = &Error{Kind: KindInternal, Message: fmt.Sprintf("internal error: %v", r), Fields: map[string]any{"go_stack": string(debug.Stack())}}
			if t.failed = true; !t.settled {
				t.leave()
			}
		}
	}()
	t.results, t.err = t.runFunction(fn(), args)
	t.unwound.Store(true)
	stopped := t.ctx.Err() != nil && !t.late.Load()
	if err := t.finish(); t.err == nil && err != nil {
		t.results, t.err = nil, err
	}
	t.failed = t.err != nil && !stopped
	t.settle()
}

func (t *Task) runFunction(fn lua.LValue, args func(L *lua.LState) ([]lua.LValue, error)) ([]lua.LValue, error) {
	if t.unwinding() {
		return nil, t.stopError()
	}
	th := t.host.borrow(nil, t, atTask)
	defer t.host.giveBack(th)
	values, err := args(th.L)
	if err != nil {
		return nil, err
	}
	raised, ok := th.run(fn, values)
	switch {
	case t.unwinding():
		return nil, t.stopError()
	case !ok:
		return nil, t.host.taskError(raised, th.trace, t)
	}
	return th.results(), nil
}

// finish ends what the task started: children, coroutines, then its cleanups, last first. It returns the error of
// children that nobody joined, or of a cleanup, or why it was stopped before it could end its children.
func (t *Task) finish() error {
	failure := t.letBegin()
	t.stopCoroutines()
	t.endChildren()
	if err := t.unjoinedError(); failure == nil {
		failure = err
	}
	for len(t.cleanups) > 0 {
		last := len(t.cleanups) - 1
		fn := t.cleanups[last]
		t.cleanups = t.cleanups[:last]
		if err := t.host.cleanup(t, fn); err != nil && failure == nil {
			failure = err
		}
	}
	return failure
}

// letBegin gives those that the task spawned last their turn: a task runs until it waits for the first time, unless
// it is stopped on purpose. It returns why the task was stopped meanwhile.
func (t *Task) letBegin() error {
	if !t.spawned || t.err != nil || t.ctx.Err() != nil || !t.host.lock.contended() {
		return nil
	}
	t.host.turn(t.wake)
	if t.ctx.Err() != nil {
		return t.stopError()
	}
	return nil
}

// endChildren stops the children and waits for them, without the lock. A child whose function has ended does the same
// with its own.
func (t *Task) endChildren() {
	for {
		t.mu.Lock()
		var child *Task
		for child = range t.children {
			break
		}
		t.mu.Unlock()
		if child == nil {
			return
		}
		if !child.unwound.Load() {
			child.Stop(errParentEnded)
		}
		t.host.unlocked(t.wake, func() {
			select {
			case <-child.done:
			case <-child.lost:
			}
		})
		t.mu.Lock()
		delete(t.children, child)
		t.mu.Unlock()
	}
}

var errParentEnded = errors.New("the task that spawned it has ended")

func (t *Task) isDone() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

// watch runs fn, which must not wait, when the task has ended; at once if it has.
func (t *Task) watch(fn func()) {
	t.mu.Lock()
	if !t.isDone() {
		t.watchers = append(t.watchers, fn)
		t.mu.Unlock()
		return
	}
	t.mu.Unlock()
	fn()
}

// announce tells everybody that the task has ended.
func (t *Task) announce() {
	t.mu.Lock()
	close(t.done)
	watchers := t.watchers
	t.watchers = nil
	t.mu.Unlock()
	for _, fn := range watchers {
		fn()
	}
}

// settle stops timers and leaves the parent.
func (t *Task) settle() {
	t.settled = true
	t.mu.Lock()
	if t.timer != nil {
		t.timer.Stop()
	}
	if t.fatal != nil {
		t.results, t.err = nil, t.fatal
	}
	t.mu.Unlock()
	t.cancel(nil)
	t.leave()
}

// stopError is what a stopped task ends with, and what its blocking calls return.
func (t *Task) stopError() error {
	cause := context.Cause(t.ctx)
	if cause == nil {
		cause = ErrStopped
	}
	e := &Error{Kind: KindCancelled, Cause: cause, Where: t.stopTrace.place(), Trace: t.stopTrace.text()}
	var own *Error
	var exit *ExitError
	switch {
	case errors.As(cause, &exit):
		return exit
	case errors.As(cause, &own):
		e.Kind, e.Message, e.Hint = own.Kind, own.Message, own.Hint
	case errors.Is(cause, context.DeadlineExceeded):
		e.Kind, e.Message = KindTimeout, "the deadline passed"
	case errors.Is(cause, context.Canceled):
		e.Message = ErrStopped.Error()
	default:
		e.Message = cause.Error()
	}
	return e
}
