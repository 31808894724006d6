package bindings

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine"
)

// encodeJSON writes a Lua value as JSON; indent is what each level adds, "" writes it on one line. Reading tables runs
// no metamethod.
func encodeJSON(value lua.LValue, indent string) (string, error) {
	e := encoder{indent: indent, within: map[*lua.LTable]bool{}}
	if err := e.value(value); err != nil {
		return "", err
	}
	return e.out.String(), nil
}

type encoder struct {
	out    strings.Builder
	indent string
	path   []string
	within map[*lua.LTable]bool // the tables around the value being written
}

func (e *encoder) bad(format string, args ...any) error {
	path := "value" + strings.Join(e.path, "")
	return &engine.Error{
		Kind: "bad_value", Message: fmt.Sprintf("cannot write %s as JSON: %s", path, fmt.Sprintf(format, args...)),
		Fields: map[string]any{"path": path},
	}
}

func (e *encoder) value(value lua.LValue) error {
	switch v := value.(type) {
	case *lua.LNilType:
		e.out.WriteString("null")
	case lua.LBool:
		e.out.WriteString(strconv.FormatBool(bool(v)))
	case lua.LNumber:
		f := float64(v)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return e.bad("%v is not a number that JSON has", f)
		}
		e.out.WriteString(jsonNumber(f))
	case lua.LString:
		writeJSONString(&e.out, string(v))
	case *lua.LTable:
		return e.table(v)
	default:
		if value == engine.Null {
			e.out.WriteString("null")
			return nil
		}
		return e.bad("it is a %s", value.Type())
	}
	return nil
}

func jsonNumber(f float64) string {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 && !(f == 0 && math.Signbit(f)) {
		return strconv.FormatInt(int64(f), 10)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func (e *encoder) table(table *lua.LTable) error {
	if e.within[table] {
		return e.bad("it contains itself")
	}
	if len(e.path) >= maxJSONDepth {
		return e.bad("it is nested more than %d deep", maxJSONDepth)
	}
	e.within[table] = true
	defer delete(e.within, table)
	names, count, err := e.shape(table)
	if err != nil {
		return err
	}
	if names == nil {
		return e.list('[', ']', count, func(i int) (string, lua.LValue) {
			return "[" + strconv.Itoa(i+1) + "]", table.RawGetInt(i + 1)
		})
	}
	return e.list('{', '}', len(names), func(i int) (string, lua.LValue) {
		writeJSONString(&e.out, names[i])
		e.out.WriteByte(':')
		if e.indent != "" {
			e.out.WriteByte(' ')
		}
		return step(names[i]), table.RawGetString(names[i])
	})
}

// step is a key as it is shown in a path.
func step(name string) string {
	for i, r := range name {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return "[" + strconv.Quote(name) + "]"
		}
	}
	return "." + name
}

// shape tells objects (sorted names, never nil) from arrays (nil names and a length).
func (e *encoder) shape(table *lua.LTable) (names []string, length int, err error) {
	var other lua.LValue
	numbers, highest := 0, 0
	names = []string{}
	table.ForEach(func(key, _ lua.LValue) {
		switch k := key.(type) {
		case lua.LString:
			names = append(names, string(k))
		case lua.LNumber:
			numbers++
			if f := float64(k); f >= 1 && f == math.Trunc(f) && f < 1<<53 {
				highest = max(highest, int(f))
			} else {
				other = key
			}
		default:
			other = key
		}
	})
	switch {
	case other != nil:
		return nil, 0, e.bad("it has the key %s (a %s)", other.String(), other.Type())
	case numbers > 0 && len(names) > 0:
		return nil, 0, e.bad("it has both the key %q and numbered ones, so it is neither an object nor an array", slices.Min(names))
	case highest != numbers:
		return nil, 0, e.bad("it is a list with holes: %d values up to [%d]", numbers, highest)
	case numbers > 0 || len(names) == 0 && engine.IsList(table):
		return nil, numbers, nil
	}
	slices.Sort(names)
	return names, 0, nil
}

// list writes the values of an array or object; next writes what stands before each and returns it.
func (e *encoder) list(open, end byte, count int, next func(i int) (string, lua.LValue)) error {
	e.out.WriteByte(open)
	for i := range count {
		if i > 0 {
			e.out.WriteByte(',')
		}
		e.newLine(len(e.path) + 1)
		name, value := next(i)
		e.path = append(e.path, name)
		if err := e.value(value); err != nil {
			return err
		}
		e.path = e.path[:len(e.path)-1]
	}
	if count > 0 {
		e.newLine(len(e.path))
	}
	e.out.WriteByte(end)
	return nil
}

func (e *encoder) newLine(depth int) {
	if e.indent == "" {
		return
	}
	e.out.WriteByte('\n')
	for range depth {
		e.out.WriteString(e.indent)
	}
}

// writeJSONString writes a text in quotes; bytes that are not UTF-8 become U+FFFD, for JSON has no others.
func writeJSONString(out *strings.Builder, s string) {
	const hex = "0123456789abcdef"
	out.WriteByte('"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				out.WriteString(s[start:i])
				out.WriteString("\ufffd")
				start = i + 1
			}
			i += size
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		out.WriteString(s[start:i])
		switch c {
		case '"', '\\':
			out.WriteByte('\\')
			out.WriteByte(c)
		case '\n':
			out.WriteString(`\n`)
		case '\r':
			out.WriteString(`\r`)
		case '\t':
			out.WriteString(`\t`)
		default:
			out.WriteString(`\u00`)
			out.WriteByte(hex[c>>4])
			out.WriteByte(hex[c&15])
		}
		i++
		start = i
	}
	out.WriteString(s[start:])
	out.WriteByte('"')
}
