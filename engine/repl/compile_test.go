package repl

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	lua "github.com/yuin/gopher-lua"
)

// lines feeds inputs to one state, as a session does, and returns what each returned or how it failed.
func lines(t *testing.T, inputs ...string) []string {
	t.Helper()
	state := lua.NewState()
	defer state.Close()
	known, locals := map[string]bool{}, state.NewTable()
	var got []string
	for _, input := range inputs {
		proto, incomplete, err := compile("=line", input, known)
		if err != nil {
			if incomplete {
				got = append(got, "more")
			} else {
				got = append(got, "syntax")
			}
			continue
		}
		state.SetTop(0)
		state.Push(state.NewFunctionFromProto(proto))
		state.Push(locals)
		state.Call(1, 1)
		if err := state.PCall(0, lua.MultRet, nil); err != nil {
			message, _, _ := strings.Cut(err.Error(), "\n")
			got = append(got, "error: "+message)
			continue
		}
		var values []string
		for i := 1; i <= state.GetTop(); i++ {
			values = append(values, state.Get(i).String())
		}
		got = append(got, strings.Join(values, " "))
	}
	return got
}

func TestLocalsPersist(t *testing.T) {
	tests := []struct {
		name   string
		inputs []string
		want   []string
	}{
		{"a local", []string{"local x = 1", "x", "x = x + 1", "x"}, []string{"", "1", "", "2"}},
		{"it is no global", []string{"local x = 1", "_G.x"}, []string{"", "nil"}},
		{"functions see later changes", []string{"local n = 0", "function inc() n = n + 1 return n end", "inc() + inc()", "n", "n = 10", "inc()"}, []string{"", "", "3", "2", "", "11"}},
		{"local function, recursive", []string{"local function f(n) return n < 2 and 1 or n * f(n - 1) end", "f(5)"}, []string{"", "120"}},
		{"without a value", []string{"x = 1", "local x", "x", "_G.x"}, []string{"", "", "nil", "1"}},
		{"several", []string{"local a, b, c = (function() return 1, 2 end)()", "a, b, c"}, []string{"", "1 2 nil"}},
		{"declared from itself", []string{"x = 7", "local x = x", "x"}, []string{"", "", "7"}},
		{"a block's local hides it", []string{"local x = 1", "do local x = 2; y = x end", "x, y"}, []string{"", "", "1 2"}},
		{"before it is declared in a block it is the outer one", []string{"local x = 1", "do y = x; local x = 2 end", "y"}, []string{"", "", "1"}},
		{"parameters hide it", []string{"local x = 1", "(function(x) return x end)(5)"}, []string{"", "5"}},
		{"loop variables hide it", []string{"local i, k = 1, 2", "for i = 8, 9 do r = i end; for k in pairs {z = 1} do s = k end", "r, s, i, k"}, []string{"", "", "9 z 1 2"}},
		{"until sees the block's locals", []string{"local x = 1", "repeat local x = 5 until x == 5", "x"}, []string{"", "", "1"}},
		{"self", []string{"local self = 'outer'", "t = {n = 3}; function t:get() return self.n end", "t:get(), self"}, []string{"", "", "3 outer"}},
		{"functions defined on it", []string{"local t = {}", "function t.f() return 1 end; function t:m() return self == t end", "t.f(), t:m()"}, []string{"", "", "1 true"}},
		{"keys and fields are names", []string{"local x = 1", "({x = 2}).x, ({[x] = 3})[1]"}, []string{"", "2 3"}},
		{"every kind of expression", []string{"local x = 2", "-x, #{x}, not x, x .. '', x < 3, x + 1, x and 1, math.max(x, 1), {x}[1] == nil"}, []string{"", "syntax"}},
		{"every kind of expression", []string{"local x = 2", "-x, #{x}, not x, x .. '', x < 3, x + 1, x and 1, math.max(x, 1), ('a'):rep(x)"}, []string{"", "-2 1 false 2 true 3 1 2 aa"}},
		{"every kind of statement", []string{"local x = 0", "while x < 2 do x = x + 1 end if x == 2 then x = 20 else x = 30 end for i = x, x + 1, x do x = i end x = x", "x"}, []string{"", "", "20"}},
		{"varargs", []string{"local x = 1", "(function(...) return x, ... end)(2, 3)"}, []string{"", "1 2 3"}},
		{"a chunk has no arguments", []string{"..."}, []string{""}},
		{"goto", []string{"local x = 0", "::again:: x = x + 1 if x < 3 then goto again end", "x"}, []string{"", "", "3"}},
		{"an input that fails keeps what it declared", []string{"local x = 1; error('no')", "x"}, []string{"error: =line:1: no", "1"}},
		{"an input that does not compile declares nothing", []string{"x = 3", "local x = = 1", "x"}, []string{"", "syntax", "3"}},
		{"more than two hundred", []string{manyLocals(), "v1 + v300"}, []string{"", "301"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, lines(t, test.inputs...)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func manyLocals() string {
	var out strings.Builder
	for i := 1; i <= 300; i++ {
		out.WriteString("local v" + lua.LNumber(i).String() + " = " + lua.LNumber(i).String() + "\n")
	}
	return out.String()
}

func TestWhatIsAnExpressionAndWhatWantsMore(t *testing.T) {
	tests := []struct{ input, want string }{
		{"", ""},
		{"1 + 1", "2"},
		{"= 1 + 1", "2"},
		{"  =1", "1"},
		{"return 5", "5"},
		{"x = 1", ""},
		{"1 +", "more"},
		{"function f()", "more"},
		{"f = function()", "more"},
		{"for i = 1, 2 do", "more"},
		{"if true then", "more"},
		{"{", "more"},
		{"print(", "more"},
		{"x =", "more"},
		{"local x =", "more"},
		{"[[text", "more"},
		{"x = [==[text]]", "more"},
		{"--[[ comment", "more"},
		{"-- comment", ""},
		{"1 -- comment", "1"},
		{"'text", "syntax"},
		{"1 2", "syntax"},
		{"end", "syntax"},
		{"x = = 1", "syntax"},
		{"f(}", "syntax"},
		{"(function() return 1\nend)()", "1"},
	}
	for _, test := range tests {
		if got := lines(t, test.input)[0]; got != test.want {
			t.Errorf("%q gives %q, want %q", test.input, got, test.want)
		}
	}
}

func TestErrorsNameTheLineOfTheInput(t *testing.T) {
	got := lines(t, "local x = 1\nlocal y = 2\nerror('here')", "\n\n  nothing.field = 1")
	if want := []string{"error: =line:3: here", "error: =line:3: attempt to index a non-table object(nil) with key 'field'"}; !cmp.Equal(want, got) {
		t.Errorf("got %q, want %q", got, want)
	}
}
