package engine

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	lua "github.com/yuin/gopher-lua"
)

type sample struct {
	Name        string
	ReadyWithin time.Duration
	Count       int      `lua:"n"`
	Tags        []string `json:"tags,omitempty"`
	Env         map[string]string
	Inner       *sample
	Flags       struct{ Dry bool }
	Skipped     chan int `lua:"-"`
	Any         any
}

// withState runs a check with a thread of a host.
func withState(t testing.TB, check func(c *Call)) {
	t.Helper()
	h := newHost(t, Options{})
	if err := h.Do(context.Background(), func(c *Call) error { check(c); return nil }); err != nil {
		t.Fatal(err)
	}
}

func TestConversionsGoBothWays(t *testing.T) {
	withState(t, func(c *Call) {
		want := sample{
			Name: "a", ReadyWithin: 1500 * time.Millisecond, Count: 3, Tags: []string{"x", "y"}, Env: map[string]string{"K": "v"},
			Inner: &sample{Name: "inner", Env: map[string]string{}, Any: "text"}, Any: []any{1.0, "two", true},
		}
		want.Flags.Dry = true
		lv, err := FromGo(c.L(), want)
		if err != nil {
			t.Fatal(err)
		}
		table := lv.(*lua.LTable)
		if got := table.RawGetString("ready_within"); got != lua.LNumber(1.5) {
			t.Errorf("the duration became %v", got)
		}
		if got := table.RawGetString("n"); got != lua.LNumber(3) {
			t.Errorf("the tag gave %v", got)
		}
		var got sample
		if err := ToGo(lv, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Skipped" }, cmp.Ignore())); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}

func TestConversionErrors(t *testing.T) {
	withState(t, func(c *Call) {
		for source, want := range map[string]string{
			`return { nme = "x" }`:                       "unknown key 'nme'; did you mean 'name'?",
			`return { name = {} }`:                       "'name': string expected, got table",
			`return { inner = { inner = { n = "x" } } }`: "'inner.inner.n': number expected, got string",
			`return { n = 1.5 }`:                         "'n': whole number expected, got 1.5",
			`return { n = 1e300 }`:                       "'n': 1e+300 is out of range",
			`return { tags = { "a", 5, {} } }`:           "'tags[3]': string expected, got table",
			`return { tags = { "a", x = 1 } }`:           `'tags': list expected, got a table with the key "x"`,
			`return { ready_within = -1 }`:               "'ready_within': seconds must be zero or more, got -1",
			`return { env = { K = false } }`:             "'env.K': string expected, got boolean",
			`return { any = function() end }`:            "cannot convert a function",
			`local t = {} t.inner = t return t`:          "cannot convert a table nested more than 100 deep",
			`return "text"`:                              "table expected, got string",
		} {
			values, err := c.Call(load(t, c, source))
			if err != nil {
				t.Fatal(err)
			}
			var got sample
			if err := ToGo(values[0], &got); err == nil || err.Error() != want {
				t.Errorf("%s: %v, want %s", source, err, want)
			}
		}
		deep := map[string]any{}
		deep["self"] = deep
		if _, err := FromGo(c.L(), deep); err == nil {
			t.Error("a map in itself was converted")
		}
		if _, err := FromGo(c.L(), make(chan int)); err == nil {
			t.Error("a channel was converted")
		}
	})
}

func load(t testing.TB, c *Call, source string) *lua.LFunction {
	t.Helper()
	proto, err := Compile("test.lua", source)
	if err != nil {
		t.Fatal(err)
	}
	return c.L().NewFunctionFromProto(proto)
}

func TestPlainValues(t *testing.T) {
	withState(t, func(c *Call) {
		values, err := c.Call(load(t, c, `return { 1, "a", true }, { x = { y = 1 } }, {}, nil, 1/0`))
		if err != nil {
			t.Fatal(err)
		}
		want := []any{[]any{1.0, "a", true}, map[string]any{"x": map[string]any{"y": 1.0}}, map[string]any{}, nil, math.Inf(1)}
		for i, v := range values {
			got, err := ToAny(v)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want[i], got); diff != "" {
				t.Errorf("value %d (-want +got)\n%s", i, diff)
			}
		}
		failure := errors.New("mine")
		lv, err := FromGo(c.L(), failure)
		if err != nil {
			t.Fatal(err)
		}
		back, err := ToAny(lv)
		if asError, ok := back.(error); err != nil || !ok || !errors.Is(asError, failure) {
			t.Errorf("an error came back as %v, %v", back, err)
		}
		if v, err := ToAny(Null); err != nil || v != (NullValue{}) {
			t.Errorf("null came back as %v, %v", v, err)
		}
	})
}

// FuzzConversions: what a script can build converts to Go and back to the same, or not at all.
func FuzzConversions(f *testing.F) {
	for _, seed := range []string{`{}`, `{ 1, 2, { 3 } }`, `{ a = { b = {} } }`, `"x\0y"`, `1e308`, `{ [1.5] = 1 }`, `{ 1, nil, 3 }`, `{ [true] = 1 }`, `{ ["1"] = 1 }`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		proto, err := Compile("fuzz.lua", "return "+source)
		if err != nil {
			return
		}
		h := newHost(t, Options{Sandbox: true, Budget: 100_000, MaxString: 1 << 16})
		_ = h.Do(context.Background(), func(c *Call) error { // the script may fail
			values, err := c.Call(c.L().NewFunctionFromProto(proto))
			if err != nil || len(values) == 0 {
				return err
			}
			once, err := ToAny(values[0])
			if err != nil {
				return err
			}
			lv, err := FromGo(c.L(), once)
			if err != nil {
				t.Errorf("cannot go back: %v", err)
				return nil
			}
			twice, err := ToAny(lv)
			if err != nil {
				t.Errorf("cannot go again: %v", err)
			} else if diff := cmp.Diff(once, twice, cmp.Comparer(sameNumber)); diff != "" {
				t.Errorf("changed (-once +twice)\n%s", diff)
			}
			return nil
		})
	})
}

func sameNumber(a, b float64) bool { return a == b || a != a && b != b }
