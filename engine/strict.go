package engine

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"
)

// makeStrict makes reading a global that nothing has assigned an error: it is most often a misspelt name. rawget(_G,
// name) asks without one.
func (h *Host) makeStrict(globals *lua.LTable) {
	declared := map[string]bool{}
	meta := h.base.NewTable()
	meta.RawSetString("__newindex", h.base.NewFunction(func(L *lua.LState) int {
		if name, ok := L.Get(2).(lua.LString); ok {
			declared[string(name)] = true
		}
		globals.RawSet(L.Get(2), L.Get(3))
		return 0
	}))
	meta.RawSetString("__index", h.base.NewFunction(func(L *lua.LState) int {
		name, ok := L.Get(2).(lua.LString)
		if !ok || declared[string(name)] {
			return 0
		}
		e := &Error{Kind: "global", Message: fmt.Sprintf("there is no global '%s'", name)}
		if near := Nearest(string(name), globalNames(globals)); near != "" {
			e.Hint = fmt.Sprintf("did you mean '%s'?", near)
			e.Message += "; " + e.Hint
		} else {
			e.Hint = fmt.Sprintf("assign it first, or ask with rawget(_G, %q)", string(name))
		}
		threadOf(L).raise(e)
		return 0
	}))
	globals.Metatable = meta
}

func globalNames(globals *lua.LTable) []string {
	var names []string
	globals.ForEach(func(key, _ lua.LValue) {
		if name, ok := key.(lua.LString); ok {
			names = append(names, string(name))
		}
	})
	return names
}
