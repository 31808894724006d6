package engine

import (
	"errors"

	lua "github.com/yuin/gopher-lua"
)

// raisedError is what an error object holds: the Go error, untouched, and where in the script it was raised.
type raisedError struct {
	err   error
	where string
}

func (r *raisedError) place() string {
	var own *Error
	if errors.As(r.err, &own) && own.Where != "" {
		return own.Where
	}
	return r.where
}

func (r *raisedError) text() string {
	message := errorMessage(r.err)
	if place := r.place(); place != "" {
		return place + ": " + message
	}
	return message
}

// objectError is the Go side of an error object on its way through Go code: returning it from a [Function] raises
// the same object again.
type objectError struct {
	object *lua.LUserData
	raised *raisedError
	stack  *trace
}

func (e *objectError) Error() string { return e.raised.text() }
func (e *objectError) Unwrap() error { return e.raised.err }

// ErrorKind, ErrorHint and ErrorFields let the object show through without a search.
func (e *objectError) ErrorKind() string { return errorKind(e.raised.err) }

// errorValue returns the Lua value for a Go error: the object it came from, or a new one.
func (h *Host) errorValue(L *lua.LState, err error) lua.LValue {
	if from, ok := err.(*objectError); ok {
		return from.object
	}
	if own, ok := err.(*Error); ok && own.Value != nil {
		return own.Value
	}
	raised := &raisedError{err: err}
	var own *Error
	if !errors.As(err, &own) || own.Where == "" {
		raised.where = scriptPlace(L)
	}
	return &lua.LUserData{Value: raised, Env: h.base.Env, Metatable: h.errorMeta}
}

// asRaised returns what an error object holds.
func asRaised(v lua.LValue) (*raisedError, bool) {
	ud, ok := v.(*lua.LUserData)
	if !ok {
		return nil, false
	}
	raised, ok := ud.Value.(*raisedError)
	return raised, ok
}

// errorOf turns a raised Lua value into a Go error.
func (h *Host) errorOf(v lua.LValue, tr *trace) error {
	if raised, ok := asRaised(v); ok {
		return &objectError{object: v.(*lua.LUserData), raised: raised, stack: tr}
	}
	e := &Error{Kind: KindError, Value: v, Trace: tr.text(), stack: tr}
	switch s := v.(type) {
	case lua.LString:
		e.Where, e.Message = splitPlace(string(s))
	case lua.LNumber:
		e.Message = s.String()
	default:
		e.Message = "(error object is a " + typeName(v) + " value)"
		if text, ok := h.plainText(v); ok {
			e.Message = text
		}
		e.Where = tr.place()
	}
	return e
}

// newErrorMeta makes the metatable of error objects: fields, a useful text, and nothing to break.
func (h *Host) newErrorMeta() *lua.LTable {
	meta := h.base.NewTable()
	meta.RawSetString("__metatable", lua.LString("error"))
	meta.RawSetString("__name", lua.LString("error"))
	meta.RawSetString("__index", h.base.NewFunction(errorIndex))
	meta.RawSetString("__tostring", h.base.NewFunction(func(L *lua.LState) int {
		if raised, ok := asRaised(L.Get(1)); ok {
			L.Push(lua.LString(raised.text()))
			return 1
		}
		return 0
	}))
	meta.RawSetString("__concat", h.base.NewFunction(func(L *lua.LState) int {
		text := ""
		for i := 1; i <= 2; i++ {
			if raised, ok := asRaised(L.Get(i)); ok {
				text += raised.text()
			} else if lua.LVCanConvToString(L.Get(i)) {
				text += lua.LVAsString(L.Get(i))
			} else {
				L.RaiseError("attempt to concatenate a %s value", typeName(L.Get(i)))
			}
		}
		L.Push(lua.LString(text))
		return 1
	}))
	return meta
}

func errorIndex(L *lua.LState) int {
	raised, ok := asRaised(L.Get(1))
	if !ok {
		return 0
	}
	name := lua.LVAsString(L.Get(2))
	var value any
	switch name {
	case "kind":
		value = errorKind(raised.err)
	case "message":
		value = errorMessage(raised.err)
	case "hint":
		if hint := errorHint(raised.err); hint != "" {
			value = hint
		}
	case "where":
		if place := raised.place(); place != "" {
			value = place
		}
	default:
		var own bool
		if value, own = errorField(raised.err, name); !own {
			L.Push(textMethod(L, name))
			return 1
		}
	}
	lv, err := FromGo(L, value)
	if err != nil {
		L.RaiseError("cannot read field %q of the error: %v", name, err)
	}
	L.Push(lv)
	return 1
}

// textMethod makes an error object answer the methods of a string, on its text: scripts are used to errors that are
// strings and write err:match("...").
func textMethod(L *lua.LState, name string) lua.LValue {
	library, ok := threadOf(L).host.loaded.RawGetString("string").(*lua.LTable)
	if !ok {
		return lua.LNil
	}
	method, ok := library.RawGetString(name).(*lua.LFunction)
	if !ok {
		return lua.LNil
	}
	return L.NewFunction(func(L *lua.LState) int {
		if raised, ok := asRaised(L.Get(1)); ok {
			L.Replace(1, lua.LString(raised.text()))
		}
		return method.GFunction(L)
	})
}

// stackOf is the stack with which an error was first raised, if the error still has it.
func stackOf(err error) *trace {
	switch e := err.(type) {
	case *Error:
		return e.stack
	case *objectError:
		return e.stack
	}
	return nil
}

// withStack is the same error with a longer stack.
func withStack(err error, stack *trace) error {
	switch e := err.(type) {
	case *Error:
		longer := *e
		longer.stack, longer.Trace = stack, stack.text()
		return &longer
	case *objectError:
		return &objectError{object: e.object, raised: e.raised, stack: stack}
	}
	return err
}
