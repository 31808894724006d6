package engine

import (
	"fmt"
	"sort"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine/numeral"
)

// OptionTable is a table of named options. Its getters raise an error that names the option when its value is of
// the wrong type, return the default when it is nil, and remember the key; Done then refuses all other keys.
type OptionTable struct {
	c     *Call
	table *lua.LTable // nil when no table was given
	where string      // of nested tables: "members[2]."
	known map[string]bool
}

// Options reads argument n as a table of options; nil counts as an empty one.
func (c *Call) Options(n int) *OptionTable {
	return &OptionTable{c: c, table: c.OptTable(n), known: map[string]bool{}}
}

// Nested reads a table inside a table as options; name is how messages call it, such as "members[2]".
func (o *OptionTable) Nested(name string, table *lua.LTable) *OptionTable {
	return &OptionTable{c: o.c, table: table, where: o.where + name + ".", known: map[string]bool{}}
}

// Known declares keys that are read only sometimes.
func (o *OptionTable) Known(keys ...string) {
	for _, key := range keys {
		o.known[key] = true
	}
}

// Get returns an option's value, or nil.
func (o *OptionTable) Get(key string) lua.LValue {
	o.known[key] = true
	if o.table == nil {
		return lua.LNil
	}
	return o.table.RawGetString(key)
}

// Has says whether an option was given.
func (o *OptionTable) Has(key string) bool { return o.Get(key) != lua.LNil }

// At returns element i of the table's list part, counted from 1.
func (o *OptionTable) At(i int) lua.LValue {
	if o.table == nil {
		return lua.LNil
	}
	return o.table.RawGetInt(i)
}

// Len is the length of the table's list part.
func (o *OptionTable) Len() int {
	if o.table == nil {
		return 0
	}
	return o.table.Len()
}

// Bad raises that an option cannot be used.
func (o *OptionTable) Bad(key, format string, args ...any) {
	o.c.Raise(o.bad(key, fmt.Sprintf(format, args...)))
}

func (o *OptionTable) bad(key, why string) *Error {
	return &Error{
		Kind:    KindUsage,
		Message: fmt.Sprintf("bad option '%s%s' of '%s': %s", o.where, key, o.c.name, why),
		Fields:  map[string]any{"option": o.where + key},
	}
}

func (o *OptionTable) expected(key, what string) {
	o.Bad(key, "%s expected, got %s", what, typeName(o.Get(key)))
}

// Required raises that an option is missing, if it is.
func (o *OptionTable) Required(keys ...string) {
	for _, key := range keys {
		if !o.Has(key) {
			o.Bad(key, "it is required")
		}
	}
}

// String reads a string.
func (o *OptionTable) String(key, otherwise string) string {
	switch v := o.Get(key).(type) {
	case lua.LString:
		return string(v)
	case lua.LNumber:
		return numeral.Text(float64(v))
	case *lua.LNilType:
		return otherwise
	}
	o.expected(key, "string")
	return ""
}

// Number reads a number.
func (o *OptionTable) Number(key string, otherwise float64) float64 {
	v := o.Get(key)
	if v == lua.LNil {
		return otherwise
	}
	f, ok := toNumber(v)
	if !ok {
		o.expected(key, "number")
	}
	return f
}

// Int reads a whole number.
func (o *OptionTable) Int(key string, otherwise int) int {
	f := o.Number(key, float64(otherwise))
	if f != float64(int(f)) {
		o.Bad(key, "whole number expected, got %s", numeral.Text(f))
	}
	return int(f)
}

// Bool reads a boolean.
func (o *OptionTable) Bool(key string, otherwise bool) bool {
	switch v := o.Get(key).(type) {
	case lua.LBool:
		return bool(v)
	case *lua.LNilType:
		return otherwise
	}
	o.expected(key, "boolean")
	return false
}

// Duration reads a number of seconds.
func (o *OptionTable) Duration(key string, otherwise time.Duration) time.Duration {
	v := o.Get(key)
	if v == lua.LNil {
		return otherwise
	}
	f, ok := toNumber(v)
	if !ok {
		o.expected(key, "seconds")
	}
	d, err := seconds(f)
	if err != nil {
		o.Bad(key, "%v", err)
	}
	return d
}

// Table reads a table; nil when it was not given.
func (o *OptionTable) Table(key string) *lua.LTable {
	switch v := o.Get(key).(type) {
	case *lua.LTable:
		return v
	case *lua.LNilType:
		return nil
	}
	o.expected(key, "table")
	return nil
}

// Function reads a function; nil when it was not given.
func (o *OptionTable) Function(key string) *lua.LFunction {
	switch v := o.Get(key).(type) {
	case *lua.LFunction:
		return v
	case *lua.LNilType:
		return nil
	}
	o.expected(key, "function")
	return nil
}

// Strings reads a list of strings; nil when it was not given. To whoever gives one string it shows how to write it.
func (o *OptionTable) Strings(key string) []string {
	if text, ok := o.Get(key).(lua.LString); ok {
		e := o.bad(key, "table expected, got string")
		e.Hint = "write " + key + " = " + AsList(key, string(text))
		o.c.Raise(e)
	}
	table := o.Table(key)
	if table == nil {
		return nil
	}
	list := []string{}
	if err := ToGo(table, &list); err != nil {
		o.Bad(key, "%v", err)
	}
	return list
}

// AsList writes what was given as a string as the list that was expected: a command as its words, or for the shell when
// it has what only a shell understands.
func AsList(key, text string) string {
	words := []string{text}
	if key == "command" {
		words = strings.Fields(text)
		if strings.ContainsAny(text, "'\"\\|&;<>()$`*?[]#~{}\n") {
			words = []string{"sh", "-c", text}
		}
	}
	for i, word := range words {
		words[i] = fmt.Sprintf("%q", word)
	}
	return "{ " + strings.Join(words, ", ") + " }"
}

// StringMap reads a table of strings by name; nil when it was not given.
func (o *OptionTable) StringMap(key string) map[string]string {
	table := o.Table(key)
	if table == nil {
		return nil
	}
	m := map[string]string{}
	if err := ToGo(table, &m); err != nil {
		o.Bad(key, "%v", err)
	}
	return m
}

// Done raises an error for the first key that was neither read nor declared, naming the nearest one that was.
// Numbered keys pass when list is true.
func (o *OptionTable) Done(list bool) {
	if o.table == nil {
		return
	}
	var unknown []string
	o.table.ForEach(func(key, _ lua.LValue) {
		name, isString := key.(lua.LString)
		if _, isNumber := key.(lua.LNumber); isNumber && list || isString && o.known[string(name)] {
			return
		}
		unknown = append(unknown, lua.LVAsString(key))
	})
	if len(unknown) == 0 {
		return
	}
	sort.Strings(unknown)
	known := make([]string, 0, len(o.known))
	for key := range o.known {
		known = append(known, key)
	}
	sort.Strings(known)
	e := &Error{
		Kind:    KindUsage,
		Message: fmt.Sprintf("unknown option '%s%s' of '%s'", o.where, unknown[0], o.c.name),
		Fields:  map[string]any{"option": o.where + unknown[0]},
	}
	if near := Nearest(unknown[0], known); near != "" {
		e.Hint = fmt.Sprintf("did you mean '%s'?", near)
		e.Message += "; " + e.Hint
	} else if len(known) > 0 {
		e.Hint = "it takes " + strings.Join(known, ", ")
	}
	o.c.Raise(e)
}
