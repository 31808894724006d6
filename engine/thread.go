package engine

import (
	"time"

	lua "github.com/yuin/gopher-lua"
)

// quantum is how many instructions a thread runs between two looks at whether its task was stopped: some tens of
// microseconds.
const quantum = 1000

// maxNesting caps Lua threads that run one inside the other (protected calls, callbacks, coroutines), as C Lua caps
// nested C calls at 200.
const maxNesting = 190

// boundary says what runs a thread, and so what happens to an error raised in it.
type boundary int

const (
	atTask      boundary = iota // the function of a task
	atProtected                 // pcall
	atHandled                   // xpcall
	atCallback                  // Go code that calls Lua
	atCoroutine                 // a coroutine's function
)

// thread is a Lua thread and what the host knows of it. It is the context of its Lua state, which is how a Go
// function finds it, and its Done method is what stops Lua code: the VM calls it before every instruction.
type thread struct {
	L    *lua.LState
	host *Host
	task *Task

	below   *thread // the thread that runs this one
	depth   int
	kind    boundary
	handler lua.LValue // of xpcall
	co      *coroutine

	left    int  // instructions until the next look
	raised  bool // an error is on its way out
	spoiled bool // not to be used again
	trace   *trace
	inner   *trace // of the error that is about to be raised, when it was first raised elsewhere
}

func newThread(h *Host) *thread {
	L, _ := h.base.NewThread()
	t := &thread{L: L, host: h, left: quantum}
	L.SetContext(t)
	return t
}

// threadOf returns the host's side of a Lua thread.
func threadOf(L *lua.LState) *thread { return L.Context().(*thread) }

// borrow takes a thread from the pool for use inside the given one, which may be nil.
func (h *Host) borrow(below *thread, task *Task, kind boundary) *thread {
	var t *thread
	if n := len(h.pool); n > 0 {
		t = h.pool[n-1]
		h.pool = h.pool[:n-1]
	} else {
		t = newThread(h)
	}
	t.below, t.task, t.kind = below, task, kind
	t.depth = 0
	if below != nil {
		t.depth = below.depth + 1
	}
	return t
}

// giveBack returns a thread to the pool, unless it may still be referred to.
func (h *Host) giveBack(t *thread) {
	if t.spoiled || len(h.pool) >= 64 {
		return
	}
	t.L.SetTop(0)
	t.below, t.task, t.handler, t.trace, t.inner, t.raised = nil, nil, nil, nil, nil, false
	h.pool = append(h.pool, t)
}

// Done is called by the VM before each instruction.
func (t *thread) Done() <-chan struct{} {
	t.left--
	if t.left > 0 {
		return nil
	}
	return t.look()
}

// look returns a closed channel when the thread has to stop.
func (t *thread) look() <-chan struct{} {
	t.left = quantum
	if t.task.asked.Load() && t.task.asked.Swap(false) {
		t.host.watch.report(t.task, scriptPlace(t.L), t.host.watch.taken.Load())
	}
	if t.host.spent(quantum, t) || t.task.unwinding() {
		return closedChannel
	}
	return nil
}

// Err is the text with which the VM raises the stop; nothing shows it.
func (t *thread) Err() error { return errStopped }

// Deadline reports that there is none: deadlines are the task's.
func (t *thread) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value returns nil.
func (t *thread) Value(any) any { return nil }

var closedChannel = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()
