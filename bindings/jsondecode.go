package bindings

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine"
)

// decodeJSON reads one JSON value into Lua values; arrays are marked as lists. A repeated key keeps its last value.
func decodeJSON(L *lua.LState, text string, dropNull bool) (lua.LValue, error) {
	d := decoder{l: L, text: text, dropNull: dropNull}
	value, err := d.value(0)
	if err == nil {
		if d.blank(); d.at < len(text) {
			err = d.bad("something follows the value")
		}
	}
	if err != nil {
		return nil, err
	}
	return d.outer(value), nil
}

type decoder struct {
	l        *lua.LState
	text     string
	at       int
	dropNull bool
}

// outer is what a null becomes anywhere but as a member of an object.
func (d *decoder) outer(value lua.LValue) lua.LValue {
	if d.dropNull && value == engine.Null {
		return lua.LFalse
	}
	return value
}

// bad is an error about the place where the decoder is.
func (d *decoder) bad(format string, args ...any) error {
	before := d.text[:min(d.at, len(d.text))]
	line := 1 + strings.Count(before, "\n")
	column := 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	what := fmt.Sprintf(format, args...)
	return &engine.Error{
		Kind: "bad_json", Message: fmt.Sprintf("not JSON at line %d, column %d: %s", line, column, what),
		Fields: map[string]any{"line": line, "column": column},
	}
}

func (d *decoder) unexpected(wanted string) error {
	if d.at >= len(d.text) {
		return d.bad("%s expected, the text ends", wanted)
	}
	r, _ := utf8.DecodeRuneInString(d.text[d.at:])
	return d.bad("%s expected, got %q", wanted, r)
}

func (d *decoder) blank() {
	for d.at < len(d.text) {
		switch d.text[d.at] {
		case ' ', '\t', '\n', '\r':
			d.at++
		default:
			return
		}
	}
}

// take skips white space and one character, if it comes next.
func (d *decoder) take(c byte) bool {
	d.blank()
	if d.at < len(d.text) && d.text[d.at] == c {
		d.at++
		return true
	}
	return false
}

func (d *decoder) value(depth int) (lua.LValue, error) {
	if depth > maxJSONDepth {
		return nil, d.bad("nested more than %d deep", maxJSONDepth)
	}
	d.blank()
	if d.at >= len(d.text) {
		return nil, d.unexpected("a value")
	}
	switch c := d.text[d.at]; {
	case c == '{':
		d.at++
		return d.object(depth)
	case c == '[':
		d.at++
		return d.array(depth)
	case c == '"':
		s, err := d.string()
		return lua.LString(s), err
	case c == '-' || '0' <= c && c <= '9':
		return d.number()
	}
	switch rest := d.text[d.at:]; {
	case strings.HasPrefix(rest, "true"):
		d.at += len("true")
		return lua.LTrue, nil
	case strings.HasPrefix(rest, "false"):
		d.at += len("false")
		return lua.LFalse, nil
	case strings.HasPrefix(rest, "null"):
		d.at += len("null")
		return engine.Null, nil
	}
	return nil, d.unexpected("a value")
}

func (d *decoder) object(depth int) (lua.LValue, error) {
	table := d.l.NewTable()
	if d.take('}') {
		return table, nil
	}
	for {
		if d.blank(); d.at >= len(d.text) || d.text[d.at] != '"' {
			return nil, d.unexpected("a name in double quotes")
		}
		name, err := d.string()
		if err != nil {
			return nil, err
		}
		if !d.take(':') {
			return nil, d.unexpected("':'")
		}
		value, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if d.dropNull && value == engine.Null {
			value = lua.LNil
		}
		table.RawSetString(name, value)
		if d.take('}') {
			return table, nil
		}
		if !d.take(',') {
			return nil, d.unexpected("',' or '}'")
		}
	}
}

func (d *decoder) array(depth int) (lua.LValue, error) {
	table := d.l.NewTable()
	engine.MarkList(d.l, table)
	if d.take(']') {
		return table, nil
	}
	for i := 1; ; i++ {
		value, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		table.RawSetInt(i, d.outer(value))
		if d.take(']') {
			return table, nil
		}
		if !d.take(',') {
			return nil, d.unexpected("',' or ']'")
		}
	}
}

func (d *decoder) number() (lua.LValue, error) {
	start := d.at
	digits := func() bool {
		from := d.at
		for d.at < len(d.text) && '0' <= d.text[d.at] && d.text[d.at] <= '9' {
			d.at++
		}
		return d.at > from
	}
	skip := func(set string) bool {
		if d.at < len(d.text) && strings.IndexByte(set, d.text[d.at]) >= 0 {
			d.at++
			return true
		}
		return false
	}
	skip("-")
	if !skip("0") && !digits() {
		return nil, d.unexpected("a digit")
	}
	if skip(".") && !digits() {
		return nil, d.unexpected("a digit")
	}
	if skip("eE") {
		skip("+-")
		if !digits() {
			return nil, d.unexpected("a digit")
		}
	}
	f, err := strconv.ParseFloat(d.text[start:d.at], 64)
	if err != nil {
		d.at = start
		return nil, d.bad("the number is too large")
	}
	return lua.LNumber(f), nil
}

// string reads a text in quotes; the decoder is at the first of them.
func (d *decoder) string() (string, error) {
	d.at++
	start := d.at
	var out []byte // nil while nothing had to be replaced
	for d.at < len(d.text) {
		switch c := d.text[d.at]; {
		case c == '"':
			s := d.text[start:d.at]
			d.at++
			if out == nil {
				return s, nil
			}
			return string(append(out, s...)), nil
		case c < ' ':
			return "", d.bad("a control character inside a string: write it as \\u%04x", c)
		case c == '\\':
			out = append(out, d.text[start:d.at]...)
			if out == nil {
				out = []byte{}
			}
			r, err := d.escape()
			if err != nil {
				return "", err
			}
			out = utf8.AppendRune(out, r)
			start = d.at
		default:
			d.at++
		}
	}
	return "", d.bad("a string is not closed")
}

const escapes = "\"\"\\\\//b\bf\fn\nr\rt\t"

// escape reads what begins with a backslash.
func (d *decoder) escape() (rune, error) {
	if d.at+1 >= len(d.text) {
		return 0, d.bad("a string is not closed")
	}
	c := d.text[d.at+1]
	for i := 0; i < len(escapes); i += 2 {
		if escapes[i] == c {
			d.at += 2
			return rune(escapes[i+1]), nil
		}
	}
	r, ok := d.unit(d.at)
	if !ok {
		return 0, d.bad("an escape that JSON does not have")
	}
	d.at += 6
	if utf16.IsSurrogate(r) {
		if low, ok := d.unit(d.at); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				d.at += 6
				return pair, nil
			}
		}
		return utf8.RuneError, nil
	}
	return r, nil
}

// unit reads \uXXXX at a place.
func (d *decoder) unit(at int) (rune, bool) {
	if at+6 > len(d.text) || d.text[at] != '\\' || d.text[at+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(d.text[at+2:at+6], 16, 16)
	return rune(n), err == nil
}
