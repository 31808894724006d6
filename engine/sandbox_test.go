package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestStrict(t *testing.T) {
	for source, want := range map[string]string{
		`pritn("x")`:                                       "test.lua:1: there is no global 'pritn'; did you mean 'print'?",
		`local x = confg and confg.x`:                      "test.lua:1: there is no global 'confg'",
		`total = 1 total = totl + 1`:                       "test.lua:1: there is no global 'totl'; did you mean 'total'?",
		`x = nil return x`:                                 "",
		`function f() return g() end function g() end f()`: "",
		`return rawget(_G, "nothing")`:                     "",
		`x = 1 x = x + 1 assert(x == 2)`:                   "",
		`setfenv(function() return y end, {})()`:           "",
		`return _G.nothing`:                                "there is no global 'nothing'",
	} {
		h := newHost(t, Options{Strict: true})
		_, err := h.Run(context.Background(), "test.lua", source)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", source, err, want)
		}
	}
}

// TestSandboxEscapes tries to get at what a sandboxed script must not reach. Each must fail, or give nil.
func TestSandboxEscapes(t *testing.T) {
	dir := t.TempDir()
	inside := filepath.Join(dir, "inside")
	if err := os.Mkdir(inside, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"secret.lua": "return 'secret'", "inside/fine.lua": "return 'fine'"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dangerous := Module{Name: "danger", Functions: map[string]Function{"run": func(c *Call) error { return c.Return("reached") }}}
	harmless := Module{Name: "harmless", Safe: true, Functions: map[string]Function{"run": func(c *Call) error { return c.Return("fine") }}}
	for _, attempt := range []string{
		`return io`, `return io.open`, `return os.execute`, `return os.exit`, `return os.remove`, `return os.rename`, `return os.getenv`, `return os.tmpname`,
		`return debug`, `return package`, `return dofile`, `return loadfile`, `return setfenv`, `return getfenv`, `return newproxy`, `return collectgarbage`, `return module`,
		`return require("io")`, `return require("os").execute`, `return require("debug")`, `return require("package")`,
		`return require("mur").danger`, `return require("mur").danger.run()`, `return require("mur.danger")`,
		`return require("../secret")`, `return require("..secret")`, `return require("/etc/passwd")`, `return require("inside.secret")`,
		`return load("return io")()`, `return loadstring("return os.execute")()`, `return load("return debug", "x", "t", {})()`,
		`return getmetatable("").__index.dump and nil`, `return getmetatable("") and getmetatable("").__index`, `getmetatable("").__index = {} return "changed"`,
		`return getmetatable(_G)`, `return rawget(_G, "io")`, `for k, v in pairs(_G) do if k == "io" or k == "debug" then return v end end`,
		`return require("mur")._loaded`, `return (setmetatable({}, { __index = _G })).debug`,
		`return select(2, pcall(error, setmetatable({}, { __tostring = function() return io end }))).x`,
		`return coroutine.wrap(function() return debug end)()`, `return string.dump and string.dump(print)`,
		`return require("mur").task.spawn(function() return io end):join()`,
	} {
		h := newHost(t, Options{Sandbox: true, Folders: []string{inside}, Modules: []Module{dangerous, harmless}, Getenv: func(string) (string, bool) { return "reached", true }})
		results, err := h.Run(context.Background(), "test.lua", attempt)
		var exit *ExitError
		if errors.As(err, &exit) {
			t.Errorf("%s ended the host", attempt)
		}
		if err == nil && len(results) > 0 && results[0].String() != "nil" && results[0].String() != "false" {
			t.Errorf("%s gave %v", attempt, results)
		}
	}
	h := newHost(t, Options{Sandbox: true, Folders: []string{inside}, Modules: []Module{dangerous, harmless}})
	results, err := h.Run(context.Background(), "test.lua", `
		local mur = require "mur"
		return require("fine"), mur.harmless.run(), os.time() > 0, mur.task.all { function() return 1 end }[1], ("x"):rep(3)`)
	if err != nil || len(results) != 5 || results[0].String() != "fine" || results[1].String() != "fine" {
		t.Errorf("what is allowed gave %v, %v", results, err)
	}
}

func TestSandboxLimits(t *testing.T) {
	for source, want := range map[string]string{
		`local s = "x" while true do s = s .. s end`:                                                  "resulting string too large",
		`while true do print(("x"):rep(1e6)) end`:                                                     "wrote more than",
		`local task = require("mur").task while true do task.spawn(function() task.sleep(9) end) end`: "tasks already",
	} {
		h := newHost(t, Options{Sandbox: true})
		if _, err := h.Run(context.Background(), "test.lua", source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", source, err, want)
		}
	}
}
