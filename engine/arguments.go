package engine

import (
	"fmt"
	"math"
	"time"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine/numeral"
)

// Len is the number of arguments.
func (c *Call) Len() int { return c.l.GetTop() - c.shift }

// Get returns argument n, counted from 1; nil when it was not given.
func (c *Call) Get(n int) lua.LValue { return c.l.Get(n + c.shift) }

// Has says whether argument n was given and is not nil.
func (c *Call) Has(n int) bool { return c.Get(n) != lua.LNil }

// BadArgument raises that argument n cannot be used.
func (c *Call) BadArgument(n int, format string, args ...any) {
	if c.plain {
		n += c.shift
	}
	if c.plain && c.asMethod() {
		if n--; n == 0 {
			c.fail("calling '%s' on bad self (%s)", c.name, fmt.Sprintf(format, args...))
		}
	}
	if c.plain {
		c.fail("bad argument #%d to '%s' (%s)", n, c.name, fmt.Sprintf(format, args...))
	}
	c.Raise(&Error{Kind: KindUsage, Message: fmt.Sprintf("bad argument #%d to '%s' (%s)", n, c.name, fmt.Sprintf(format, args...))})
}

func (c *Call) expected(n int, what string) {
	got := "no value"
	if n <= c.Len() {
		got = typeName(c.Get(n))
	}
	c.BadArgument(n, "%s expected, got %s", what, got)
}

// String reads a string; a number is converted.
func (c *Call) String(n int) string {
	switch v := c.Get(n).(type) {
	case lua.LString:
		return string(v)
	case lua.LNumber:
		return numeral.Text(float64(v))
	}
	c.expected(n, "string")
	return ""
}

// OptString reads a string or returns the default when the argument is nil.
func (c *Call) OptString(n int, otherwise string) string {
	if !c.Has(n) {
		return otherwise
	}
	return c.String(n)
}

// Number reads a number; a numeric string is converted.
func (c *Call) Number(n int) float64 {
	if f, ok := toNumber(c.Get(n)); ok {
		return f
	}
	c.expected(n, "number")
	return 0
}

// OptNumber reads a number or returns the default when the argument is nil.
func (c *Call) OptNumber(n int, otherwise float64) float64 {
	if !c.Has(n) {
		return otherwise
	}
	return c.Number(n)
}

// Int reads a whole number.
func (c *Call) Int(n int) int {
	f := c.Number(n)
	if f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		c.BadArgument(n, "whole number expected, got %s", numeral.Text(f))
	}
	return int(f)
}

// OptInt reads a whole number or returns the default when the argument is nil.
func (c *Call) OptInt(n, otherwise int) int {
	if !c.Has(n) {
		return otherwise
	}
	return c.Int(n)
}

// Bool reads a boolean.
func (c *Call) Bool(n int) bool {
	if b, ok := c.Get(n).(lua.LBool); ok {
		return bool(b)
	}
	c.expected(n, "boolean")
	return false
}

// OptBool reads a boolean or returns the default when the argument is nil.
func (c *Call) OptBool(n int, otherwise bool) bool {
	if !c.Has(n) {
		return otherwise
	}
	return c.Bool(n)
}

// Duration reads a number of seconds, zero or more.
func (c *Call) Duration(n int) time.Duration {
	if _, ok := toNumber(c.Get(n)); !ok {
		c.expected(n, "seconds")
	}
	d, err := seconds(c.Number(n))
	if err != nil {
		c.BadArgument(n, "%v", err)
	}
	return d
}

// OptDuration reads a number of seconds or returns the default when the argument is nil.
func (c *Call) OptDuration(n int, otherwise time.Duration) time.Duration {
	if !c.Has(n) {
		return otherwise
	}
	return c.Duration(n)
}

// seconds converts a number of seconds to a duration; what is too long for one becomes the longest.
func seconds(f float64) (time.Duration, error) {
	switch {
	case math.IsNaN(f) || f < 0:
		return 0, fmt.Errorf("seconds must be zero or more, got %s", numeral.Text(f))
	case f > math.MaxInt64/float64(time.Second)-1:
		return math.MaxInt64, nil
	}
	return time.Duration(f * float64(time.Second)), nil
}

// Table reads a table.
func (c *Call) Table(n int) *lua.LTable {
	if t, ok := c.Get(n).(*lua.LTable); ok {
		return t
	}
	c.expected(n, "table")
	return nil
}

// OptTable reads a table; nil when the argument is nil.
func (c *Call) OptTable(n int) *lua.LTable {
	if !c.Has(n) {
		return nil
	}
	return c.Table(n)
}

// Function reads a function.
func (c *Call) Function(n int) *lua.LFunction {
	if f, ok := c.Get(n).(*lua.LFunction); ok {
		return f
	}
	c.expected(n, "function")
	return nil
}

// OptFunction reads a function; nil when the argument is nil.
func (c *Call) OptFunction(n int) *lua.LFunction {
	if !c.Has(n) {
		return nil
	}
	return c.Function(n)
}

// Strings reads a list of strings.
func (c *Call) Strings(n int) []string {
	var list []string
	if err := ToGo(c.Table(n), &list); err != nil {
		c.BadArgument(n, "%v", err)
	}
	return list
}

// Decode reads a table into a struct, map or slice as [ToGo] does; a struct refuses keys that it has no field for.
func (c *Call) Decode(n int, target any) {
	if err := ToGo(c.Table(n), target); err != nil {
		c.BadArgument(n, "%v", err)
	}
}

// typeName is the name of a value's type, the type's own for values of a [Type].
func typeName(v lua.LValue) string {
	if ud, ok := v.(*lua.LUserData); ok {
		if boxed, ok := ud.Value.(*boxed); ok {
			return boxed.of.Name
		}
		if _, ok := ud.Value.(*raisedError); ok {
			return "error"
		}
	}
	return v.Type().String()
}
