package engine

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

func (h *Host) openString(globals *lua.LTable) {
	table := h.base.NewTable()
	h.addLibrary(table, map[string]Function{
		"byte":    stringByte,
		"char":    stringChar,
		"dump":    func(c *Call) error { return c.fail("unable to dump given function") },
		"find":    func(c *Call) error { return findString(c, true) },
		"format":  stringFormat,
		"gmatch":  stringGmatch,
		"gsub":    stringGsub,
		"len":     func(c *Call) error { return c.Return(len(c.String(1))) },
		"lower":   func(c *Call) error { return c.Return(mapASCII(c.String(1), 'A', 'Z')) },
		"match":   func(c *Call) error { return findString(c, false) },
		"rep":     stringRep,
		"reverse": stringReverse,
		"sub":     stringSub,
		"upper":   func(c *Call) error { return c.Return(mapASCII(c.String(1), 'a', 'z')) },
	})
	table.RawSetString("gfind", table.RawGetString("gmatch"))
	globals.RawSetString("string", table)
	meta := h.base.NewTable()
	meta.RawSetString("__index", table)
	h.addStringArithmetic(meta)
	h.base.SetMetatable(lua.LString(""), meta)
}

// mapASCII changes the case of the letters from low to high, as the C locale does.
func mapASCII(s string, low, high byte) string {
	for i := range len(s) {
		if low <= s[i] && s[i] <= high {
			b := []byte(s)
			for ; i < len(b); i++ {
				if low <= b[i] && b[i] <= high {
					b[i] ^= 0x20
				}
			}
			return string(b)
		}
	}
	return s
}

// position turns a position counted from 1, or from the end when negative, into one counted from 1; 0 is before the
// first.
func position(at, length int) int {
	if at < 0 {
		return max(at+length+1, 0)
	}
	return at
}

func stringSub(c *Call) error {
	s := c.String(1)
	first, last := position(c.truncated(2), len(s)), len(s)
	if c.Has(3) {
		last = position(c.truncated(3), len(s))
	}
	first, last = max(first, 1), min(last, len(s))
	if first > last {
		return c.Return("")
	}
	return c.Return(s[first-1 : last])
}

func stringByte(c *Call) error {
	s := c.String(1)
	first := position(c.optTruncated(2, 1), len(s))
	last := position(c.optTruncated(3, first), len(s))
	first, last = max(first, 1), min(last, len(s))
	if last-first >= maxUnpack {
		return c.fail("string slice too long")
	}
	for i := first; i <= last; i++ {
		c.push(lua.LNumber(s[i-1]))
	}
	return nil
}

func stringChar(c *Call) error {
	b := make([]byte, c.Len())
	for i := range b {
		n := c.truncated(i + 1)
		if n < 0 || n > 255 {
			c.BadArgument(i+1, "invalid value")
		}
		b[i] = byte(n)
	}
	return c.Return(string(b))
}

func stringReverse(c *Call) error {
	s := c.String(1)
	b := make([]byte, len(s))
	for i := range len(s) {
		b[len(s)-1-i] = s[i]
	}
	return c.Return(string(b))
}

func stringRep(c *Call) error {
	s, n, sep := c.String(1), c.truncated(2), c.OptString(3, "")
	if n <= 0 {
		return c.Return("")
	}
	if size := len(s) + len(sep); size > 0 {
		if n > c.t.host.options.MaxString/size+1 {
			return c.tooLarge()
		}
		if err := c.room(n * size); err != nil {
			return err
		}
	}
	if sep == "" {
		return c.Return(strings.Repeat(s, n))
	}
	return c.Return(strings.Repeat(s+sep, n-1) + s)
}

// room checks that a string of a size may be made.
func (c *Call) room(size int) error {
	if size > c.t.host.options.MaxString {
		return c.tooLarge()
	}
	return nil
}

func (c *Call) tooLarge() error {
	return c.fail("resulting string too large (the limit is %d bytes)", c.t.host.options.MaxString)
}

// addStringArithmetic makes numeric strings count as numbers in arithmetic as Lua reads them; the VM by itself would
// read "010" as octal.
func (h *Host) addStringArithmetic(meta *lua.LTable) {
	for event, do := range map[string]func(a, b float64) float64{
		"__add": func(a, b float64) float64 { return a + b },
		"__sub": func(a, b float64) float64 { return a - b },
		"__mul": func(a, b float64) float64 { return a * b },
		"__div": func(a, b float64) float64 { return a / b },
		"__mod": modulo,
		"__pow": power,
		"__unm": func(a, _ float64) float64 { return -a },
	} {
		meta.RawSetString(event, h.base.NewFunction(func(L *lua.LState) int {
			a, okA := toNumber(L.Get(1))
			b, okB := a, okA
			if event != "__unm" {
				b, okB = toNumber(L.Get(2))
			}
			if !okA || !okB {
				if other := otherArithmetic(L, event); other != lua.LNil {
					c := Call{l: L, t: threadOf(L), name: event, plain: true}
					L.Push(c.callOne(other, L.Get(1), L.Get(2)))
					return 1
				}
				wrong := 2
				if !okA {
					wrong = 1
				}
				raiseText(L, "attempt to perform arithmetic on %s", operandText(L, wrong, L.Get(wrong)))
			}
			L.Push(lua.LNumber(do(a, b)))
			return 1
		}))
	}
}

// otherArithmetic returns the metamethod of an operand that is not a string.
func otherArithmetic(L *lua.LState, event string) lua.LValue {
	for i := 1; i <= 2; i++ {
		if v := L.Get(i); v.Type() != lua.LTString {
			if fn := L.GetMetaField(v, event); fn != lua.LNil {
				return fn
			}
		}
	}
	return lua.LNil
}
