package rewrite_test

import (
	"fmt"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"

	"murlua/engine/rewrite"
)

// What each program gives as the library compiles it is beside what is right: when the library is mended, the first
// changes, and what was rewritten for it can go.
func TestChunksMeanWhatTheySay(t *testing.T) {
	for program, want := range map[string]struct{ asItIs, right string }{
		"local a, b = 1, 2; a, b = b, a; return a, b": {"2 2", "2 1"},
		"return 0010": {"8", "10"},
		"local f = function() return f end; return f() == nil":                       {"false", "true"},
		"local f, x, y = function() return false end, 1, 2; x = f() and y; return x": {"1", "false"},
		"local t, a = {7}, 1; a, t = t, a; return type(a), type(t)":                  {"table table", "table number"},
	} {
		for _, way := range []struct {
			name, want string
			change     func([]ast.Stmt)
		}{{"as it is", want.asItIs, func([]ast.Stmt) {}}, {"rewritten", want.right, rewrite.Block}} {
			if got := result(t, program, way.change); got != way.want {
				t.Errorf("%s\n%s: %s, want %s", program, way.name, got, way.want)
			}
		}
	}
}

// result runs a program on the library alone and returns what it returns.
func result(t *testing.T, program string, change func([]ast.Stmt)) string {
	t.Helper()
	chunk, err := parse.Parse(strings.NewReader(program), "test")
	if err != nil {
		t.Fatal(err)
	}
	change(chunk)
	proto, err := lua.Compile(chunk, "test")
	if err != nil {
		return fmt.Sprint(err)
	}
	L := lua.NewState()
	defer L.Close()
	L.Push(L.NewFunctionFromProto(proto))
	if err := L.PCall(0, lua.MultRet, nil); err != nil {
		return err.Error()
	}
	var values []string
	for i := range L.GetTop() {
		values = append(values, L.Get(i+1).String())
	}
	return strings.Join(values, " ")
}
