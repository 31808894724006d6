package engine

import (
	"context"
	"io"
	"math"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// openLibraries fills the globals. It runs before the first task.
func (h *Host) openLibraries() {
	L := h.base
	for _, open := range []lua.LGFunction{lua.OpenBase, lua.OpenTable, lua.OpenString, lua.OpenMath} {
		L.Push(L.NewFunction(open))
		L.Call(0, 0)
	}
	globals := L.G.Global
	for _, name := range []string{"_printregs", "module", "newproxy", "_GOPHER_LUA_VERSION", "collectgarbage", "dofile", "loadfile"} {
		globals.RawSetString(name, lua.LNil)
	}
	globals.RawSetString("pcall", L.NewFunction(protectedCall))
	globals.RawSetString("xpcall", L.NewFunction(handledCall))
	h.addFunctions(globals, "", map[string]Function{"print": h.print, "require": h.require})
	h.openCoroutine(globals)
	h.openOS(globals)
	h.openIO(globals)
	h.loaded = L.NewTable()
	pkg := L.NewTable()
	pkg.RawSetString("loaded", h.loaded)
	pkg.RawSetString("preload", L.NewTable())
	globals.RawSetString("package", pkg)
	for _, name := range []string{"string", "table", "math", "os", "io", "coroutine", "package"} {
		h.loaded.RawSetString(name, globals.RawGetString(name))
	}
	arg := L.NewTable()
	arg.RawSetInt(0, lua.LString(h.options.Script))
	for i, a := range h.options.Args {
		arg.RawSetInt(i+1, lua.LString(a))
	}
	globals.RawSetString("arg", arg)
	h.mur = h.newMur()
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
	return c.write(h.options.Stdout, b.String())
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
		return numberText(float64(s))
	}
	if fn := c.l.GetMetaField(v, "__tostring"); fn != lua.LNil {
		c.l.Push(fn)
		c.l.Push(v)
		c.l.Call(1, 1)
		result := c.l.Get(-1)
		c.l.Pop(1)
		if !lua.LVCanConvToString(result) {
			c.Raise(Errorf(KindUsage, "'__tostring' must return a string"))
		}
		return lua.LVAsString(result)
	}
	if v == Null {
		return "null"
	}
	return v.String()
}

// plainText is the text of a value with a __tostring written in Go or Lua, for an error that ends a task.
func (h *Host) plainText(v lua.LValue) (string, bool) {
	if h.base.GetMetaField(v, "__tostring") == lua.LNil {
		return "", false
	}
	t := h.borrow(nil, &Task{host: h}, atProtected)
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
		return parseNumber(string(n))
	}
	return 0, false
}

// parseNumber reads a numeral as C Lua 5.1 does: decimal with exponent, hexadecimal, spaces around it.
func parseNumber(s string) (float64, bool) {
	s = strings.Trim(s, " \t\n\v\f\r")
	unsigned := strings.TrimLeft(s, "+-")
	if len(s)-len(unsigned) > 1 || unsigned == "" || strings.ContainsAny(s, "_pPnNiI") {
		return 0, false
	}
	if len(unsigned) > 2 && (unsigned[:2] == "0x" || unsigned[:2] == "0X") {
		n, err := strconv.ParseUint(unsigned[2:], 16, 64)
		if err != nil {
			return 0, false
		}
		if s[0] == '-' {
			return -float64(n), true
		}
		return float64(n), true
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

// formatG is C's %.<precision>g.
func formatG(f float64, precision int) string {
	s := strconv.FormatFloat(f, 'e', precision-1, 64)
	mantissa, exponent, _ := strings.Cut(s, "e")
	exp, _ := strconv.Atoi(exponent)
	if exp < -4 || exp >= precision {
		if strings.Contains(mantissa, ".") {
			mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
		}
		sign := "+"
		if exp < 0 {
			sign, exp = "-", -exp
		}
		digits := strconv.Itoa(exp)
		if len(digits) < 2 {
			digits = "0" + digits
		}
		return mantissa + "e" + sign + digits
	}
	s = strconv.FormatFloat(f, 'f', precision-1-exp, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}
