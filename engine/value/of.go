package value

import (
	"cmp"
	"reflect"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine"
)

// Options say how [Of] copies. The zero value copies up to a hundred thousand entries.
type Options struct {
	// Describe names an opaque value, and a table that has a __tostring. When it says false, or is nil, the
	// value's type and address are its name, and a table is copied as a table.
	Describe func(lua.LValue) (string, bool)
	// Entries bounds how many table entries are copied in all; 0 means 100,000. What is beyond is marked Cut.
	Entries int
}

// Of copies v and everything it reaches. The caller holds the Lua host's lock, as for every touch of a table.
func Of(v lua.LValue, options Options) Value {
	if options.Entries == 0 {
		options.Entries = 100_000
	}
	c := copier{options: options, left: options.Entries, seen: map[*lua.LTable]*Contents{}}
	return c.copy(v)
}

type copier struct {
	options Options
	left    int
	seen    map[*lua.LTable]*Contents
}

func (c *copier) copy(v lua.LValue) Value {
	switch v := v.(type) {
	case nil, *lua.LNilType:
		return Value{}
	case lua.LBool:
		return OfBoolean(bool(v))
	case lua.LNumber:
		return OfNumber(float64(v))
	case lua.LString:
		return OfString(string(v))
	case *lua.LTable:
		return c.copyTable(v)
	}
	name := v.String()
	if c.options.Describe != nil {
		if described, ok := c.options.Describe(v); ok {
			name = described
		}
	}
	return Value{Kind: Opaque, Text: name, Identity: identity(v)}
}

// identity is what tells an opaque value from others: for objects of a binding the Go value behind them, since the
// same one may be boxed several times.
func identity(v lua.LValue) any {
	if of := engine.TypeOf(v); of != nil {
		if inside, ok := engine.Unbox(v, of); ok && reflect.TypeOf(inside) != nil && reflect.TypeOf(inside).Comparable() {
			return object{of, inside}
		}
	}
	return v
}

type object struct {
	of    *engine.Type
	value any
}

func (c *copier) copyTable(t *lua.LTable) Value {
	if known, ok := c.seen[t]; ok {
		return Value{Kind: Table, Table: known}
	}
	if described, ok := c.describeTable(t); ok {
		return Value{Kind: Opaque, Text: described, Identity: t}
	}
	contents := &Contents{}
	c.seen[t] = contents
	length := 0
	for t.RawGetInt(length+1) != lua.LNil {
		length++
	}
	contents.List = make([]Value, 0, min(length, c.left))
	for i := 1; i <= length && !contents.Cut; i++ {
		if c.spend(contents) {
			contents.List = append(contents.List, c.copy(t.RawGetInt(i)))
		}
	}
	for key, v := t.Next(lua.LNil); key != lua.LNil && !contents.Cut; key, v = t.Next(key) {
		if n, ok := key.(lua.LNumber); ok && n >= 1 && n <= lua.LNumber(length) && n == lua.LNumber(int(n)) {
			continue
		}
		if c.spend(contents) {
			contents.Fields = append(contents.Fields, Field{Key: c.copy(key), Value: c.copy(v)})
		}
	}
	slices.SortStableFunc(contents.Fields, func(a, b Field) int { return compareKeys(a.Key, b.Key) })
	return Value{Kind: Table, Table: contents}
}

func (c *copier) describeTable(t *lua.LTable) (string, bool) {
	meta, ok := t.Metatable.(*lua.LTable)
	if !ok || c.options.Describe == nil || meta.RawGetString("__tostring") == lua.LNil {
		return "", false
	}
	return c.options.Describe(t)
}

func (c *copier) spend(contents *Contents) bool {
	if c.left == 0 {
		contents.Cut = true
		return false
	}
	c.left--
	return true
}

func compareKeys(a, b Value) int {
	if order := cmp.Compare(rank(a.Kind), rank(b.Kind)); order != 0 {
		return order
	}
	if order := cmp.Compare(a.Number, b.Number); order != 0 {
		return order
	}
	return cmp.Compare(a.Text, b.Text)
}

func rank(kind Kind) int {
	switch kind {
	case Number:
		return 0
	case String:
		return 1
	}
	return 2 + int(kind)
}
