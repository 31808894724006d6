package meta

import "strings"

// cutType splits an annotation's rest into the type expression at its start and what follows it. A type
// ends at the first blank outside brackets and quotes, except around "|", after the colon of a
// function type's result and after the comma between its results.
func cutType(s string) (typ, rest string) {
	s = strings.TrimLeft(s, " \t")
	end := typeEnd(s)
	return strings.TrimSpace(s[:end]), strings.TrimSpace(s[end:])
}

func typeEnd(s string) int {
	var within nesting
	for i := 0; i < len(s); i++ {
		if c := s[i]; !within.outside(c) || c != ' ' && c != '\t' {
			continue
		}
		next := strings.TrimLeft(s[i:], " \t")
		before := strings.TrimRight(s[:i], " \t")
		if !strings.HasPrefix(next, "|") && !strings.HasSuffix(before, "|") && !strings.HasSuffix(before, "):") && !strings.HasSuffix(before, ",") {
			return i
		}
		i = len(s) - len(next) - 1
	}
	return len(s)
}

// nesting follows brackets and quotes through a text, byte by byte.
type nesting struct {
	depth int
	quote byte
}

// outside takes the next byte and reports whether it stands outside of brackets and quotes.
func (n *nesting) outside(c byte) bool {
	switch {
	case n.quote != 0:
		if c == n.quote {
			n.quote = 0
		}
		return false
	case c == '"' || c == '\'':
		n.quote = c
	case strings.IndexByte("([{<", c) >= 0:
		n.depth++
	case strings.IndexByte(")]}>", c) >= 0:
		n.depth--
	}
	return n.depth == 0 && n.quote == 0
}

// alternatives splits a type expression at its outer "|". The results of a function type reach to the expression's end.
func alternatives(typ string) []string {
	return split(typ, '|')
}

// split takes a type expression apart at a separator outside of brackets and quotes. The results of a function type
// reach to the end.
func split(typ string, separator byte) []string {
	var parts []string
	var within nesting
	start := 0
	for i := 0; i < len(typ); i++ {
		if c := typ[i]; !within.outside(c) || c != separator {
			continue
		}
		if strings.HasPrefix(typ[start:], "fun(") && strings.Contains(typ[start:i], "):") {
			break
		}
		parts = append(parts, strings.TrimSpace(typ[start:i]))
		start = i + 1
	}
	return append(parts, strings.TrimSpace(typ[start:]))
}
