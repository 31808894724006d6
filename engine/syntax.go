package engine

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"
)

var labelLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^no visible label .* at line (\d+)$`) })

// syntaxError words what the parser or the compiler found in a chunk of so many lines.
func syntaxError(name string, lines int, found any) *Error {
	e := &Error{Kind: KindSyntax, Where: name, Message: fmt.Sprint(found)}
	err, _ := found.(error)
	e.Cause = err
	var parsed *parse.Error
	var compiled *lua.CompileError
	switch {
	case errors.As(err, &parsed) && parsed.Pos.Line == parse.EOF:
		e.Where = fmt.Sprintf("%s:%d", name, lines)
		e.Message = "unexpected end near '<eof>'"
		e.Hint = "something that was opened is not closed: a block without its end, a bracket, a string"
	case errors.As(err, &parsed):
		e.Where = fmt.Sprintf("%s:%d", name, parsed.Pos.Line)
		e.Message = strings.TrimSuffix(parsed.Message, ".")
		if parsed.Token != "" {
			e.Message += fmt.Sprintf(" near '%s'", parsed.Token)
		}
	case errors.As(err, &compiled):
		line := compiled.Line
		if m := labelLine().FindStringSubmatch(compiled.Message); m != nil {
			line, _ = strconv.Atoi(m[1]) // the error's own line is the function's last
		}
		e.Where = fmt.Sprintf("%s:%d", name, line)
		e.Message = compiled.Message
	}
	return e
}

// mistakeAt says more of two mistakes that the parser notices too late, at the next statement: one after a return, and
// a function that is named but not called. It tries what would be right in that place; blocks that are open are closed.
func mistakeAt(source string, err error) string {
	var parsed *parse.Error
	if !errors.As(err, &parsed) {
		return ""
	}
	const uncalled = "; is '()' missing before it?"
	if parsed.Pos.Line == parse.EOF {
		if parses(source + "()") {
			return uncalled
		}
		return ""
	}
	lines := strings.Split(source, "\n")
	if parsed.Pos.Line < 1 || parsed.Pos.Line > len(lines) || !isName(parsed.Token) {
		return ""
	}
	before, _, _ := strings.Cut(lines[parsed.Pos.Line-1], parsed.Token)
	first := strings.TrimSpace(before) == "" // on its line
	before = strings.Join(append(lines[:parsed.Pos.Line-1:parsed.Pos.Line-1], before), "\n")
	const deepest = 20 // blocks
	for open := range deepest {
		end := strings.Repeat(" end", open)
		if parses(before + end) {
			if endsBlock(parsed.Token) || parses(before+" local _"+end) {
				return ""
			}
			return "; nothing may follow 'return' in its block"
		}
		if first && parses(strings.TrimRight(before, " \t\n")+"()"+end) {
			return uncalled
		}
	}
	return ""
}

func parses(source string) bool {
	_, err := parse.Parse(strings.NewReader(source), "")
	return err == nil
}

// isName says whether a token is a name or a keyword.
func isName(token string) bool {
	return token != "" && (token[0] == '_' || token[0]|0x20 >= 'a' && token[0]|0x20 <= 'z')
}

func endsBlock(token string) bool {
	switch token {
	case "end", "else", "elseif", "until", "then", "and", "or", "in":
		return true
	}
	return false
}

// Incomplete reports whether a chunk could not be compiled only because its end is missing: a prompt reads on.
func Incomplete(err error) bool {
	var parsed *parse.Error
	return errors.As(err, &parsed) && parsed.Pos.Line == parse.EOF
}
