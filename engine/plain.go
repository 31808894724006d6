package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"math"

	lua "github.com/yuin/gopher-lua"
)

// What follows is for the language's own libraries: they read numbers as C does and raise strings as Lua does.

// fail raises a string with the caller's position. It does not return; its result is for return statements.
func (c *Call) fail(format string, args ...any) error {
	c.l.Error(lua.LString(placeAt(c.l, 1)+fmt.Sprintf(format, args...)), 0)
	return nil
}

// push adds results.
func (c *Call) push(values ...lua.LValue) {
	for _, v := range values {
		c.l.Push(v)
	}
	c.returned += len(values)
}

// any reads an argument that has to be there, if only as nil.
func (c *Call) any(n int) lua.LValue {
	if n > c.Len() {
		c.BadArgument(n, "value expected")
	}
	return c.Get(n)
}

// truncated reads a number and cuts its fraction off.
func (c *Call) truncated(n int) int {
	f := c.Number(n)
	switch {
	case math.IsNaN(f):
		return math.MinInt32
	case f > math.MaxInt32:
		return math.MaxInt32
	case f < math.MinInt32:
		return math.MinInt32
	}
	return int(f)
}

func (c *Call) optTruncated(n, otherwise int) int {
	if !c.Has(n) {
		return otherwise
	}
	return c.truncated(n)
}

// osMessage words a failed system call as C does: "path: reason".
func osMessage(err error, path string) string {
	var failed *fs.PathError
	reason := err
	if errors.As(err, &failed) {
		reason = failed.Err
	}
	text := reason.Error()
	if text != "" && 'a' <= text[0] && text[0] <= 'z' {
		text = string(text[0]-0x20) + text[1:]
	}
	if path == "" {
		return text
	}
	return path + ": " + text
}

// asMethod says whether the script calls the function with a colon.
func (c *Call) asMethod() bool {
	f, ok := frameAt(c.l, 1)
	if !ok || f.fn.IsG {
		return false
	}
	pc := f.pc()
	if pc < 0 || pc >= len(f.fn.Proto.Code) {
		return false
	}
	at := setter(f.fn.Proto, pc, argA(f.fn.Proto.Code[pc]))
	return at >= 0 && opcode(f.fn.Proto.Code[at]) == lua.OP_SELF
}
