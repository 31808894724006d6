package engine

import (
	"fmt"
	"sort"

	lua "github.com/yuin/gopher-lua"
)

// Type describes objects that Go code hands to scripts: which methods and fields they have and how they print. A
// script can neither change an object nor reach its metatable. A Type is filled in once and not changed after; the
// same one may be used by several hosts.
type Type struct {
	Name    string                              // as in messages: "handle"
	Class   string                              // as in the stubs: "mur.Handle"; empty when they do not describe it
	Methods map[string]Function                 // called as object:name(...); arguments count from after the object
	Fields  map[string]func(value any) any      // read each time, converted as by [FromGo]; must not block
	String  func(value any) string              // tostring(object); nil prints the name
	Call    Function                            // makes objects callable
	Index   func(value any, key string) (v any) // further fields, for sets that are not known beforehand; nil is none
	Equal   func(a, b any) bool                 // ==; nil compares the Go values
}

// NewType returns a type with a name; fill in the rest.
func NewType(name string) *Type {
	return &Type{Name: name, Methods: map[string]Function{}, Fields: map[string]func(any) any{}}
}

// Boxed makes [FromGo] and [Call.Return] hand a Go value to Lua as an object of a type.
type Boxed struct {
	Type  *Type
	Value any
}

// Box is short for a Boxed.
func (t *Type) Box(value any) Boxed { return Boxed{Type: t, Value: value} }

// Members lists methods and fields by name, for completion.
func (t *Type) Members() []string {
	var names []string
	for name := range t.Methods {
		names = append(names, name)
	}
	for name := range t.Fields {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// boxed is what an object holds.
type boxed struct {
	of    *Type
	value any
}

// Self is the object a method was called on.
func (c *Call) Self() any { return c.self }

// Object reads argument n as an object of the type and returns its Go value.
func (c *Call) Object(n int, of *Type) any {
	if v, ok := Unbox(c.Get(n), of); ok {
		return v
	}
	c.expected(n, of.Name)
	return nil
}

// Unbox returns the Go value of an object of the type.
func Unbox(v lua.LValue, of *Type) (any, bool) {
	if ud, ok := v.(*lua.LUserData); ok {
		if b, ok := ud.Value.(*boxed); ok && b.of == of {
			return b.value, true
		}
	}
	return nil, false
}

// TypeOf returns the type of an object, or nil: completion asks.
func TypeOf(v lua.LValue) *Type {
	if ud, ok := v.(*lua.LUserData); ok {
		if b, ok := ud.Value.(*boxed); ok {
			return b.of
		}
	}
	return nil
}

func (h *Host) box(t *Type, value any) *lua.LUserData {
	meta := h.metas[t]
	if meta == nil {
		meta = h.newMeta(t)
		h.metas[t] = meta
	}
	return &lua.LUserData{Value: &boxed{of: t, value: value}, Env: h.base.Env, Metatable: meta}
}

func (h *Host) newMeta(t *Type) *lua.LTable {
	meta := h.base.NewTable()
	meta.RawSetString("__metatable", lua.LString(t.Name))
	meta.RawSetString("__name", lua.LString(t.Name))
	methods := map[string]*lua.LFunction{}
	for name, fn := range t.Methods {
		methods[name] = h.base.NewFunction(h.method(t, name, fn))
	}
	meta.RawSetString("__index", h.base.NewFunction(func(L *lua.LState) int { return indexObject(L, t, methods) }))
	meta.RawSetString("__newindex", h.base.NewFunction(func(L *lua.LState) int {
		threadOf(L).raise(&Error{Kind: KindUsage, Message: fmt.Sprintf("cannot set field '%s' of a %s", L.Get(2), t.Name)})
		return 0
	}))
	meta.RawSetString("__tostring", h.base.NewFunction(func(L *lua.LState) int {
		text := t.Name
		if v, ok := Unbox(L.Get(1), t); ok && t.String != nil {
			text = t.String(v)
		}
		L.Push(lua.LString(text))
		return 1
	}))
	meta.RawSetString("__eq", h.base.NewFunction(func(L *lua.LState) int {
		a, okA := Unbox(L.Get(1), t)
		b, okB := Unbox(L.Get(2), t)
		L.Push(lua.LBool(okA && okB && (t.Equal == nil && a == b || t.Equal != nil && t.Equal(a, b))))
		return 1
	}))
	if t.Call != nil {
		meta.RawSetString("__call", h.base.NewFunction(h.method(t, t.Name, t.Call)))
	}
	return meta
}

// method makes a Lua function of a method; its first argument is the object.
func (h *Host) method(t *Type, name string, fn Function) lua.LGFunction {
	full := t.Name + ":" + name
	return func(L *lua.LState) int {
		c := Call{l: L, t: threadOf(L), name: full, shift: 1}
		value, ok := Unbox(L.Get(1), t)
		if !ok {
			c.Raise(&Error{
				Kind: KindUsage, Message: fmt.Sprintf("bad self in '%s' (%s expected, got %s)", full, t.Name, typeName(L.Get(1))),
				Hint: fmt.Sprintf("call it with a colon: object:%s(...)", name),
			})
		}
		c.self = value
		return c.run(fn)
	}
}

func indexObject(L *lua.LState, t *Type, methods map[string]*lua.LFunction) int {
	value, ok := Unbox(L.Get(1), t)
	key, isString := L.Get(2).(lua.LString)
	if !ok || !isString {
		return 0
	}
	if fn := methods[string(key)]; fn != nil {
		L.Push(fn)
		return 1
	}
	var result any
	if field := t.Fields[string(key)]; field != nil {
		result = field(value)
	} else if t.Index != nil {
		result = t.Index(value, string(key))
	} else if near := Nearest(string(key), t.Members()); near != "" {
		threadOf(L).raise(&Error{
			Kind: KindUsage, Message: fmt.Sprintf("a %s has no '%s'; did you mean '%s'?", t.Name, key, near),
			Hint: fmt.Sprintf("did you mean '%s'?", near),
		})
	}
	lv, err := FromGo(L, result)
	if err != nil {
		threadOf(L).raise(err)
	}
	L.Push(lv)
	return 1
}

// raise raises a Go error as an error object and does not return.
func (t *thread) raise(err error) { t.L.Error(t.host.errorValue(t.L, err), 0) }
