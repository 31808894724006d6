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
	depth := 0
	var quote byte
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case strings.IndexByte("([{<", c) >= 0:
			depth++
		case strings.IndexByte(")]}>", c) >= 0:
			depth--
		case (c == ' ' || c == '\t') && depth == 0:
			next := strings.TrimLeft(s[i:], " \t")
			before := strings.TrimRight(s[:i], " \t")
			if strings.HasPrefix(next, "|") || strings.HasSuffix(before, "|") || strings.HasSuffix(before, "):") || strings.HasSuffix(before, ",") {
				i = len(s) - len(next) - 1
				continue
			}
			return i
		}
	}
	return len(s)
}

// alternatives splits a type expression at its outer "|". The results of a function type reach to the expression's end.
func alternatives(typ string) []string {
	var parts []string
	depth, start := 0, 0
	var quote byte
	for i := 0; i < len(typ); i++ {
		c := typ[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case strings.IndexByte("([{<", c) >= 0:
			depth++
		case strings.IndexByte(")]}>", c) >= 0:
			depth--
		case c == '|' && depth == 0 && strings.HasPrefix(typ[start:], "fun(") && strings.Contains(typ[start:i], "):"):
			return append(parts, strings.TrimSpace(typ[start:]))
		case c == '|' && depth == 0:
			parts = append(parts, strings.TrimSpace(typ[start:i]))
			start = i + 1
		}
	}
	return append(parts, strings.TrimSpace(typ[start:]))
}
