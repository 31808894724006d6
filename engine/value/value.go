package value

import "math"

// Kind says what a [Value] is.
type Kind int

// The kinds of values. Opaque stands for what only has an identity: functions, userdata, coroutines, channels,
// and tables that speak for themselves through __tostring.
const (
	Nil Kind = iota
	Boolean
	Number
	String
	Table
	Opaque
)

// Value is a Lua value as it was when it was copied. The zero Value is nil.
type Value struct {
	Kind    Kind
	Boolean bool
	Number  float64
	Text    string // the bytes of a String; what an Opaque is called
	Table   *Contents
	// Identity tells two Opaque values apart: they are equal when it is.
	Identity any
}

// Contents is what a table held. A table that is met several times is copied once: the same *Contents stands
// in every place, and a table that contains itself makes a cycle.
type Contents struct {
	List   []Value // the values at 1, 2, 3 … up to the first nil
	Fields []Field // everything else, sorted: numbers, strings, then the rest
	Cut    bool    // the copy stopped here because it had become too large
}

// Field is a key of a table and its value.
type Field struct{ Key, Value Value }

// OfString returns the Value of a string.
func OfString(s string) Value { return Value{Kind: String, Text: s} }

// OfNumber returns the Value of a number.
func OfNumber(n float64) Value { return Value{Kind: Number, Number: n} }

// OfBoolean returns the Value of a boolean.
func OfBoolean(b bool) Value { return Value{Kind: Boolean, Boolean: b} }

// Len returns how many entries the table held.
func (c *Contents) Len() int { return len(c.List) + len(c.Fields) }

// Equal reports whether a and b are equal in depth: tables by what they hold, NaN equal to itself, opaque
// values by identity. Tables that contain themselves are equal when they unfold to the same.
func Equal(a, b Value) bool { return equal(a, b, map[[2]*Contents]bool{}) }

func equal(a, b Value, assumed map[[2]*Contents]bool) bool {
	if a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case Nil:
		return true
	case Boolean:
		return a.Boolean == b.Boolean
	case Number:
		return a.Number == b.Number || math.IsNaN(a.Number) && math.IsNaN(b.Number)
	case String:
		return a.Text == b.Text
	case Opaque:
		return a.Identity == b.Identity
	}
	return equalTables(a.Table, b.Table, assumed)
}

func equalTables(a, b *Contents, assumed map[[2]*Contents]bool) bool {
	pair := [2]*Contents{a, b}
	if a == b || assumed[pair] {
		return true
	}
	if len(a.List) != len(b.List) || len(a.Fields) != len(b.Fields) || a.Cut || b.Cut {
		return false
	}
	assumed[pair] = true
	for i := range a.List {
		if !equal(a.List[i], b.List[i], assumed) {
			return false
		}
	}
	others := newFieldIndex(b.Fields)
	for _, field := range a.Fields {
		other, ok := others.find(field.Key)
		if !ok || !equal(field.Value, other, assumed) {
			return false
		}
	}
	return true
}

// fieldIndex finds fields by key. Keys that are tables count by identity of the copy, as in Lua: two different
// tables are two different keys, unless they hold the same.
type fieldIndex struct {
	plain  map[any]Value
	tables []Field
}

func newFieldIndex(fields []Field) fieldIndex {
	index := fieldIndex{plain: make(map[any]Value, len(fields))}
	for _, field := range fields {
		if key, ok := plainKey(field.Key); ok {
			index.plain[key] = field.Value
		} else {
			index.tables = append(index.tables, field)
		}
	}
	return index
}

func (x fieldIndex) find(key Value) (Value, bool) {
	if plain, ok := plainKey(key); ok {
		found, ok := x.plain[plain]
		return found, ok
	}
	for _, field := range x.tables {
		if Equal(field.Key, key) {
			return field.Value, true
		}
	}
	return Value{}, false
}

// plainKey returns something comparable that stands for the key, for all keys but tables.
func plainKey(key Value) (any, bool) {
	switch key.Kind {
	case Boolean:
		return key.Boolean, true
	case Number:
		return key.Number, true
	case String:
		return key.Text, true
	case Opaque:
		return key.Identity, true
	}
	return nil, false
}
