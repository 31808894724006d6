package engine

import (
	"os"
	"runtime"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

func (h *Host) openBase(globals *lua.LTable) {
	L := h.base
	globals.RawSetString("_G", globals)
	globals.RawSetString("_VERSION", lua.LString("Lua 5.1"))
	h.addLibrary(globals, map[string]Function{
		"assert":         assert,
		"collectgarbage": collectGarbage,
		"dofile":         h.doFile,
		"error":          raiseError,
		"getfenv":        getEnvironment,
		"getmetatable":   getMetatable,
		"load":           h.loadChunk,
		"loadfile":       h.loadFile,
		"loadstring":     h.loadString,
		"print":          h.print,
		"rawequal":       func(c *Call) error { return c.Return(c.l.RawEqual(c.any(1), c.any(2))) },
		"rawget":         func(c *Call) error { return c.Return(c.Table(1).RawGet(c.any(2))) },
		"rawset":         rawSet,
		"require":        h.require,
		"setfenv":        setEnvironment,
		"setmetatable":   setMetatable,
		"tonumber":       convertToNumber,
		"tostring":       convertToString,
		"unpack":         unpack,
	})
	// These run often and need nothing of a Call.
	next := L.NewFunction(nextPair)
	nextIndex := L.NewFunction(nextElement)
	for name, fn := range map[string]lua.LGFunction{
		"pcall": protectedCall, "xpcall": handledCall, "select": selectArguments, "type": typeOfValue,
		"pairs": func(L *lua.LState) int {
			t := tableArgument(L, "pairs")
			L.Push(next)
			L.Push(t)
			L.Push(lua.LNil)
			return 3
		},
		"ipairs": func(L *lua.LState) int {
			t := tableArgument(L, "ipairs")
			L.Push(nextIndex)
			L.Push(t)
			L.Push(lua.LNumber(0))
			return 3
		},
	} {
		globals.RawSetString(name, L.NewFunction(fn))
	}
	globals.RawSetString("next", next)
}

// addLibrary adds functions of the language's own libraries: their errors are strings, as in Lua.
func (h *Host) addLibrary(table *lua.LTable, functions map[string]Function) {
	for name, fn := range functions {
		table.RawSetString(name, h.base.NewFunction(func(L *lua.LState) int {
			c := Call{l: L, t: threadOf(L), name: name, plain: true}
			return c.run(fn)
		}))
	}
}

func tableArgument(L *lua.LState, name string) *lua.LTable {
	t, ok := L.Get(1).(*lua.LTable)
	if !ok {
		c := Call{l: L, t: threadOf(L), name: name, plain: true}
		c.expected(1, "table")
	}
	return t
}

func nextPair(L *lua.LState) int {
	key, value := tableArgument(L, "next").Next(L.Get(2))
	if key == lua.LNil {
		L.Push(lua.LNil)
		return 1
	}
	L.Push(key)
	L.Push(value)
	return 2
}

func nextElement(L *lua.LState) int {
	t := tableArgument(L, "ipairs")
	i, _ := L.Get(2).(lua.LNumber)
	i++
	v := t.RawGet(i)
	if v == lua.LNil {
		return 0
	}
	L.Push(i)
	L.Push(v)
	return 2
}

func typeOfValue(L *lua.LState) int {
	if L.GetTop() == 0 {
		c := Call{l: L, t: threadOf(L), name: "type", plain: true}
		c.any(1)
	}
	L.Push(lua.LString(L.Get(1).Type().String()))
	return 1
}

func selectArguments(L *lua.LState) int {
	n := L.GetTop()
	if L.Get(1) == lua.LString("#") {
		L.Push(lua.LNumber(n - 1))
		return 1
	}
	c := Call{l: L, t: threadOf(L), name: "select", plain: true}
	i := c.truncated(1)
	if i < 0 {
		i += n
	} else if i > n {
		i = n
	}
	if i < 1 {
		c.BadArgument(1, "index out of range")
	}
	return n - i
}

func assert(c *Call) error {
	if lua.LVAsBool(c.any(1)) {
		c.returned = c.Len() // they are on the stack already
		return nil
	}
	message := c.Get(2)
	if c.Len() < 2 || message == lua.LNil {
		message = lua.LString("assertion failed!")
	}
	c.l.Error(message, 0)
	return nil
}

func raiseError(c *Call) error {
	value, level := c.Get(1), c.optTruncated(2, 1)
	if lua.LVCanConvToString(value) && level > 0 {
		value = lua.LString(placeAt(c.l, level) + operand(value))
	}
	c.l.Error(value, 0)
	return nil
}

func rawSet(c *Call) error {
	t := c.Table(1)
	key, value := c.any(2), c.any(3)
	if f, ok := key.(lua.LNumber); ok && f != f {
		return c.fail("table index is NaN")
	} else if key == lua.LNil {
		return c.fail("table index is nil")
	}
	t.RawSet(key, value)
	return c.Return(t)
}

func getMetatable(c *Call) error {
	v := c.any(1)
	switch v.(type) {
	case *lua.LTable, *lua.LUserData, lua.LString:
		return c.Return(c.l.GetMetatable(v))
	}
	return c.Return(nil)
}

func setMetatable(c *Call) error {
	t := c.Table(1)
	meta, ok := c.Get(2).(*lua.LTable)
	if !ok && (c.Len() < 2 || c.Get(2) != lua.LNil) {
		c.BadArgument(2, "nil or table expected")
	}
	if c.l.GetMetaField(t, "__metatable") != lua.LNil {
		return c.fail("cannot change a protected metatable")
	}
	t.Metatable = lua.LNil
	if ok {
		t.Metatable = meta
	}
	return c.Return(t)
}

func convertToNumber(c *Call) error {
	base := c.optTruncated(2, 10)
	if base == 10 {
		if f, ok := toNumber(c.any(1)); ok {
			return c.Return(f)
		}
		return c.Return(nil)
	}
	if base < 2 || base > 36 {
		c.BadArgument(2, "base out of range")
	}
	text := strings.TrimSpace(c.String(1))
	negative := strings.HasPrefix(text, "-")
	text = strings.TrimPrefix(text, "-")
	if base == 16 && len(text) > 2 && (text[:2] == "0x" || text[:2] == "0X") {
		text = text[2:]
	}
	n, err := strconv.ParseUint(text, base, 64)
	if err != nil {
		return c.Return(nil)
	}
	if negative {
		return c.Return(-float64(n))
	}
	return c.Return(float64(n))
}

// collectGarbage answers the questions that scripts ask; Go collects by itself.
func collectGarbage(c *Call) error {
	switch option := c.OptString(1, "collect"); option {
	case "collect", "step":
		runtime.GC()
		return c.Return(0)
	case "count":
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return c.Return(float64(m.HeapAlloc) / 1024)
	case "stop", "restart", "setpause", "setstepmul":
		return c.Return(0)
	default:
		c.BadArgument(1, "invalid option '%s'", option)
	}
	return nil
}

// environmentOf finds the function that getfenv and setfenv mean by their first argument; nil is the thread.
func environmentOf(c *Call) *lua.LFunction {
	if fn, ok := c.Get(1).(*lua.LFunction); ok {
		return fn
	}
	level := c.optTruncated(1, 1)
	if level < 0 {
		c.BadArgument(1, "level must be non-negative")
	}
	if level == 0 {
		return nil
	}
	fn := functionAt(c.l, level)
	if fn == nil {
		c.BadArgument(1, "invalid level")
	}
	return fn
}

func getEnvironment(c *Call) error {
	if fn := environmentOf(c); fn != nil && !fn.IsG {
		return c.Return(fn.Env)
	}
	return c.Return(c.l.G.Global)
}

func setEnvironment(c *Call) error {
	env := c.Table(2)
	fn := environmentOf(c)
	if fn == nil || fn.IsG {
		return c.fail("'setfenv' cannot change environment of given object")
	}
	fn.Env = env
	return c.Return(fn)
}

// newFunction makes a function of a chunk with an environment; nil is the globals.
func (h *Host) newFunction(proto *lua.FunctionProto, env *lua.LTable) *lua.LFunction {
	fn := h.base.NewFunctionFromProto(proto)
	if env != nil {
		fn.Env = env
	}
	return fn
}

// chunk returns a compiled chunk, or nil and what is wrong with it, as load does.
func (h *Host) chunk(c *Call, name, source string, env *lua.LTable) error {
	proto, err := Compile(chunkName(name), source)
	if err != nil {
		return c.Return(nil, err.Error())
	}
	return c.Return(h.newFunction(proto, env))
}

// chunkName shows a chunk's name as Lua does: "=name" and "@file" as they are, source text as its first line.
func chunkName(name string) string {
	if rest, ok := strings.CutPrefix(name, "="); ok {
		return rest
	}
	if rest, ok := strings.CutPrefix(name, "@"); ok {
		return rest
	}
	line, _, more := strings.Cut(name, "\n")
	if len(line) > 40 {
		line, more = line[:40], true
	}
	if more {
		line += "..."
	}
	return `[string "` + line + `"]`
}

func (h *Host) loadString(c *Call) error {
	source := c.String(1)
	return h.chunk(c, c.OptString(2, source), source, nil)
}

// loadChunk is load: of a string or of a function that returns pieces, with an environment as fourth argument.
func (h *Host) loadChunk(c *Call) error {
	env := c.OptTable(4)
	if source, ok := c.Get(1).(lua.LString); ok {
		return h.chunk(c, c.OptString(2, string(source)), string(source), env)
	}
	fn, name := c.Function(1), c.OptString(2, "=(load)")
	var b strings.Builder
	for {
		results, err := c.t.call(fn, nil)
		if err != nil {
			return c.loadFailure(err)
		}
		piece, _ := first(results, nil)
		switch piece := piece.(type) {
		case lua.LString:
			if piece != "" {
				b.WriteString(string(piece))
				continue
			}
		case *lua.LNilType:
		default:
			return c.Return(nil, placeAt(c.l, 1)+"reader function must return a string")
		}
		return h.chunk(c, name, b.String(), env)
	}
}

// loadFailure returns nil and what a reader function raised.
func (c *Call) loadFailure(err error) error {
	if c.t.task.unwinding() {
		return err
	}
	return c.Return(nil, c.t.host.errorValue(c.l, err))
}

func (h *Host) loadFile(c *Call) error {
	path := c.String(1)
	source, err := os.ReadFile(path)
	if err != nil {
		return c.Return(nil, "cannot open "+osMessage(err, path))
	}
	return h.chunk(c, "@"+path, string(source), nil)
}

func (h *Host) doFile(c *Call) error {
	path := c.String(1)
	source, err := os.ReadFile(path)
	if err != nil {
		return c.fail("cannot open %s", osMessage(err, path))
	}
	proto, err := Compile(path, string(source))
	if err != nil {
		return err
	}
	c.l.Push(h.newFunction(proto, nil))
	top := c.l.GetTop() - 1
	c.l.Call(0, lua.MultRet)
	c.returned = c.l.GetTop() - top
	return nil
}
