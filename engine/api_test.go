package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// demo is a module as a binding writes one.
func demo() Module {
	handle := NewType("handle")
	handle.Methods["name"] = func(c *Call) error { return c.Return(c.Self().(*string)) }
	handle.Methods["rename"] = func(c *Call) error {
		*c.Self().(*string) = c.String(1)
		return nil
	}
	handle.Fields["length"] = func(v any) any { return len(*v.(*string)) }
	handle.String = func(v any) string { return "handle " + *v.(*string) }
	return Module{
		Name: "demo",
		Functions: map[string]Function{
			"add": func(c *Call) error { return c.Return(c.Number(1) + c.Number(2)) },
			"open": func(c *Call) error {
				name := c.String(1)
				o := c.Options(2)
				name += o.String("suffix", "")
				o.Duration("ready_within", time.Second)
				o.Done(false)
				return c.Return(handle.Box(&name))
			},
			"fail": func(c *Call) error {
				return &Error{Kind: "launch", Message: "it failed", Hint: "try again", Fields: map[string]any{"failed": []string{"a", "b"}}, Cause: errDemo}
			},
			"rewrap": func(c *Call) error {
				_, err := c.Call(c.Function(1))
				return err
			},
			"wait": func(c *Call) error {
				return c.Block(func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
			},
			"panic": func(c *Call) error {
				var m map[string]int
				m["x"] = 1 //lint:ignore SA5000 this is the panic that is wanted
				return nil
			},
		},
		Open: func(c *Call, module *lua.LTable) error {
			module.RawSetString("version", lua.LString("1"))
			return nil
		},
	}
}

var errDemo = errors.New("demo")

func runDemo(t *testing.T, ctx context.Context, source string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	h := newHost(t, Options{Stdout: &out, Modules: []Module{demo()}, Stdlib: NewLibrary(fstest.MapFS{
		"twice.lua": {Data: []byte(`local native = ...
			return {
				of = function(x) return 2 * x end, native = native, fail = function() error("as asked") end,
				twice = function(f) f() f() end,
			}`)},
	})})
	_, err := h.Run(ctx, "test.lua", "local mur = require 'mur'\n"+source)
	return out.String(), err
}

func TestModules(t *testing.T) {
	got, err := runDemo(t, context.Background(), `
		print(mur.demo.add(1, 2), mur.demo.version, require "mur.demo" == mur.demo)
		print(mur.twice.of(4), mur.twice.native)
		local x = mur.demo.open("n", { suffix = "!" })
		print(x, x.length, x:name(), type(x))
		x:rename("long")
		print(x, x == x, getmetatable(x))
		for _, f in ipairs {
			function() mur.demo.add(1) end,
			function() mur.demo.open("n", { readywithin = 1 }) end,
			function() mur.demo.open("n", { ready_within = "soon" }) end,
			function() x.length = 1 end,
			function() x.rename("y") end,
			function() x:nmae() end,
			function() mur.dmo() end,
		} do print(select(2, pcall(f))) end
		local ok, err = pcall(mur.demo.fail)
		print(err.kind, err.message, err.hint, err.failed[2], err.nothing)
		local ok2, err2 = pcall(mur.demo.rewrap, mur.demo.fail)
		local ok3, err3 = pcall(mur.demo.rewrap, function() error(err, 0) end)
		print(err3 == err, err2.kind)
		print("as text: " .. err)`)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.TrimSpace(`
3	1	true
8	nil
handle n!	2	n!	userdata
handle long	true	handle
test.lua:10: bad argument #2 to 'mur.demo.add' (number expected, got no value)
test.lua:11: unknown option 'readywithin' of 'mur.demo.open'; did you mean 'ready_within'?
test.lua:12: bad option 'ready_within' of 'mur.demo.open': seconds expected, got string
test.lua:13: cannot set field 'length' of a handle
test.lua:14: bad self in 'handle:rename' (handle expected, got string)
test.lua:15: a handle has no 'nmae'; did you mean 'name'?
test.lua:16: there is no mur.dmo; did you mean 'mur.demo'?
launch	it failed	try again	b	nil
true	launch
as text: test.lua:18: it failed`)
	if strings.TrimSpace(got) != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
}

func TestErrorsReachGo(t *testing.T) {
	_, err := runDemo(t, context.Background(), "local function f()\nmur.demo.fail() end\nf()")
	var own *Error
	if !errors.Is(err, errDemo) || !errors.As(err, &own) {
		t.Fatalf("%v does not unwrap", err)
	}
	if own.Kind != "launch" || own.Where != "test.lua:3" || own.Hint != "try again" || !strings.Contains(own.Trace, "test.lua:4: in main chunk") {
		t.Errorf("got %+v", own)
	}
	_, err = runDemo(t, context.Background(), "mur.demo.panic()")
	if !errors.As(err, &own) || own.Kind != KindInternal || own.Where != "test.lua:2" || !strings.Contains(fmt.Sprint(own.Fields["go_stack"]), "api_test.go") {
		t.Errorf("a Go panic gave %+v", err)
	}
	_, err = runDemo(t, context.Background(), "pcall(mur.demo.panic) print('survived')")
	if !errors.As(err, &own) || own.Kind != KindInternal {
		t.Errorf("a caught Go panic gave %+v", err)
	}
}

func TestStopWhileBlocked(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	got, err := runDemo(t, ctx, `mur.defer(function() print("cleaned up") end)
		local ok, err = pcall(mur.demo.wait)
		print(ok, err.kind)
		while true do end`)
	if err == nil || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if want := "false\tcancelled\ncleaned up\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

func TestUsefulTrace(t *testing.T) {
	for trace, want := range map[string]string{
		"": "",
		"stack traceback:\n\ta.lua:1: in main chunk":                                                          "",
		"stack traceback:\n\t[Go]: in function 'error'\n\ta.lua:1: in main chunk":                             "",
		"stack traceback:\n\t[Go]: in function 'x'\n\ta.lua:1: in main chunk":                                 "",
		"stack traceback:\n\ta.lua:1: in function 'f'\n\ta.lua:2: in main chunk":                              "stack traceback:\n\ta.lua:1: in function 'f'\n\ta.lua:2: in main chunk",
		"stack traceback:\n\t[Go]: in function 'error'\n\ta.lua:1: in function 'f'\n\ta.lua:2: in main chunk": "stack traceback:\n\ta.lua:1: in function 'f'\n\ta.lua:2: in main chunk",
	} {
		if got := (&Error{Trace: trace}).UsefulTrace(); got != want {
			t.Errorf("of %q: %q, want %q", trace, got, want)
		}
	}
}

func TestAMisspeltNameOfAModuleNamesTheRightOne(t *testing.T) {
	got, err := runDemo(t, context.Background(), `
		print(pcall(function() return mur.demo.opne("x") end))
		print(pcall(function() return mur.twice.off end))
		print(mur.demo.quite_another, mur.twice.native, mur.demo[1])
		local names = 0
		for _ in pairs(mur.demo) do names = names + 1 end
		print(names > 0)`)
	want := "false\ttest.lua:3: there is no mur.demo.opne; did you mean 'mur.demo.open'?\n" +
		"false\ttest.lua:4: there is no mur.twice.off; did you mean 'mur.twice.of'?\n"
	if err != nil || !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "\tnil\ntrue\n") {
		t.Errorf("printed %q, %v", got, err)
	}
}

func TestAModulesFunctionIsCalledWithADot(t *testing.T) {
	got, err := runDemo(t, context.Background(), `
		local ok, err = pcall(function() mur.demo:open("x") end)
		print(err.message, err.hint)
		print(pcall(mur.demo.open, {}))
		print(select(2, pcall(function() mur.demo:fail() end)).message)`)
	want := "'mur.demo.open' takes no object, it is called with a dot\twrite mur.demo.open(...)\n" +
		"false\ttest.lua:5: bad argument #1 to 'mur.demo.open' (string expected, got table)\nit failed\n"
	if err != nil || got != want {
		t.Errorf("printed %q, %v, want %q", got, err, want)
	}
}

// Nobody sees a line of the library: not in a place, not in a traceback.
func TestErrorsAreNotPlacedInTheLibrary(t *testing.T) {
	for source, want := range map[string]string{
		`mur.twice.of({})`: "test.lua:2: attempt to perform arithmetic on local 'x' (a table value)",
		`mur.twice.fail()`: "test.lua:2: as asked",
		`local t = mur.task.spawn(mur.twice.fail) t:join()`: "as asked",
		`mur.twice.twice(function() error("own") end)`:      "test.lua:2: own",
	} {
		_, err := runDemo(t, context.Background(), source)
		own, ok := errors.AsType[*Error](err)
		if !ok || err.Error() != want || strings.Contains(own.Trace, "mur.twice:") {
			t.Errorf("%s: got %v, want %q, with the trace %q", source, err, want, own.Trace)
		}
	}
}

func TestPartsOfModulesAreNotListed(t *testing.T) {
	var out bytes.Buffer
	h := newHost(t, Options{Stdout: &out, Stdlib: NewLibrary(fstest.MapFS{
		"whole.lua":      {Data: []byte(`return { part = require("mur.whole-part").name }`)},
		"whole-part.lua": {Data: []byte(`return { name = "the part" }`)},
	})})
	if _, err := h.Run(t.Context(), "test.lua", `print(require("mur").whole.part)`); err != nil || out.String() != "the part\n" {
		t.Errorf("printed %q, %v", out.String(), err)
	}
	if got := strings.Join(h.ModuleNames(), " "); got != "task whole" {
		t.Errorf("the modules are %q", got)
	}
}
