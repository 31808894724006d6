package engine

import (
	"fmt"
	"reflect"

	lua "github.com/yuin/gopher-lua"
)

// frame is one function call on the script's stack, whichever Lua thread it is on.
type frame struct {
	t   *thread
	dbg *lua.Debug
	fn  *lua.LFunction
}

// frameAt returns a frame by its level: 0 runs, 1 called it, and so on through the threads below. The function with
// which the host starts each thread does not count.
func frameAt(L *lua.LState, level int) (frame, bool) {
	for t := threadOf(L); t != nil; t = t.below {
		for own := 0; ; own++ {
			dbg, ok := t.L.GetStack(own)
			if !ok {
				break
			}
			value, err := t.L.GetInfo("nSlf", dbg, lua.LNil)
			fn, _ := value.(*lua.LFunction)
			if err != nil || fn == nil || fn == t.host.trampoline {
				break
			}
			if level == 0 {
				return frame{t: t, dbg: dbg, fn: fn}, true
			}
			level--
		}
	}
	return frame{}, false
}

// placeAt returns "file:line: " of a level, empty when it is no Lua function. For a function of the library it is that of
// the script that called it.
func placeAt(L *lua.LState, level int) string {
	f, ok := frameAt(L, level)
	if !ok || f.fn.IsG {
		return ""
	}
	if isLibrary(f.dbg.Source) {
		if place := scriptPlace(L); place != "" {
			return place + ": "
		}
		return ""
	}
	return f.place() + ": "
}

// place is "file:line" of a Lua function's frame, also of one of the library.
func (f frame) place() string { return fmt.Sprintf("%s:%d", f.dbg.Source, f.dbg.CurrentLine) }

// functionAt returns the function of a level.
func functionAt(L *lua.LState, level int) *lua.LFunction {
	f, ok := frameAt(L, level)
	if !ok {
		return nil
	}
	return f.fn
}

// pc returns the index of the instruction that a frame executes. The library keeps it to itself; reflection reads it.
func (f frame) pc() int {
	inner := reflect.ValueOf(f.dbg).Elem().FieldByName("frame")
	if !inner.IsValid() || inner.IsNil() {
		return -1
	}
	field := inner.Elem().FieldByName("Pc")
	if !field.IsValid() {
		return -1
	}
	return int(field.Int()) - 1
}

// register returns the value of a register of a Lua function's frame.
func (f frame) register(n int) lua.LValue {
	_, v := f.t.L.GetLocal(f.dbg, n+1)
	return v
}
