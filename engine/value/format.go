package value

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits bound what [Format] prints. The zero value of each field means its default.
type Limits struct {
	Width  int // columns a table may take on one line; 100
	Depth  int // nested tables that are opened; 8
	Items  int // entries shown of each table; 60
	String int // bytes shown of each string; 2,000
	Lines  int // lines in all, the rest is counted; 500
}

func (l Limits) withDefaults() Limits {
	for _, field := range []struct {
		value    *int
		standard int
	}{{&l.Width, 100}, {&l.Depth, 8}, {&l.Items, 60}, {&l.String, 2000}, {&l.Lines, 500}} {
		if *field.value == 0 {
			*field.value = field.standard
		}
	}
	return l
}

// Format prints v as Lua source where it can: a table that fits is one line, a larger one has a line for each
// entry, fields are sorted, and what the limits leave out is counted. A table that contains itself is numbered
// where it opens, <1>{…}, and named where it is met again, <table 1>.
func Format(v Value, limits Limits) string {
	p := &printer{limits: limits.withDefaults(), numbers: map[*Contents]int{}}
	p.number(v, map[*Contents]bool{})
	lines := strings.Split(p.print(v, 0, 0), "\n")
	if over := len(lines) - p.limits.Lines; over > 0 {
		lines = append(lines[:p.limits.Lines], fmt.Sprintf("… %s more", count(over, "line")))
	}
	return strings.Join(lines, "\n")
}

type printer struct {
	limits  Limits
	numbers map[*Contents]int // of tables that contain themselves
}

// number finds the tables that contain themselves; open holds those we are inside of.
func (p *printer) number(v Value, open map[*Contents]bool) {
	visited := map[*Contents]bool{}
	var walk func(Value)
	walk = func(v Value) {
		if v.Kind != Table {
			return
		}
		if open[v.Table] {
			if p.numbers[v.Table] == 0 {
				p.numbers[v.Table] = len(p.numbers) + 1
			}
			return
		}
		if visited[v.Table] {
			return
		}
		visited[v.Table], open[v.Table] = true, true
		for _, item := range v.Table.List {
			walk(item)
		}
		for _, field := range v.Table.Fields {
			walk(field.Key)
			walk(field.Value)
		}
		delete(open, v.Table)
	}
	walk(v)
}

// print returns v as it stands at the given indentation and after the given number of columns; depth counts
// the tables around it through the indentation.
func (p *printer) print(v Value, depth, column int) string {
	return p.printInside(v, depth, column, nil)
}

func (p *printer) printInside(v Value, depth, column int, open []*Contents) string {
	if v.Kind != Table {
		return p.scalar(v)
	}
	label := ""
	if n := p.numbers[v.Table]; n > 0 {
		for _, outer := range open {
			if outer == v.Table {
				return fmt.Sprintf("<table %d>", n)
			}
		}
		label = fmt.Sprintf("<%d>", n)
	}
	if v.Table.Len() == 0 && !v.Table.Cut {
		return label + "{}"
	}
	if depth >= p.limits.Depth {
		return label + "{ … " + count(v.Table.Len(), "entry") + " }"
	}
	entries := p.entries(v.Table, depth, append(open, v.Table))
	flat := label + "{ " + strings.Join(entries, ", ") + " }"
	if 2*depth+column+utf8.RuneCountInString(flat) <= p.limits.Width && !strings.Contains(flat, "\n") {
		return flat
	}
	indent := strings.Repeat("  ", depth+1)
	var out strings.Builder
	out.WriteString(label + "{\n")
	for _, entry := range entries {
		out.WriteString(indent + entry)
		if !strings.HasPrefix(entry, "…") {
			out.WriteString(",")
		}
		out.WriteString("\n")
	}
	out.WriteString(strings.Repeat("  ", depth) + "}")
	return out.String()
}

func (p *printer) entries(t *Contents, depth int, open []*Contents) []string {
	var entries []string
	left := p.limits.Items
	for _, item := range t.List[:min(left, len(t.List))] {
		entries = append(entries, p.printInside(item, depth+1, 1, open))
	}
	left -= len(entries)
	for _, field := range t.Fields[:min(left, len(t.Fields))] {
		key := p.key(field.Key) + " = "
		entries = append(entries, key+p.printInside(field.Value, depth+1, 1+utf8.RuneCountInString(key), open))
	}
	if more := t.Len() - len(entries); more > 0 {
		entries = append(entries, fmt.Sprintf("… %d more", more))
	} else if t.Cut {
		entries = append(entries, "… and more")
	}
	return entries
}

func (p *printer) key(key Value) string {
	switch {
	case key.Kind == String && IsName(key.Text):
		return key.Text
	case key.Kind == Table:
		return "[table]"
	}
	return "[" + p.scalar(key) + "]"
}

func (p *printer) scalar(v Value) string {
	switch v.Kind {
	case Boolean:
		return strconv.FormatBool(v.Boolean)
	case Number:
		return FormatNumber(v.Number)
	case String:
		if over := len(v.Text) - p.limits.String; over > 0 {
			return Quote(v.Text[:p.limits.String]) + fmt.Sprintf(" … %s more", count(over, "byte"))
		}
		return Quote(v.Text)
	case Opaque:
		return v.Text
	}
	return "nil"
}

// FormatNumber prints a number as Lua does, with the digits that tell it from its neighbours.
func FormatNumber(n float64) string {
	switch {
	case math.IsNaN(n):
		return "nan"
	case math.IsInf(n, 1):
		return "inf"
	case math.IsInf(n, -1):
		return "-inf"
	case n == math.Trunc(n) && math.Abs(n) <= 1<<53:
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return strconv.FormatFloat(n, 'g', -1, 64)
}

// Quote prints a string as a Lua literal on one line. Bytes that are no text are written in decimal.
func Quote(s string) string {
	var out strings.Builder
	out.WriteByte('"')
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size <= 1, r < ' ' && !strings.ContainsRune("\n\r\t", r), r == 0x7f:
			fmt.Fprintf(&out, "\\%03d", s[i])
		case r == '\n':
			out.WriteString(`\n`)
		case r == '\r':
			out.WriteString(`\r`)
		case r == '\t':
			out.WriteString(`\t`)
		case r == '"', r == '\\':
			out.WriteByte('\\')
			out.WriteRune(r)
		case !strconv.IsPrint(r):
			for _, b := range []byte(s[i : i+size]) {
				fmt.Fprintf(&out, "\\%03d", b)
			}
		default:
			out.WriteString(s[i : i+size])
		}
		i += size
	}
	out.WriteByte('"')
	return out.String()
}

var reserved = map[string]bool{
	"and": true, "break": true, "do": true, "else": true, "elseif": true, "end": true, "false": true,
	"for": true, "function": true, "goto": true, "if": true, "in": true, "local": true, "nil": true, "not": true,
	"or": true, "repeat": true, "return": true, "then": true, "true": true, "until": true, "while": true,
}

// IsName reports whether s can stand as a field's name without brackets.
func IsName(s string) bool {
	if s == "" || reserved[s] {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return true
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
