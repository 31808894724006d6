package engine

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// openDebug adds the parts of debug that look and do not touch.
func (h *Host) openDebug(globals *lua.LTable) {
	table := h.base.NewTable()
	h.addLibrary(table, map[string]Function{
		"traceback": debugTraceback,
		"getinfo":   debugInfo,
		"getlocal":  debugLocal,
		"getupvalue": func(c *Call) error {
			name, value := c.l.GetUpvalue(c.Function(1), c.truncated(2))
			if name == "" {
				return nil
			}
			return c.Return(name, value)
		},
	})
	globals.RawSetString("debug", table)
}

// debugTraceback is traceback([thread,] [message [, level]]).
func debugTraceback(c *Call) error {
	L, first := c.l, 1
	if other, ok := c.Get(1).(*lua.LState); ok {
		L, first = other, 2
	}
	if v := c.Get(first); v != lua.LNil && !lua.LVCanConvToString(v) {
		return c.Return(v)
	}
	var lines []string
	if c.Has(first) {
		lines = append(lines, c.String(first))
	}
	lines = append(lines, "stack traceback:")
	level := 0
	if L == c.l {
		level = 1
	}
	t := captureTrace(L)
	if dead := threadOf(L).co; dead != nil && dead.status == "dead" && threadOf(L).trace != nil {
		t = threadOf(L).trace
	}
	for i, frame := range t.frames {
		if i >= c.optTruncated(first+1, level) {
			lines = append(lines, "\t"+frame)
		}
	}
	return c.Return(strings.Join(lines, "\n"))
}

func debugInfo(c *Call) error {
	info := c.l.NewTable()
	var fn *lua.LFunction
	if given, ok := c.Get(1).(*lua.LFunction); ok {
		fn = given
	} else {
		f, ok := frameAt(c.l, c.truncated(1))
		if !ok {
			return c.Return(nil)
		}
		fn = f.fn
		info.RawSetString("currentline", lua.LNumber(f.dbg.CurrentLine))
		if f.dbg.Name != "?" && !strings.HasPrefix(f.dbg.Name, "<") && !strings.HasPrefix(f.dbg.Name, "(") {
			info.RawSetString("name", lua.LString(f.dbg.Name))
		}
	}
	info.RawSetString("func", fn)
	what, source, first, last := "C", "=[C]", -1, -1
	if !fn.IsG {
		what, source, first, last = "Lua", "@"+fn.Proto.SourceName, fn.Proto.LineDefined, fn.Proto.LastLineDefined
		if first == 0 {
			what = "main"
		}
		info.RawSetString("nups", lua.LNumber(fn.Proto.NumUpvalues))
	}
	info.RawSetString("what", lua.LString(what))
	info.RawSetString("source", lua.LString(source))
	info.RawSetString("short_src", lua.LString(strings.TrimLeft(source, "@=")))
	info.RawSetString("linedefined", lua.LNumber(first))
	info.RawSetString("lastlinedefined", lua.LNumber(last))
	return c.Return(info)
}

func debugLocal(c *Call) error {
	f, ok := frameAt(c.l, c.truncated(1))
	if !ok {
		c.BadArgument(1, "level out of range")
	}
	name, value := f.t.L.GetLocal(f.dbg, c.truncated(2))
	if name == "" {
		return nil
	}
	return c.Return(name, value)
}

// Traceback is the script's stack at a call, for reports.
func (c *Call) Traceback() string { return fmt.Sprint(captureTrace(c.l).text()) }
