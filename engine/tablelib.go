package engine

import (
	"math"
	"sort"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine/numeral"
)

// maxUnpack is how many values a function may return at once.
const maxUnpack = 200_000

func (h *Host) openTable(globals *lua.LTable) {
	table := h.base.NewTable()
	h.addLibrary(table, map[string]Function{
		"concat":   tableConcat,
		"foreach":  tableForeach,
		"foreachi": tableForeachi,
		"getn":     func(c *Call) error { return c.Return(c.Table(1).Len()) },
		"insert":   tableInsert,
		"maxn":     tableMaxn,
		"pack":     tablePack,
		"remove":   tableRemove,
		"sort":     tableSort,
		"unpack":   unpack,
	})
	globals.RawSetString("table", table)
}

func tableInsert(c *Call) error {
	t := c.Table(1)
	switch c.Len() {
	case 2:
		t.RawSetInt(t.Len()+1, c.Get(2))
	case 3:
		at, v, n := c.truncated(2), c.Get(3), t.Len()
		if at >= 1 && at <= n {
			t.Insert(at, v)
			return nil
		}
		for i := n + 1; i > at; i-- {
			t.RawSetInt(i, t.RawGetInt(i-1))
		}
		t.RawSet(lua.LNumber(at), v)
	default:
		return c.fail("wrong number of arguments to 'insert'")
	}
	return nil
}

func tableRemove(c *Call) error {
	t := c.Table(1)
	n := t.Len()
	at := c.optTruncated(2, n)
	if at < 1 || at > n {
		return nil
	}
	v := t.RawGetInt(at)
	t.Remove(at)
	return c.Return(v)
}

func tableMaxn(c *Call) error {
	highest := 0.0
	c.Table(1).ForEach(func(key, _ lua.LValue) {
		if f, ok := key.(lua.LNumber); ok {
			highest = math.Max(highest, float64(f))
		}
	})
	return c.Return(highest)
}

func tableConcat(c *Call) error {
	t, sep := c.Table(1), c.OptString(2, "")
	first := c.optTruncated(3, 1)
	last := c.optTruncated(4, t.Len())
	var b strings.Builder
	for i := first; i <= last; i++ {
		switch v := t.RawGet(lua.LNumber(i)).(type) {
		case lua.LString:
			b.WriteString(string(v))
		case lua.LNumber:
			b.WriteString(numeral.Text(float64(v)))
		default:
			return c.fail("invalid value (%s) at index %d in table for 'concat'", typeName(v), i)
		}
		if i < last {
			b.WriteString(sep)
		}
		if err := c.room(b.Len()); err != nil {
			return err
		}
	}
	return c.Return(b.String())
}

func tablePack(c *Call) error {
	n := c.Len()
	t := c.l.CreateTable(n, 1)
	for i := 1; i <= n; i++ {
		t.RawSetInt(i, c.Get(i))
	}
	t.RawSetString("n", lua.LNumber(n))
	return c.Return(t)
}

func unpack(c *Call) error {
	t := c.Table(1)
	first := c.optTruncated(2, 1)
	last := c.optTruncated(3, t.Len())
	if last-first >= maxUnpack {
		return c.fail("too many results to unpack")
	}
	for i := first; i <= last; i++ {
		c.push(t.RawGet(lua.LNumber(i)))
	}
	return nil
}

func tableForeach(c *Call) error {
	t, fn := c.Table(1), c.Function(2)
	for key, value := t.Next(lua.LNil); key != lua.LNil; key, value = t.Next(key) {
		if v := c.callOne(fn, key, value); v != lua.LNil {
			return c.Return(v)
		}
	}
	return nil
}

func tableForeachi(c *Call) error {
	t, fn := c.Table(1), c.Function(2)
	for i := 1; i <= t.Len(); i++ {
		if v := c.callOne(fn, lua.LNumber(i), t.RawGetInt(i)); v != lua.LNil {
			return c.Return(v)
		}
	}
	return nil
}

// callOne calls a function on this thread, so that what it raises goes through, and returns its first result.
func (c *Call) callOne(fn lua.LValue, args ...lua.LValue) lua.LValue {
	c.l.Push(fn)
	for _, arg := range args {
		c.l.Push(arg)
	}
	c.l.Call(len(args), 1)
	v := c.l.Get(-1)
	c.l.Pop(1)
	return v
}

// sorter sorts values with the language's order or a function. What the order raises leaves the table as it was.
type sorter struct {
	c      *Call
	values []lua.LValue
	order  *lua.LFunction
	steps  int
}

func (s *sorter) Len() int      { return len(s.values) }
func (s *sorter) Swap(i, j int) { s.values[i], s.values[j] = s.values[j], s.values[i] }

func (s *sorter) Less(i, j int) bool {
	if s.steps++; s.steps%quantum == 0 && s.c.tick() != nil {
		unwind(s.c.l)
	}
	if s.order != nil {
		return lua.LVAsBool(s.c.callOne(s.order, s.values[i], s.values[j]))
	}
	a, b := s.values[i], s.values[j]
	if x, ok := a.(lua.LNumber); ok {
		if y, ok := b.(lua.LNumber); ok {
			return x < y
		}
	}
	if a.Type() != b.Type() || a.Type() != lua.LTString && s.c.l.GetMetaField(a, "__lt") == lua.LNil {
		s.c.fail("%s", compareText(a, b))
	}
	return s.c.l.LessThan(a, b)
}

func tableSort(c *Call) error {
	t := c.Table(1)
	s := &sorter{c: c, order: c.OptFunction(2), values: make([]lua.LValue, t.Len())}
	for i := range s.values {
		s.values[i] = t.RawGetInt(i + 1)
	}
	sort.Sort(s)
	for i, v := range s.values {
		t.RawSetInt(i+1, v)
	}
	return nil
}

func compareText(a, b lua.LValue) string {
	if a.Type() == b.Type() {
		return "attempt to compare two " + a.Type().String() + " values"
	}
	return "attempt to compare " + a.Type().String() + " with " + b.Type().String()
}
