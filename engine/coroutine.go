package engine

import (
	"iter"

	lua "github.com/yuin/gopher-lua"
)

// coroutine is a Lua coroutine: a goroutine that iter.Pull switches to and from, so a yield crosses every Go function
// between it and the resume. It belongs to the task that created it and ends with that task.
type coroutine struct {
	t      *thread
	owner  *Task
	fn     lua.LValue
	status string // suspended, running, normal, dead
	next   func() ([]lua.LValue, bool)
	stop   func()
	yield  func([]lua.LValue) bool

	in     []lua.LValue // what the resume passes
	out    []lua.LValue // what the function returned
	raised lua.LValue   // what ended it, or nil
}

func (h *Host) openCoroutine(globals *lua.LTable) {
	table := h.base.NewTable()
	h.addLibrary(table, map[string]Function{
		"create": func(c *Call) error {
			co, err := newCoroutine(c)
			if err != nil {
				return err
			}
			return c.Return(co.t.L)
		},
		"wrap":    h.wrapCoroutine,
		"status":  func(c *Call) error { return c.Return(statusOf(c, c.coroutine(1))) },
		"running": runningCoroutine,
	})
	table.RawSetString("resume", h.base.NewFunction(resumeCoroutine))
	table.RawSetString("yield", h.base.NewFunction(yieldCoroutine))
	globals.RawSetString("coroutine", table)
}

func newCoroutine(c *Call) (*coroutine, error) {
	fn := c.Function(1)
	task := c.t.task
	if len(task.coroutines) >= c.t.host.options.MaxCoroutines {
		return nil, Errorf(KindLimit, "too many suspended coroutines (%d)", c.t.host.options.MaxCoroutines)
	}
	co := &coroutine{t: newThread(c.t.host), owner: task, fn: fn, status: "suspended"}
	co.t.co, co.t.kind, co.t.task = co, atCoroutine, task
	return co, nil
}

// coroutine reads argument n as a coroutine.
func (c *Call) coroutine(n int) *coroutine {
	if L, ok := c.Get(n).(*lua.LState); ok {
		if t := threadOf(L); t.co != nil {
			return t.co
		}
	}
	c.expected(n, "coroutine")
	return nil
}

func statusOf(_ *Call, co *coroutine) string { return co.status }

// current returns the coroutine that runs the thread, looking through protected calls.
func (t *thread) current() *coroutine {
	for ; t != nil; t = t.below {
		if t.co != nil {
			return t.co
		}
	}
	return nil
}

func runningCoroutine(c *Call) error {
	if co := c.t.current(); co != nil {
		return c.Return(co.t.L)
	}
	return c.Return(nil)
}

func resumeCoroutine(L *lua.LState) int {
	c := Call{l: L, t: threadOf(L), name: "resume", plain: true}
	co := c.coroutine(1)
	values, raised := co.resume(c.t, arguments(L, 2))
	if raised != nil {
		L.Push(lua.LFalse)
		L.Push(raised)
		return 2
	}
	L.Push(lua.LTrue)
	return pushAll(L, values) + 1
}

func (h *Host) wrapCoroutine(c *Call) error {
	co, err := newCoroutine(c)
	if err != nil {
		return err
	}
	return c.Return(lua.LGFunction(func(L *lua.LState) int {
		values, raised := co.resume(threadOf(L), arguments(L, 1))
		if raised != nil {
			threadOf(L).inner = co.t.trace
			L.Error(raised, 0)
		}
		return pushAll(L, values)
	}))
}

func arguments(L *lua.LState, first int) []lua.LValue {
	n := L.GetTop() - first + 1
	if n <= 0 {
		return nil
	}
	values := make([]lua.LValue, n)
	for i := range values {
		values[i] = L.Get(first + i)
	}
	return values
}

func pushAll(L *lua.LState, values []lua.LValue) int {
	for _, v := range values {
		L.Push(v)
	}
	return len(values)
}

// resume runs the coroutine until it yields or ends.
func (co *coroutine) resume(from *thread, args []lua.LValue) (values []lua.LValue, raised lua.LValue) {
	if co.status != "suspended" {
		return nil, lua.LString("cannot resume " + map[string]string{"dead": "dead", "running": "running", "normal": "normal"}[co.status] + " coroutine")
	}
	if from.depth >= maxNesting {
		return nil, lua.LString("stack overflow (too many coroutines inside each other)")
	}
	if co.next == nil {
		co.next, co.stop = iter.Pull(co.body)
		if co.owner.coroutines == nil {
			co.owner.coroutines = map[*coroutine]struct{}{}
		}
		co.owner.coroutines[co] = struct{}{}
	}
	outer := from.current()
	if outer != nil {
		outer.status = "normal"
	}
	co.t.below, co.t.depth, co.t.task = from, from.depth+1, from.task
	co.status, co.in = "running", args
	yielded, ok := co.next()
	co.t.below = nil
	if outer != nil {
		outer.status = "running"
	}
	if ok {
		co.status = "suspended"
		return yielded, nil
	}
	delete(co.owner.coroutines, co)
	co.status = "dead"
	if from.task.unwinding() {
		unwind(from.L)
	}
	return co.out, co.raised
}

// body is the coroutine's goroutine.
func (co *coroutine) body(yield func([]lua.LValue) bool) {
	co.yield = yield
	raised, ok := co.t.run(co.fn, co.in)
	if !ok {
		co.raised = raised
		return
	}
	co.out = co.t.results()
}

func yieldCoroutine(L *lua.LState) int {
	t := threadOf(L)
	co := t.current()
	if co == nil {
		raiseText(L, "attempt to yield from outside a coroutine")
	}
	if !co.yield(arguments(L, 1)) {
		co.t.task = stoppedTask
		t.task = stoppedTask
		unwind(L)
	}
	for below := t; below != co.t; below = below.below {
		below.task = co.t.task // another task may have resumed it
	}
	return pushAll(L, co.in)
}

// stoppedTask is the task of coroutines that are being ended: everything in them unwinds.
var stoppedTask = func() *Task {
	t := bareTask(nil, "an ended coroutine")
	t.Kill()
	return t
}()

// stopCoroutines ends those that are still suspended, so that their goroutines end.
func (t *Task) stopCoroutines() {
	for co := range t.coroutines {
		delete(t.coroutines, co)
		if co.status == "suspended" {
			co.status = "dead"
			co.stop()
		}
	}
}
