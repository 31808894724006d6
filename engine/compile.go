package engine

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"

	"murlua/engine/numeral"
	"murlua/engine/rewrite"
)

// Compile compiles a chunk. The error is an [*Error] of kind syntax that names the line. The result may be shared by
// hosts.
func Compile(name, source string) (*lua.FunctionProto, error) {
	if strings.HasPrefix(source, "#") { // a shebang line; its end keeps the line numbers right
		_, rest, _ := strings.Cut(source, "\n")
		source = "\n" + rest
	}
	chunk, err := Parse(name, source)
	if err != nil {
		return nil, err
	}
	return CompileChunk(name, chunk)
}

// Parse parses a chunk for [CompileChunk], which a prompt may change before.
func Parse(name, source string) (chunk []ast.Stmt, err error) {
	defer func() {
		if r := recover(); r != nil {
			chunk, err = nil, syntaxError(name, 1, r)
		}
	}()
	chunk, err = parse.Parse(strings.NewReader(source), name)
	if err != nil {
		e := syntaxError(name, strings.Count(source, "\n")+1, err)
		e.Message += mistakeAt(source, err)
		return nil, e
	}
	return chunk, nil
}

// CompileChunk compiles a parsed chunk, after changing what the library's compiler gets wrong; see package rewrite.
func CompileChunk(name string, chunk []ast.Stmt) (proto *lua.FunctionProto, err error) {
	defer func() {
		if r := recover(); r != nil { // the compiler panics on some limits
			proto, err = nil, syntaxError(name, 1, r)
		}
	}()
	rewrite.Block(chunk)
	proto, err = lua.Compile(chunk, name)
	if err != nil {
		return nil, syntaxError(name, 1, err)
	}
	bindHelpers(proto)
	return proto, nil
}

// bindHelpers puts the functions in the place of their marks. They need nothing of a particular VM.
func bindHelpers(proto *lua.FunctionProto) {
	for i, constant := range proto.Constants {
		switch constant {
		case lua.LString(rewrite.ConcatMark):
			proto.Constants[i] = &lua.LFunction{IsG: true, GFunction: concat}
		case lua.LString(rewrite.PopMark):
			proto.Constants[i] = &lua.LFunction{IsG: true, GFunction: pop}
		}
	}
	for _, inner := range proto.FunctionPrototypes {
		bindHelpers(inner)
	}
}

// pop is "t[#t] = nil". The library never shortens a list and looks for its end from behind, so without this each
// length after it would take longer.
func pop(L *lua.LState) int {
	if t, ok := L.Get(1).(*lua.LTable); ok && t.Metatable == lua.LNil {
		if n := t.Len(); n > 0 {
			t.Remove(n)
			return 0
		}
	}
	switch v := L.Get(1).(type) {
	case *lua.LTable, *lua.LUserData:
		L.SetTable(v, lua.LNumber(L.ObjLen(v)), lua.LNil)
	case lua.LString:
		raiseText(L, "attempt to index %s", operandText(L, 1, v))
	default:
		raiseText(L, "attempt to get length of %s", operandText(L, 1, v))
	}
	return 0
}

// concat joins its arguments as ".." does: from the right, by __concat where an operand is neither string nor number.
func concat(L *lua.LState) int {
	t, hosted := L.Context().(*thread)
	if !hosted { // a state of the library's own, as tests of compiled chunks use
		L.Push(lua.LString(L.Concat(arguments(L, 1)...)))
		return 1
	}
	c := Call{l: L, t: t, name: "..", plain: true}
	n := L.GetTop()
	result := L.Get(n)
	for i := n - 1; i >= 1; {
		left := L.Get(i)
		if !lua.LVCanConvToString(left) || !lua.LVCanConvToString(result) {
			result = c.concatBy(i, left, result)
			i--
			continue
		}
		first, size := i, len(operand(result))
		for ; first >= 1 && lua.LVCanConvToString(L.Get(first)); first-- {
			size += len(operand(L.Get(first)))
		}
		if err := c.room(size); err != nil {
			c.Raise(err)
		}
		var b strings.Builder
		b.Grow(size)
		for j := first + 1; j <= i; j++ {
			b.WriteString(operand(L.Get(j)))
		}
		b.WriteString(operand(result))
		result, i = lua.LString(b.String()), first
	}
	L.Push(result)
	return 1
}

func operand(v lua.LValue) string {
	switch s := v.(type) {
	case lua.LString:
		return string(s)
	case lua.LNumber:
		return numeral.Text(float64(s))
	}
	return ""
}

// concatBy joins two operands by a metamethod.
func (c *Call) concatBy(left int, a, b lua.LValue) lua.LValue {
	for _, v := range []lua.LValue{a, b} {
		if fn := c.l.GetMetaField(v, "__concat"); fn != lua.LNil {
			return c.callOne(fn, a, b)
		}
	}
	at, wrong := left, a
	if lua.LVCanConvToString(a) {
		at, wrong = left+1, b
	}
	raiseText(c.l, "attempt to concatenate %s", operandText(c.l, at, wrong))
	return nil
}
