package scenario

import (
	"fmt"
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine"
	"murlua/engine/value"
)

// expectation is what t.expect returns: a value and what has to be true of it.
type expectation struct {
	value lua.LValue
	never bool // the opposite has to be true
}

// verdict is whether a matcher's condition is true, and how to say that it should be. is completes "expected <value>
// to …", and "expected <value> never to …".
type verdict struct {
	true bool
	is   string
	diff string // when it is not
}

type matcher func(c *engine.Call, v lua.LValue) (verdict, error)

func (m *collector) expectationType() *engine.Type {
	of := engine.NewType("expectation")
	of.Class = "mur.Expectation"
	of.String = func(any) string { return "an expectation" }
	of.Fields["never"] = func(v any) any {
		e := v.(*expectation)
		return of.Box(&expectation{value: e.value, never: !e.never})
	}
	for name, match := range map[string]matcher{
		"is": isEqual, "is_a": isA, "is_near": isNear, "is_empty": isEmpty, "is_one_of": isOneOf,
		"is_above":    compare("be above", func(a, b float64) bool { return a > b }),
		"is_below":    compare("be below", func(a, b float64) bool { return a < b }),
		"is_at_least": compare("be at least", func(a, b float64) bool { return a >= b }),
		"is_at_most":  compare("be at most", func(a, b float64) bool { return a <= b }),
		"has_length":  hasLength, "includes": includes, "matches": matches,
	} {
		of.Methods[name] = judged(of, match)
	}
	of.Index = func(_ any, name string) any { return unknownMatcher(of, name) }
	of.Methods["fails"] = fails
	of.Methods["succeeds"] = succeeds
	of.Methods["matches_snapshot"] = m.matchesSnapshot(of)
	return of
}

// called is what other test libraries call what an expectation says otherwise.
var called = map[string]string{
	"equals": "is", "equal": "is", "same": "is", "to_be": "is", "is_equal": "is", "is_same": "is", "is_not": "never:is", "isnt": "never:is",
	"is_true": "is(true)", "is_false": "is(false)", "is_nil": "is(nil)", "exists": "never:is(nil)", "contains": "includes", "has": "includes",
	"throws": "fails", "errors": "fails", "raises": "fails", "has_error": "fails", "match": "matches", "not_to": "never", "to_not": "never",
}

// unknownMatcher is a method that does not exist: calling it says which one was probably meant.
func unknownMatcher(of *engine.Type, name string) engine.Function {
	return func(*engine.Call) error {
		e := &engine.Error{Kind: engine.KindUsage, Message: fmt.Sprintf("an expectation has no '%s'", name)}
		if known := called[name]; known != "" {
			e.Hint = fmt.Sprintf("it is called '%s' here", known)
		} else if near := engine.Nearest(name, of.Members()); near != "" {
			e.Hint = fmt.Sprintf("did you mean '%s'?", near)
		} else {
			e.Hint = "there are " + strings.Join(of.Members(), ", ")
		}
		return e
	}
}

// judged makes a method of a matcher. It returns the expectation, so that several can follow each other.
func judged(of *engine.Type, match matcher) engine.Function {
	return func(c *engine.Call) error {
		e := c.Self().(*expectation)
		v, err := match(c, e.value)
		if err != nil {
			return err
		}
		if v.true == e.never {
			word := "to "
			if e.never {
				word, v.diff = "never to ", ""
			}
			return expectationError("expected "+show(c, e.value)+" "+word+v.is, v.diff)
		}
		return c.Return(of.Box(e))
	}
}

func copyOf(c *engine.Call, v lua.LValue) value.Value {
	return value.Of(v, value.Options{Describe: func(v lua.LValue) (string, bool) {
		texts, err := c.Call(c.L().G.Global.RawGetString("tostring"), v)
		if err != nil || len(texts) == 0 {
			return "", false
		}
		return lua.LVAsString(texts[0]), true
	}})
}

// show is a value as it stands in a message.
func show(c *engine.Call, v lua.LValue) string {
	return value.Format(copyOf(c, v), value.Limits{Width: 80, Depth: 4, Items: 12, String: 200, Lines: 15})
}

func isEqual(c *engine.Call, v lua.LValue) (verdict, error) {
	if c.Len() < 1 {
		c.BadArgument(1, "a value expected, got none")
	}
	want, got := copyOf(c, c.Get(1)), copyOf(c, v)
	result := verdict{true: value.Equal(want, got), is: "be " + show(c, c.Get(1))}
	if !result.true && (want.Kind == value.Table && got.Kind == value.Table || strings.Contains(want.Text, "\n") && got.Kind == value.String) {
		result.is, result.diff = "be equal to what was expected", value.Diff(want, got)
	}
	return result, nil
}

func isA(c *engine.Call, v lua.LValue) (verdict, error) {
	name := c.String(1)
	got := v.Type().String()
	if of := engine.TypeOf(v); of != nil && name != "userdata" {
		got = of.Name
	}
	return verdict{true: got == name, is: fmt.Sprintf("be a %s, not a %s", name, got)}, nil
}

func isNear(c *engine.Call, v lua.LValue) (verdict, error) {
	want, tolerance := c.Number(1), c.OptNumber(2, 1e-9)
	got, ok := v.(lua.LNumber)
	near := ok && math.Abs(float64(got)-want) <= tolerance
	return verdict{true: near, is: fmt.Sprintf("be within %s of %s", value.FormatNumber(tolerance), value.FormatNumber(want))}, nil
}

func isEmpty(c *engine.Call, v lua.LValue) (verdict, error) {
	switch v := v.(type) {
	case lua.LString:
		return verdict{true: v == "", is: "be empty"}, nil
	case *lua.LTable:
		key, _ := v.Next(lua.LNil)
		return verdict{true: key == lua.LNil, is: "be empty"}, nil
	}
	return verdict{is: "be an empty string or table"}, nil
}

func isOneOf(c *engine.Call, v lua.LValue) (verdict, error) {
	list, got := c.Table(1), copyOf(c, v)
	result := verdict{is: "be one of " + show(c, list)}
	for i := 1; i <= list.Len() && !result.true; i++ {
		result.true = value.Equal(copyOf(c, list.RawGetInt(i)), got)
	}
	return result, nil
}

func compare(is string, holds func(a, b float64) bool) matcher {
	return func(c *engine.Call, v lua.LValue) (verdict, error) {
		bound := c.Number(1)
		got, ok := v.(lua.LNumber)
		return verdict{true: ok && holds(float64(got), bound), is: is + " " + value.FormatNumber(bound)}, nil
	}
}

func hasLength(c *engine.Call, v lua.LValue) (verdict, error) {
	want, got := c.Int(1), -1
	switch v := v.(type) {
	case lua.LString:
		got = len(v)
	case *lua.LTable:
		got = v.Len()
	}
	is := fmt.Sprintf("have the length %d", want)
	if got >= 0 {
		is += fmt.Sprintf(", not %d", got)
	}
	return verdict{true: got == want, is: is}, nil
}

func matches(c *engine.Call, v lua.LValue) (verdict, error) {
	pattern := c.String(1)
	text, ok := v.(lua.LString)
	if !ok {
		return verdict{is: "be a string that matches " + value.Quote(pattern)}, nil
	}
	library, _ := c.L().G.Global.RawGetString("string").(*lua.LTable)
	if library == nil {
		return verdict{}, engine.Errorf(engine.KindUsage, "the string library was overwritten")
	}
	found, err := c.Call(library.RawGetString("find"), text, pattern)
	if err != nil {
		return verdict{}, err
	}
	return verdict{true: len(found) > 0 && found[0] != lua.LNil, is: "match " + value.Quote(pattern)}, nil
}

// includes: a text in a text, an item in a list, and of tables what is given of them, in depth.
func includes(c *engine.Call, v lua.LValue) (verdict, error) {
	if c.Len() < 1 {
		c.BadArgument(1, "a value expected, got none")
	}
	wanted := c.Get(1)
	if text, ok := v.(lua.LString); ok {
		part := c.String(1)
		return verdict{true: strings.Contains(string(text), part), is: "include " + value.Quote(part)}, nil
	}
	want, got := copyOf(c, wanted), copyOf(c, v)
	result := verdict{is: "include " + show(c, wanted)}
	switch {
	case got.Kind != value.Table:
	case want.Kind != value.Table:
		for _, item := range got.Table.List {
			result.true = result.true || value.Equal(want, item)
		}
	default:
		result.true = value.Includes(got, want)
		if !result.true {
			result.is, result.diff = "include what was expected", value.Diff(want, value.Project(got, want))
		}
	}
	return result, nil
}

// fails calls the value, which has to raise an error, and returns the error. What it is can be said by its kind or
// a part of its message, or by a table with some of its fields.
func fails(c *engine.Call) error {
	e := c.Self().(*expectation)
	values, err := c.Call(e.value)
	if e.never {
		if err != nil {
			return expectationError("expected the function never to fail, and it raised: "+failureOf(FailedError, err).Message, "")
		}
		return nil
	}
	if err == nil {
		text := "expected the function to fail, and it returned"
		for i, v := range values {
			text += [...]string{" ", ", "}[min(i, 1)] + show(c, v)
		}
		return expectationError(text, "")
	}
	raised, converting := engine.FromGo(c.L(), err)
	if converting != nil {
		return converting
	}
	message := failureOf(FailedError, err).Message
	switch wanted := c.Get(1).(type) {
	case *lua.LNilType:
	case lua.LString:
		kind := lua.LVAsString(fieldOf(c, raised, "kind"))
		if kind != string(wanted) && !strings.Contains(message, string(wanted)) {
			return expectationError(fmt.Sprintf("expected the function to fail with %s, and it raised: %s", value.Quote(string(wanted)), message), "")
		}
	case *lua.LTable:
		got := c.L().NewTable()
		wanted.ForEach(func(key, _ lua.LValue) {
			if name, ok := key.(lua.LString); ok {
				got.RawSetString(string(name), fieldOf(c, raised, string(name)))
			}
		})
		if want, had := copyOf(c, wanted), copyOf(c, got); !value.Includes(had, want) {
			return expectationError("expected the function to fail otherwise; it raised: "+message, value.Diff(want, value.Project(had, want)))
		}
	default:
		c.BadArgument(1, "a kind, a part of the message or a table expected, got %s", wanted.Type())
	}
	return c.Return(raised)
}

// fieldOf reads a field of something raised: an error object or a table.
func fieldOf(c *engine.Call, raised lua.LValue, name string) lua.LValue {
	if raised.Type() != lua.LTUserData && raised.Type() != lua.LTTable {
		return lua.LNil
	}
	return c.L().GetField(raised, name)
}

// succeeds calls the value and returns what it returns.
func succeeds(c *engine.Call) error {
	e := c.Self().(*expectation)
	values, err := c.Call(e.value)
	if e.never {
		if err == nil {
			return expectationError("expected the function never to succeed, and it did", "")
		}
		return nil
	}
	if err != nil {
		return expectationError("expected the function to succeed, and it raised: "+failureOf(FailedError, err).Message, "")
	}
	results := make([]any, len(values))
	for i, v := range values {
		results[i] = v
	}
	return c.Return(results...)
}
