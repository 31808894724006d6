// Package dotenv reads files of NAME=value lines.
//
// A line is empty, a comment that begins with "#", or NAME=value with an optional "export" before it. A value
// in single quotes is taken as it is. One in double quotes may span lines, knows \n, \t, \r, \", \\ and \$, and
// has $NAME and ${NAME} replaced; so has a value without quotes, which ends at " #" and is trimmed. Nothing is
// executed.
package dotenv

import (
	"fmt"
	"strings"
)

// Variable is one assignment, in the order of the file. A name may occur twice; the last one counts.
type Variable struct{ Name, Value string }

// SyntaxError says which line cannot be read. It does not quote the line: it may hold a secret.
type SyntaxError struct {
	Line   int // from 1
	Reason string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }

// Parse reads a file's text. lookup gives the value of a variable that the text does not set before it is used.
func Parse(text string, lookup func(name string) string) ([]Variable, error) {
	r := &reader{rest: strings.TrimPrefix(text, "\ufeff"), line: 1, lookup: lookup, set: map[string]string{}}
	for r.rest != "" {
		if err := r.assignment(); err != nil {
			return nil, err
		}
	}
	return r.variables, nil
}

type reader struct {
	rest      string
	line      int
	lookup    func(string) string
	set       map[string]string
	variables []Variable
}

func (r *reader) refuse(reason string) error { return &SyntaxError{Line: r.line, Reason: reason} }

// assignment reads one line, or more when a quoted value spans them.
func (r *reader) assignment() error {
	line, _, _ := strings.Cut(r.rest, "\n")
	trimmed := strings.TrimSpace(line)
	if trimmed == "" || trimmed[0] == '#' {
		r.skipLine()
		return nil
	}
	name, _, found := strings.Cut(line, "=")
	if !found {
		return r.refuse("it has no '='")
	}
	after := r.rest[len(name)+1:]
	name = strings.TrimSpace(name)
	if exported, ok := strings.CutPrefix(name, "export"); ok && exported != strings.TrimLeft(exported, " \t") {
		name = strings.TrimLeft(exported, " \t")
	}
	if !ValidName(name) {
		return r.refuse("what stands before '=' is not a name of letters, digits and '_'")
	}
	r.rest = strings.TrimLeft(after, " \t")
	value, err := r.value()
	if err != nil {
		return err
	}
	r.set[name] = value
	r.variables = append(r.variables, Variable{name, value})
	return nil
}

func (r *reader) skipLine() {
	_, r.rest, _ = strings.Cut(r.rest, "\n")
	r.line++
}

func (r *reader) value() (string, error) {
	switch {
	case strings.HasPrefix(r.rest, "'"):
		end := strings.IndexByte(r.rest[1:], '\'')
		if end < 0 {
			return "", r.refuse("a single quote is not closed")
		}
		value := r.rest[1 : 1+end]
		return value, r.quoted(value, r.rest[end+2:])
	case strings.HasPrefix(r.rest, `"`):
		end := closingQuote(r.rest)
		if end < 0 {
			return "", r.refuse("a double quote is not closed")
		}
		value := r.rest[1:end]
		return Expand(value, r.get, true), r.quoted(value, r.rest[end+1:])
	}
	line, _, _ := strings.Cut(r.rest, "\n")
	r.skipLine()
	for i := range len(line) {
		if line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			line = line[:i]
			break
		}
	}
	return Expand(strings.TrimSpace(line), r.get, false), nil
}

// quoted goes on after a quoted value: only a comment may follow on its line.
func (r *reader) quoted(value, rest string) error {
	r.line += strings.Count(value, "\n")
	line, _, _ := strings.Cut(rest, "\n")
	if after := strings.TrimSpace(line); after != "" && after[0] != '#' {
		return r.refuse("something follows the closing quote")
	}
	r.rest = rest
	r.skipLine()
	return nil
}

func (r *reader) get(name string) string {
	if value, ok := r.set[name]; ok {
		return value
	}
	return r.lookup(name)
}

func closingQuote(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}

// Expand replaces $NAME and ${NAME} by what lookup gives and "$$" by "$"; with escapes it also understands
// \n, \t, \r, and a backslash before any other character stands for that character. A "$" before anything else
// stays.
func Expand(text string, lookup func(name string) string, escapes bool) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && escapes && i+1 < len(text):
			i++
			b.WriteString(unescape(text[i]))
		case c == '$' && strings.HasPrefix(text[i+1:], "$"):
			i++
			b.WriteByte('$')
		case c == '$':
			name, length := reference(text[i+1:])
			if length == 0 {
				b.WriteByte('$')
				continue
			}
			b.WriteString(lookup(name))
			i += length
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func unescape(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case 'r':
		return "\r"
	}
	return string([]byte{c})
}

// reference reads the name after a dollar sign and tells how many bytes it takes; 0 when there is none.
func reference(s string) (name string, length int) {
	if strings.HasPrefix(s, "{") {
		if end := strings.IndexByte(s, '}'); end > 0 && ValidName(s[1:end]) {
			return s[1:end], end + 1
		}
		return "", 0
	}
	for length < len(s) && nameByte(s[length], length) {
		length++
	}
	return s[:length], length
}

// ValidName says whether a text is a variable's name: letters, digits and '_', not a digit first.
func ValidName(s string) bool {
	for i := range len(s) {
		if !nameByte(s[i], i) {
			return false
		}
	}
	return s != ""
}

func nameByte(c byte, at int) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || at > 0 && '0' <= c && c <= '9'
}
