package engine

import (
	"context"
	"errors"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Call is one call of a [Function] from Lua. It is valid until the function returns, for the goroutine that got it.
//
// The argument readers (String, Int, Options and so on, in arguments.go) raise a Lua error that names function,
// argument and expected type; they do not return then, so deferred functions are the way to tidy up.
type Call struct {
	l        *lua.LState
	t        *thread
	name     string
	shift    int // 1 for methods: arguments count from after the object
	self     any
	returned int
	plain    bool // a function of the language's own libraries: it raises strings
}

// wrap makes a Lua function of a Go function.
func (h *Host) wrap(name string, fn Function) lua.LGFunction {
	return func(L *lua.LState) int {
		c := Call{l: L, t: threadOf(L), name: name}
		return c.run(fn)
	}
}

func (c *Call) run(fn Function) int {
	outer := c.t.task.calling.Swap(&c.name)
	err := fn(c)
	c.t.task.calling.Store(outer)
	if c.t.task.unwinding() {
		unwind(c.l)
	}
	if err != nil {
		c.Raise(err)
	}
	return c.returned
}

// Raise raises an error as an error object and does not return.
func (c *Call) Raise(err error) {
	if e := c.withColon(err); e != nil {
		err = e
	}
	value := c.t.host.errorValue(c.l, err)
	c.t.inner = stackOf(err)
	c.l.Error(value, 0)
}

// withColon is the error of a call that failed because a module's function was called like a method, nil for others: it
// got the module as its first argument.
func (c *Call) withColon(err error) error {
	dot := strings.LastIndexByte(c.name, '.')
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Kind != KindUsage || c.plain || dot < 0 || c.Get(1) == lua.LNil || c.Get(1) != c.t.host.loaded.RawGetString(c.name[:dot]) {
		return nil
	}
	return &Error{
		Kind: KindUsage, Message: "'" + c.name + "' takes no object, it is called with a dot", Cause: err,
		Hint: "write " + c.name + "(...)",
	}
}

// L is the Lua thread that calls. Blocking while using it directly blocks every task.
func (c *Call) L() *lua.LState { return c.l }

// Host is the host that runs the call.
func (c *Call) Host() *Host { return c.t.host }

// Task is the task that calls.
func (c *Call) Task() *Task { return c.t.task }

// Context ends when the task is stopped softly.
func (c *Call) Context() context.Context { return c.t.task.ctx }

// Name is the function's name as error messages show it.
func (c *Call) Name() string { return c.name }

// Where is the position in the script that called, as "file:line".
func (c *Call) Where() string { return scriptPlace(c.l) }

// Block releases the lock, runs fn, and takes the lock again, also when fn panics. fn must not touch Lua values and
// must return soon after its context ends; that is the task's context. When the task was stopped while fn waited and
// fn failed because of it, the error is the stop's own, of kind cancelled or timeout.
func (c *Call) Block(fn func(ctx context.Context) error) error {
	task := c.t.task
	if task.unwinding() {
		return errStopped
	}
	var err error
	c.t.host.unlocked(task.wake, func() {
		err = fn(task.ctx)
		task.queued.Store(true)
	})
	task.queued.Store(false)
	if task.ctx.Err() != nil {
		c.t.left = 0 // look at once whether this is a hard stop
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || err != nil && errors.Is(err, context.Cause(task.ctx)) {
			return task.stopError()
		}
	}
	return err
}

// Join waits for a task, without the lock.
func (c *Call) Join(t *Task) ([]lua.LValue, error) {
	t.joined.Store(true)
	var results []lua.LValue
	var failure error
	err := c.Block(func(ctx context.Context) error {
		c.t.task.queued.Store(true) // behind the other task, which ends or is given up itself
		select {
		case <-t.done:
			results, failure = t.results, t.err
			return nil
		case <-t.lost:
			return t.lostError()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	if err != nil {
		return nil, err
	}
	if stack := stackOf(failure); stack != nil {
		here := captureTrace(c.l)
		failure = withStack(failure, &trace{frames: append(slices.Clone(stack.frames), here.frames...)})
	}
	return results, failure
}

// Call calls a Lua function and returns its results. What it raises comes back as an error; returning that error
// raises the same value again. While it runs other tasks may run, if it blocks.
func (c *Call) Call(fn lua.LValue, args ...any) ([]lua.LValue, error) {
	values, err := fromGoAll(c.l, args)
	if err != nil {
		return nil, err
	}
	return c.t.call(fn, values)
}

// Spawn starts a function as a task. It is a child of the calling task and ends with it at the latest, unless it is
// detached.
func (c *Call) Spawn(name string, detached bool, fn lua.LValue, args ...any) (*Task, error) {
	parent := c.t.task
	if detached {
		parent = nil
	}
	values, err := fromGoAll(c.l, args)
	if err != nil {
		return nil, err
	}
	ready := make([]any, len(values))
	for i, v := range values {
		ready[i] = v
	}
	t, err := c.t.host.spawn(context.Background(), parent, name, scriptPlace(c.l), func() lua.LValue { return fn }, ready)
	if err == nil {
		c.t.task.spawned, t.typed, t.tell = true, c.t.task.typed, c.t.task.tell
		t.loose.Store(detached)
	}
	return t, err
}

// Defer runs a Lua function when the task has ended, whatever happened, after those deferred later.
func (c *Call) Defer(fn lua.LValue) { c.t.task.cleanups = append(c.t.task.cleanups, fn) }

// Return sets the results, converted as by [FromGo]; a function that does not call it returns nothing. The idiom is
//
//	return c.Return(name, size)
func (c *Call) Return(values ...any) error {
	converted, err := fromGoAll(c.l, values)
	if err != nil {
		return err
	}
	for _, v := range converted {
		c.l.Push(v)
	}
	c.returned = len(converted)
	return nil
}
