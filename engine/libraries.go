package engine

import (
	"context"
	"io"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine/numeral"
)

// openLibraries fills the globals. It runs before the first task.
func (h *Host) openLibraries() {
	L := h.base
	globals := L.G.Global
	h.loaded = L.NewTable()
	h.openBase(globals)
	h.openString(globals)
	h.openTable(globals)
	h.openMath(globals)
	h.openCoroutine(globals)
	h.openOS(globals)
	h.openIO(globals)
	h.openDebug(globals)
	pkg := L.NewTable()
	pkg.RawSetString("loaded", h.loaded)
	pkg.RawSetString("preload", L.NewTable())
	globals.RawSetString("package", pkg)
	for _, name := range []string{"_G", "string", "table", "math", "os", "io", "coroutine", "debug", "package"} {
		h.loaded.RawSetString(name, globals.RawGetString(name))
	}
	arg := L.NewTable()
	arg.RawSetInt(0, lua.LString(h.options.Script))
	for i, a := range h.options.Args {
		arg.RawSetInt(i+1, lua.LString(a))
	}
	globals.RawSetString("arg", arg)
	h.mur = h.newMur()
	if h.options.Sandbox {
		h.confine(globals)
	}
	if h.options.Strict {
		h.makeStrict(globals)
	}
}

func (h *Host) preloaded(name string) lua.LValue {
	pkg, _ := h.base.G.Global.RawGetString("package").(*lua.LTable)
	if pkg == nil {
		return lua.LNil
	}
	if preload, ok := pkg.RawGetString("preload").(*lua.LTable); ok {
		return preload.RawGetString(name)
	}
	return lua.LNil
}

// print writes its arguments with tabs between them and a newline after.
func (h *Host) print(c *Call) error {
	var b strings.Builder
	for i := 1; i <= c.Len(); i++ {
		if i > 1 {
			b.WriteByte('\t')
		}
		b.WriteString(c.Text(c.Get(i)))
	}
	b.WriteByte('\n')
	if err := h.mayWrite(b.Len()); err != nil {
		return err
	}
	return c.write(h.options.Stdout, b.String())
}

// mayWrite counts what goes to standard output.
func (h *Host) mayWrite(n int) error {
	if total := h.written.Add(int64(n)); h.options.MaxOutput > 0 && total > h.options.MaxOutput {
		return Errorf(KindLimit, "the script wrote more than its %d bytes", h.options.MaxOutput)
	}
	return nil
}

// write writes without the lock: the reader of a pipe may be slow.
func (c *Call) write(to io.Writer, text string) error {
	return c.Block(func(context.Context) error {
		_, err := io.WriteString(to, text)
		return err
	})
}

// Text is what tostring gives for a value; it may call its __tostring.
func (c *Call) Text(v lua.LValue) string {
	switch s := v.(type) {
	case lua.LString:
		return string(s)
	case lua.LNumber:
		return numeral.Text(float64(s))
	}
	if fn := c.l.GetMetaField(v, "__tostring"); fn != lua.LNil {
		result := c.callOne(fn, v)
		if !lua.LVCanConvToString(result) {
			c.fail("'tostring' must return a string to '%s'", c.name)
		}
		return operand(result)
	}
	if v == Null {
		return "null"
	}
	return v.String()
}

// convertToString is tostring; it returns whatever a __tostring returns.
func convertToString(c *Call) error {
	v := c.any(1)
	if fn := c.l.GetMetaField(v, "__tostring"); fn != lua.LNil {
		return c.Return(c.callOne(fn, v))
	}
	return c.Return(c.Text(v))
}

// plainText is the text of a value with a __tostring written in Go or Lua, for an error that ends a task.
func (h *Host) plainText(v lua.LValue) (string, bool) {
	if h.base.GetMetaField(v, "__tostring") == lua.LNil {
		return "", false
	}
	t := h.borrow(nil, bareTask(h, "an error"), atProtected)
	defer h.giveBack(t)
	fn := h.base.NewFunction(h.wrap("tostring", func(c *Call) error { return c.Return(c.Text(c.Get(1))) }))
	if _, ok := t.run(fn, []lua.LValue{v}); !ok {
		return "", false
	}
	return t.L.Get(1).String(), true
}

// toNumber converts as Lua does for arithmetic.
func toNumber(v lua.LValue) (float64, bool) {
	switch n := v.(type) {
	case lua.LNumber:
		return float64(n), true
	case lua.LString:
		return numeral.Parse(string(n))
	}
	return 0, false
}
