package repl

import (
	"maps"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine"
)

// compile compiles one input: as an expression when it is one, else as statements. The function it returns takes
// the table of locals and returns the input's own function. known are the names of lifted locals, to which the
// input's are added when it compiles. An input that ends in the middle is reported by incomplete.
func compile(name, source string, known map[string]bool) (proto *lua.FunctionProto, incomplete bool, err error) {
	source = strings.TrimPrefix(strings.TrimLeft(source, " \t"), "=") + "\n"
	chunk, asExpression := engine.Parse(name, "return "+source)
	if asExpression != nil {
		var asStatements error
		chunk, asStatements = engine.Parse(name, source)
		if asStatements != nil {
			return nil, engine.Incomplete(asExpression) || engine.Incomplete(asStatements), asStatements
		}
	}
	names := maps.Clone(known)
	proto, err = engine.CompileChunk(name, enclose(lift(chunk, names)))
	if err != nil {
		return nil, false, err
	}
	maps.Copy(known, names)
	return proto, false, nil
}
