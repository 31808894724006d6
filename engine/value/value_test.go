package value

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	lua "github.com/yuin/gopher-lua"
)

// eval returns the value of a Lua expression.
func eval(t *testing.T, source string) Value {
	t.Helper()
	state := lua.NewState()
	defer state.Close()
	if err := state.DoString("return " + source); err != nil {
		t.Fatal(err)
	}
	return Of(state.Get(-1), Options{})
}

func TestFormat(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"nil", "nil", "nil"},
		{"boolean", "true", "true"},
		{"whole number", "1e9", "1000000000"},
		{"large number", "2^53", "9007199254740992"},
		{"larger number", "1e300", "1e+300"},
		{"fraction", "0.1", "0.1"},
		{"negative zero is a number", "1/3", "0.3333333333333333"},
		{"nan", "0/0 ~= 0/0 and 0/0", "nan"},
		{"text", `"a\"b\\c\n\t"`, `"a\"b\\c\n\t"`},
		{"bytes", `"\0\255é"`, `"\000\255é"`},
		{"escape codes are not sent to the terminal", `"\27[31m"`, `"\027[31m"`},
		{"empty", "{}", "{}"},
		{"list", "{1, 2, {3}}", "{ 1, 2, { 3 } }"},
		{"fields are sorted", "{b = 2, a = 1, [10] = 3, [2.5] = 4}", "{ [2.5] = 4, [10] = 3, a = 1, b = 2 }"},
		{"a hole ends the list", "{1, nil, 3}", "{ 1, [3] = 3 }"},
		{"keys", `{["end"] = 1, ["a b"] = 2, _x1 = 3, [true] = 4}`, `{ _x1 = 3, ["a b"] = 2, ["end"] = 1, [true] = 4 }`},
		{"cycle", "(function() local t = {name = 'a'}; t.self = t; return t end)()", `<1>{ name = "a", self = <table 1> }`},
		{"shared is no cycle", "(function() local s = {1}; return {s, s} end)()", "{ { 1 }, { 1 } }"},
		{
			"large tables take lines", "{ name = ('x'):rep(50), peers = { { name = 'coder', pid = 12 } }, text = ('y'):rep(60) }",
			"{\n  name = \"" + strings.Repeat("x", 50) + "\",\n  peers = { { name = \"coder\", pid = 12 } },\n  text = \"" + strings.Repeat("y", 60) + "\",\n}",
		},
		{"depth", "{{{{{{{{{1}}}}}}}}}", "{ { { { { { { { { … 1 entry } } } } } } } } }"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Format(eval(t, test.source), Limits{})); diff != "" {
				t.Errorf("printed otherwise (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFormatKeepsToItsLimits(t *testing.T) {
	list := eval(t, "(function() local t = {}; for i = 1, 10000 do t[i] = i end; t.x = 1; return t end)()")
	printed := Format(list, Limits{Items: 3})
	if want := "{ 1, 2, 3, … 9998 more }"; printed != want {
		t.Errorf("printed %q, want %q", printed, want)
	}
	text := Format(OfString(strings.Repeat("a", 100)), Limits{String: 4})
	if want := `"aaaa" … 96 bytes more`; text != want {
		t.Errorf("printed %q, want %q", text, want)
	}
	wide := eval(t, "{1,2,3,4,5,6,7,8}")
	if want, got := "{\n  1,\n… 8 lines more", Format(wide, Limits{Width: 1, Lines: 2}); got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

func TestOfStopsAtItsBound(t *testing.T) {
	state := lua.NewState()
	defer state.Close()
	table := state.NewTable()
	for i := 1; i <= 10; i++ {
		table.RawSetInt(i, lua.LNumber(i))
	}
	copied := Of(table, Options{Entries: 4})
	if !copied.Table.Cut || len(copied.Table.List) != 4 {
		t.Errorf("copied %d entries, cut %v; want 4 and cut", len(copied.Table.List), copied.Table.Cut)
	}
	if got := Format(copied, Limits{}); got != "{ 1, 2, 3, 4, … and more }" {
		t.Errorf("printed %q", got)
	}
	if Equal(copied, Of(table, Options{Entries: 4})) {
		t.Error("two copies that were cut must not count as equal: their rest is unknown")
	}
}

func TestOfRunsNoMetamethod(t *testing.T) {
	state := lua.NewState()
	defer state.Close()
	err := state.DoString(`
		local meta = {}
		for _, name in ipairs {"__index", "__tostring", "__eq", "__len", "__pairs"} do
			meta[name] = function() error("ran " .. name) end
		end
		value = setmetatable({1, 2, a = 3}, meta)`)
	if err != nil {
		t.Fatal(err)
	}
	got := Format(Of(state.GetGlobal("value"), Options{}), Limits{})
	if want := "{ 1, 2, a = 3 }"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

func TestDescribeNamesOpaqueValues(t *testing.T) {
	state := lua.NewState()
	defer state.Close()
	if err := state.DoString(`value = {setmetatable({}, {__tostring = 1}), {}, print}`); err != nil {
		t.Fatal(err)
	}
	describe := func(v lua.LValue) (string, bool) { return "<" + v.Type().String() + ">", true }
	got := Format(Of(state.GetGlobal("value"), Options{Describe: describe}), Limits{})
	if want := "{ <table>, {}, <function> }"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

func TestEqual(t *testing.T) {
	const cycle = "(function() local t = {1}; t.me = t; return t end)()"
	const longer = "(function() local t, u = {1}, {1}; t.me = u; u.me = t; return t end)()"
	tests := []struct {
		a, b string
		want bool
	}{
		{"1", "1", true},
		{"1", `"1"`, false},
		{"nil", "false", false},
		{"0/0", "0/0", true},
		{"{1, {2}}", "{1, {2}}", true},
		{"{1, {2}}", "{1, {3}}", false},
		{"{a = 1}", "{a = 1, b = 2}", false},
		{"{[{1}] = 2}", "{[{1}] = 2}", true},
		{"{[{1}] = 2}", "{[{1}] = 3}", false},
		{cycle, cycle, true},
		{cycle, longer, true},
		{cycle, "{1, me = {1}}", false},
	}
	for _, test := range tests {
		if got := Equal(eval(t, test.a), eval(t, test.b)); got != test.want {
			t.Errorf("%s equals %s: %v, want %v", test.a, test.b, got, test.want)
		}
	}
}

func TestDiff(t *testing.T) {
	tests := []struct{ name, want, got, diff string }{
		{"equal", "{1}", "{1}", ""},
		{"scalars", "1", `"1"`, "- 1\n+ \"1\""},
		{
			"a field", "{name = 'coder', state = 'live'}", "{name = 'coder', state = 'gone'}",
			"  {\n    name = \"coder\",\n-   state = \"live\",\n+   state = \"gone\",\n  }",
		},
		{
			"missing and new", "{a = 1, b = 2}", "{b = 2, c = {3}}",
			"  {\n-   a = 1,\n    b = 2,\n+   c = { 3 },\n  }",
		},
		{
			"an item put in", "{1, 2, 3, 4, 5, 6, 7, 8, 9}", "{1, 2, 3, 4, 5, 'new', 6, 7, 8, 9}",
			"  {\n    … 3 equal\n    4,\n    5,\n+   \"new\",\n    6,\n    7,\n    … 2 equal\n  }",
		},
		{
			"nested", "{peers = {{name = 'a', pid = 1}}}", "{peers = {{name = 'a', pid = 2}}}",
			"  {\n    peers = {\n      {\n        name = \"a\",\n-       pid = 1,\n+       pid = 2,\n      },\n    },\n  }",
		},
		{
			"text", `"one\ntwo\nthree"`, `"one\n2\nthree"`,
			"  text of several lines:\n    \"one\",\n-   \"two\",\n+   \"2\",\n    \"three\",",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Diff(eval(t, test.want), eval(t, test.got))
			if diff := cmp.Diff(test.diff, got); diff != "" {
				t.Errorf("the diff is otherwise (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDiffOfTablesThatContainThemselvesEnds(t *testing.T) {
	a := eval(t, "(function() local t = {n = 1}; t.me = t; return t end)()")
	b := eval(t, "(function() local t = {n = 2}; t.me = t; return t end)()")
	if got := Diff(a, b); !strings.Contains(got, "-   n = 1") || !strings.Contains(got, "+   n = 2") {
		t.Errorf("the diff does not name the difference:\n%s", got)
	}
}

func TestDiffOfLongListsIsBounded(t *testing.T) {
	list := func(offset int) Value {
		contents := &Contents{}
		for i := range 5000 {
			contents.List = append(contents.List, OfNumber(float64(i*2+offset)))
		}
		return Value{Kind: Table, Table: contents}
	}
	got := strings.Split(Diff(list(0), list(1)), "\n")
	if want := fmt.Sprintf("  … %d lines more", 2*5000+2-maxDiffLines); got[len(got)-1] != want {
		t.Errorf("the diff ends with %q, want %q", got[len(got)-1], want)
	}
}
