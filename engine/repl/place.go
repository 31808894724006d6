package repl

import "strings"

// position is where in the input the cursor stands, as far as completion wants to know.
type position struct {
	inString bool   // inside of a string
	quoted   string // what stands in the string before the cursor

	path   []any  // names (string) and constant indices (string, float64) before the last separator
	method bool   // the last separator is a colon
	typed  string // the beginning of the name at the cursor

	// In a table constructor that is the last argument of a call, where a field's name is expected: the call.
	call []string
}

// locate reads the input up to the cursor.
func locate(input string) position {
	s := scan(input)
	if s.open != "" {
		return position{inString: true, quoted: s.open[1:]}
	}
	tokens := s.tokens
	p := position{}
	if n := len(tokens); n > 0 && tokens[n-1].kind == name && tokens[n-1].touches(input) {
		p.typed = tokens[n-1].text
		tokens = tokens[:n-1]
	}
	if n := len(tokens); n > 0 && (tokens[n-1].text == "." || tokens[n-1].text == ":") && tokens[n-1].kind == symbol {
		p.method = tokens[n-1].text == ":"
		p.path = pathBefore(tokens[:n-1])
		if p.path == nil { // what stands before is no constant path, such as the result of a call
			p.path = []any{nil}
		}
		return p
	}
	if n := len(tokens); n > 0 && tokens[n-1].kind == symbol && strings.Contains("{,;", tokens[n-1].text) {
		p.call = enclosingCall(tokens)
	}
	return p
}

// pathBefore reads a path such as mur.peers[1]["name"] backwards from the end of tokens; nil when there is none.
func pathBefore(tokens []token) []any {
	var path []any
	for i := len(tokens) - 1; i >= 0; {
		t := tokens[i]
		switch {
		case t.kind == name:
			path = append([]any{t.text}, path...)
			if i == 0 || tokens[i-1].kind != symbol || tokens[i-1].text != "." {
				return path
			}
			i -= 2
		case t.text == "]" && i >= 3 && tokens[i-2].text == "[" && tokens[i-1].kind == constant:
			path = append([]any{tokens[i-1].value}, path...)
			i -= 3
		default:
			return nil
		}
	}
	return nil
}

// enclosingCall returns the name of the function whose call has, as its last argument so far, the table
// constructor that is open at the end of tokens.
func enclosingCall(tokens []token) []string {
	open := innermostOpen(tokens)
	if open < 1 || tokens[open].text != "{" {
		return nil
	}
	before := tokens[:open]
	if last := before[open-1]; last.text == "(" || last.text == "," {
		outer := innermostOpen(before)
		if outer < 1 || before[outer].text != "(" {
			return nil
		}
		before = before[:outer]
	}
	var call []string
	for _, step := range pathBefore(before) {
		text, ok := step.(string)
		if !ok {
			return nil
		}
		call = append(call, text)
	}
	return call
}

// innermostOpen returns the index of the last bracket that is not closed, or -1.
func innermostOpen(tokens []token) int {
	depth := 0
	for i := len(tokens) - 1; i >= 0; i-- {
		if tokens[i].kind != symbol {
			continue
		}
		switch tokens[i].text {
		case ")", "}", "]":
			depth++
		case "(", "{", "[":
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return -1
}
