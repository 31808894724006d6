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

// Incomplete reports whether a chunk could not be compiled only because its end is missing: a prompt reads on.
func Incomplete(err error) bool {
	var parsed *parse.Error
	return errors.As(err, &parsed) && parsed.Pos.Line == parse.EOF
}
