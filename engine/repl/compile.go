package repl

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// compile compiles one input: as an expression when it is one, else as statements. The function it returns takes
// the table of locals and returns the input's own function. known are the names of lifted locals, to which the
// input's are added when it compiles. An input that ends in the middle is reported by incomplete.
func compile(name, source string, known map[string]bool) (proto *lua.FunctionProto, incomplete bool, err error) {
	source = strings.TrimPrefix(strings.TrimLeft(source, " \t"), "=") + "\n"
	chunk, asExpression := parseChunk(name, "return "+source)
	if asExpression != nil {
		var asStatements error
		chunk, asStatements = parseChunk(name, source)
		if asStatements != nil {
			return nil, endsEarly(asExpression) || endsEarly(asStatements), asStatements
		}
	}
	names := maps.Clone(known)
	proto, err = compileChunk(enclose(lift(chunk, names)), name)
	if err != nil {
		return nil, false, err
	}
	maps.Copy(known, names)
	return proto, false, nil
}

func parseChunk(name, source string) ([]ast.Stmt, error) {
	return parse.Parse(strings.NewReader(source), name)
}

func compileChunk(chunk []ast.Stmt, name string) (proto *lua.FunctionProto, err error) {
	defer func() {
		if r := recover(); r != nil { // the compiler panics on some of its limits
			err = fmt.Errorf("%v", r)
		}
	}()
	return lua.Compile(chunk, name)
}

// endsEarly reports whether the parser came to the end of the input and wanted more.
func endsEarly(err error) bool {
	parsed, ok := errors.AsType[*parse.Error](err)
	return ok && parsed.Pos.Line == parse.EOF
}
