package repl

import (
	"strconv"
	"strings"
)

type tokenKind int

const (
	name     tokenKind = iota
	constant           // a number or a string
	symbol
)

type token struct {
	kind  tokenKind
	text  string
	value any // of a constant: string or float64
	end   int // where it ends in the input
}

// touches reports whether nothing stands between the token and the end of the input.
func (t token) touches(input string) bool { return t.end == len(input) }

// scanned is an input cut into tokens, well enough for completion: it never fails.
type scanned struct {
	tokens []token
	open   string // a string that is not closed, from its quote on
}

func scan(input string) scanned {
	var s scanned
	for i := 0; i < len(input); {
		c := input[i]
		switch {
		case strings.IndexByte(" \t\r\n", c) >= 0:
			i++
		case strings.HasPrefix(input[i:], "--"):
			i = skipComment(input, i)
		case isNameByte(c) && !isDigit(c):
			start := i
			for i < len(input) && isNameByte(input[i]) {
				i++
			}
			s.tokens = append(s.tokens, token{kind: name, text: input[start:i], end: i})
		case isDigit(c):
			start := i
			for i < len(input) && (isNameByte(input[i]) || input[i] == '.') {
				i++
			}
			number, _ := strconv.ParseFloat(input[start:i], 64)
			s.tokens = append(s.tokens, token{kind: constant, text: input[start:i], value: number, end: i})
		case c == '"' || c == '\'':
			end, text := quoted(input, i)
			if end < 0 {
				s.open = input[i:i+1] + text
				return s
			}
			s.tokens = append(s.tokens, token{kind: constant, text: input[i:end], value: text, end: end})
			i = end
		case c == '[' && longBracket(input[i:]) >= 0:
			level := longBracket(input[i:])
			end := strings.Index(input[i:], "]"+strings.Repeat("=", level)+"]")
			if end < 0 {
				s.open = "[" + input[i+level+2:]
				return s
			}
			text := input[i+level+2 : i+end]
			i += end + level + 2
			s.tokens = append(s.tokens, token{kind: constant, text: text, value: text, end: i})
		default:
			s.tokens = append(s.tokens, token{kind: symbol, text: input[i : i+1], end: i + 1})
			i++
		}
	}
	return s
}

// quoted reads the string that begins at start. It returns where it ends, or -1, and its text; escapes are kept
// except for quotes and backslashes.
func quoted(input string, start int) (end int, text string) {
	var out strings.Builder
	for i := start + 1; i < len(input); i++ {
		switch {
		case input[i] == '\\' && i+1 < len(input):
			i++
			if strings.IndexByte(`"'\`, input[i]) < 0 {
				out.WriteByte('\\')
			}
			out.WriteByte(input[i])
		case input[i] == input[start]:
			return i + 1, out.String()
		default:
			out.WriteByte(input[i])
		}
	}
	return -1, out.String()
}

// longBracket returns the level of the long bracket that text begins with, or -1.
func longBracket(text string) int {
	level := 0
	for level+1 < len(text) && text[level+1] == '=' {
		level++
	}
	if level+1 < len(text) && text[level+1] == '[' {
		return level
	}
	return -1
}

func skipComment(input string, start int) int {
	rest := input[start+2:]
	end := "\n"
	if level := longBracket(rest); strings.HasPrefix(rest, "[") && level >= 0 {
		end = "]" + strings.Repeat("=", level) + "]"
	}
	if i := strings.Index(rest, end); i >= 0 {
		return start + 2 + i + len(end)
	}
	return len(input)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isNameByte(c byte) bool {
	return c == '_' || isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
