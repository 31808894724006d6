package engine

import (
	"fmt"
	"runtime/debug"

	lua "github.com/yuin/gopher-lua"
)

// run calls a function on this thread, which holds nothing else, and reports whether it succeeded. The results are
// the thread's whole stack; a raised value is returned.
//
// This is the one use of the stock protected call. On an empty thread it is sound: the variables it closes are those
// of functions that end with the error, and it puts the thread back in order.
func (t *thread) run(fn lua.LValue, args []lua.LValue) (raised lua.LValue, ok bool) {
	t.raised = false
	t.L.Push(t.host.trampoline)
	t.L.Push(fn)
	for _, arg := range args {
		t.L.Push(arg)
	}
	return t.runPushed(len(args))
}

// runPushed is run for a trampoline, function and arguments that are on the stack already.
func (t *thread) runPushed(nargs int) (raised lua.LValue, ok bool) {
	if err := t.L.PCall(nargs+1, lua.MultRet, nil); err != nil {
		if api, isAPI := err.(*lua.ApiError); isAPI && api.Object != nil {
			return api.Object, false
		}
		return lua.LString(err.Error()), false
	}
	return nil, true
}

// results returns what the function left on the thread.
func (t *thread) results() []lua.LValue {
	n := t.L.GetTop()
	values := make([]lua.LValue, n)
	for i := range values {
		values[i] = t.L.Get(i + 1)
	}
	return values
}

// startThread is the first function on every thread: it sees errors where they are raised, before the stack is gone,
// and turns Go panics into errors.
func startThread(L *lua.LState) int {
	t := threadOf(L)
	L.Panic = panicked
	done := false
	defer func() {
		if done || t.raised {
			return
		}
		t.spoiled = true
		r := recover()
		if r == nil {
			return // the goroutine is ending
		}
		if text, ok := r.(string); ok && text == "lua callstack overflow" {
			L.RaiseError("stack overflow")
		}
		if api, ok := r.(*lua.ApiError); ok {
			panic(api)
		}
		t.task.fail(&Error{
			Kind: KindInternal, Message: fmt.Sprintf("internal error: %v", r), Where: scriptPlace(L),
			Hint:   "this is a fault of the host, not of the script; please report it with the Go stack",
			Fields: map[string]any{"go_stack": string(debug.Stack())},
		})
		L.RaiseError("internal error")
	}()
	if !callable(L, L.Get(1)) {
		L.Error(lua.LString("attempt to call a "+typeName(L.Get(1))+" value"), 0)
	}
	L.Call(L.GetTop()-1, lua.MultRet)
	done = true
	return L.GetTop()
}

// callable says whether the VM can call a value.
func callable(L *lua.LState, v lua.LValue) bool {
	if _, ok := v.(*lua.LFunction); ok {
		return true
	}
	_, ok := L.GetMetaField(v, "__call").(*lua.LFunction)
	return ok
}

// panicked is called by the VM with the error value on top of the stack.
func panicked(L *lua.LState) {
	t := threadOf(L)
	value := L.Get(-1)
	t.raised = true
	if !t.task.unwinding() {
		value = t.atRaise(t.reword(value))
	} else if t.task.stopTrace == nil && t.task != stoppedTask {
		t.task.stopTrace = captureTrace(L)
	}
	panic(&lua.ApiError{Type: lua.ApiErrorRun, Object: value, StackTrace: "-"})
}

// atRaise does what the thread's boundary wants done while the stack is still there.
func (t *thread) atRaise(value lua.LValue) lua.LValue {
	switch t.kind {
	case atHandled:
		return t.handle(value)
	case atTask, atCallback, atCoroutine:
		if t.trace = t.inner; t.trace == nil {
			t.trace = captureTrace(t.L)
		}
	}
	t.inner = nil
	return value
}

// handle runs the handler of xpcall.
func (t *thread) handle(value lua.LValue) lua.LValue {
	handler := t.host.borrow(t, t.task, atProtected)
	if handler.depth > maxNesting+10 {
		return lua.LString("error in error handling")
	}
	defer t.host.giveBack(handler)
	if _, ok := handler.run(t.handler, []lua.LValue{value}); !ok {
		return lua.LString("error in error handling")
	}
	if handler.L.GetTop() == 0 {
		return lua.LNil
	}
	return handler.L.Get(1)
}

// unwind raises the stop again at a boundary that would otherwise have caught it.
func unwind(L *lua.LState) {
	L.Error(lua.LString(errStopped.Error()), 0)
}

// protectedCall is pcall.
func protectedCall(L *lua.LState) int {
	if L.GetTop() == 0 {
		raiseText(L, "bad argument #1 to 'pcall' (value expected)")
	}
	return protected(L, atProtected, lua.LNil, 1)
}

// handledCall is xpcall; as in Lua 5.2, further arguments go to the function.
func handledCall(L *lua.LState) int {
	if L.GetTop() < 2 {
		raiseText(L, "bad argument #2 to 'xpcall' (value expected)")
	}
	handler := L.Get(2)
	L.Remove(2)
	return protected(L, atHandled, handler, 1)
}

// protected calls the value at index first with the arguments above it.
func protected(L *lua.LState, kind boundary, handler lua.LValue, first int) int {
	from := threadOf(L)
	top := L.GetTop()
	t := from.host.borrow(from, from.task, kind)
	if t.depth > maxNesting {
		from.host.giveBack(t)
		L.Push(lua.LFalse)
		L.Push(lua.LString("stack overflow (too many protected calls inside each other)"))
		return 2
	}
	t.handler = handler
	t.L.Push(from.host.trampoline)
	for i := first; i <= top; i++ {
		t.L.Push(L.Get(i))
	}
	raised, ok := t.runPushed(top - first)
	if !ok {
		from.host.giveBack(t)
		if from.task.unwinding() {
			unwind(L)
		}
		L.Push(lua.LFalse)
		L.Push(raised)
		return 2
	}
	n := t.L.GetTop()
	L.Push(lua.LTrue)
	for i := 1; i <= n; i++ {
		L.Push(t.L.Get(i))
	}
	from.host.giveBack(t)
	return n + 1
}

// call runs a Lua function for Go code and returns what it returned.
func (t *thread) call(fn lua.LValue, args []lua.LValue) ([]lua.LValue, error) {
	inner := t.host.borrow(t, t.task, atCallback)
	defer t.host.giveBack(inner)
	if inner.depth > maxNesting {
		return nil, Errorf(KindLimit, "stack overflow (too many calls inside each other)")
	}
	raised, ok := inner.run(fn, args)
	if ok {
		return inner.results(), nil
	}
	if t.task.unwinding() {
		return nil, errStopped
	}
	return nil, t.host.errorOf(raised, inner.trace)
}
