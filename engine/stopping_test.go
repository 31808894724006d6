package engine

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// endless are scripts that do not end by themselves, each stuck in its own way.
var endless = map[string]string{
	"a busy loop":                   `while true do end`,
	"a pattern":                     `("a"):rep(1e6):gsub(".-.-.-b", "")`,
	"a pattern in find":             `("a"):rep(1e6):find(".-.-.-b")`,
	"pcall round a sleep":           `local mur = require "mur" while true do pcall(mur.sleep, 60) end`,
	"pcall round a loop":            `while true do pcall(function() while true do end end) end`,
	"xpcall with a loop as handler": `xpcall(error, function() while true do end end)`,
	"a sleep":                       `require("mur").sleep(600)`,
	"a comparator":                  `local t = {} for i = 1, 1e5 do t[i] = i end while true do table.sort(t, function(a, b) return a > b end) end`,
	"a sort":                        `local t = {} for i = 1, 1e6 do t[i] = tostring(i) end while true do table.sort(t) end`,
	"a coroutine":                   `coroutine.wrap(function() while true do end end)()`,
	"a coroutine that yields":       `local co = coroutine.wrap(function() while true do coroutine.yield() end end) while true do co() end`,
	"a task":                        `local task = require("mur").task task.spawn(function() while true do end end):join()`,
	"a thousand tasks":              `local mur = require "mur" for i = 1, 1000 do mur.task.spawn(function() while true do pcall(mur.sleep, 60) end end) end mur.sleep(60)`,
	"an iterator":                   `for _ in function() return 1 end do end`,
	"a metamethod":                  `local t = setmetatable({}, { __index = function() while true do end end }) return t.x`,
	"a replacement":                 `while true do ("abc"):gsub(".", function() end) end`,
	"a load":                        `load(function() return " " end)`,
	"a queue":                       `require("mur").task.queue():pop()`,
	"a read":                        `io.read()`,
	"a big concatenation":           `local t = {} for i = 1, 1e5 do t[i] = "xxxxxxxxxx" end while true do table.concat(t) end`,
}

// TestStopReturnsSoon stops each script in the middle. The best of a few tries counts: the machine may be busy.
func TestStopReturnsSoon(t *testing.T) {
	const promise = 100 * time.Millisecond
	for name, source := range endless {
		t.Run(name, func(t *testing.T) {
			best := time.Hour
			for range 5 {
				best = min(best, timeToStop(t, source))
				if best < promise {
					return
				}
			}
			t.Errorf("it took %v at best, %v is promised", best, promise)
		})
	}
}

func timeToStop(t *testing.T, source string) time.Duration {
	t.Helper()
	stdin, feed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	h := newHost(t, Options{Stdin: stdin})
	defer feed.Close() // what still reads ends before the host is closed
	ctx, cancel := context.WithCancel(context.Background())
	var at time.Time
	timer := time.AfterFunc(30*time.Millisecond, func() {
		at = time.Now()
		cancel()
	})
	defer timer.Stop()
	_, err = h.Run(ctx, "test.lua", source)
	took := time.Since(at)
	var own *Error
	switch {
	case !errors.As(err, &own):
		t.Fatalf("the script ended with %v", err)
	case own.Kind == KindInternal: // it was given up, on a machine that is busy with something else
		t.Log(err)
		return time.Hour
	case own.Kind != KindCancelled && own.Kind != KindTasks:
		t.Fatalf("the script ended with %v", err)
	}
	return took
}

func TestStopTellsWhere(t *testing.T) {
	h := newHost(t, Options{})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err := h.Run(ctx, "test.lua", "local function spin()\n  while true do end\nend\nspin()")
	var own *Error
	if !errors.As(err, &own) || own.Kind != KindTimeout || own.Where != "test.lua:2" || !strings.Contains(own.Trace, "test.lua:4: in main chunk") {
		t.Errorf("got %+v", err)
	}
}

func TestDeadlines(t *testing.T) {
	h := newHost(t, Options{Deadline: 20 * time.Millisecond})
	_, err := h.Run(context.Background(), "test.lua", "while true do end")
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "test.lua:1: the deadline of 20ms passed") {
		t.Errorf("of a script: %v", err)
	}
	wantOutput(t, `
		local mur = require "mur"
		local t = mur.task.spawn(function() while true do pcall(mur.sleep, 60) end end, { deadline = 0.02 })
		local ok, err = pcall(t.join, t)
		print(ok, err.kind, err.message)`, "false\ttimeout\tthe deadline of 20ms passed")
}

// TestAStuckGoCall: a function that breaks its promise to return does not keep the run from ending.
func TestAStuckGoCall(t *testing.T) {
	release := make(chan struct{})
	stuck := Module{Name: "stuck", Functions: map[string]Function{
		"holding":  func(*Call) error { <-release; return nil },
		"released": func(c *Call) error { return c.Block(func(context.Context) error { <-release; return nil }) },
	}}
	for _, function := range []string{"holding", "released"} {
		h, err := New(Options{Modules: []Module{stuck}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		_, err = h.Run(ctx, "test.lua", "require('mur').stuck."+function+"()")
		cancel()
		if err == nil || !strings.Contains(err.Error(), "'mur.stuck."+function+"' does not return") {
			t.Errorf("%s: %v", function, err)
		}
		closing, cancelClosing := context.WithTimeout(context.Background(), 50*time.Millisecond)
		if err := h.Close(closing); err == nil {
			t.Errorf("%s: closing the host said nothing", function)
		}
		cancelClosing()
	}
	close(release)
}

func TestCleanupsHaveTheirOwnDeadline(t *testing.T) {
	var out bytes.Buffer
	h := newHost(t, Options{Stdout: &out, Cleanup: 50 * time.Millisecond})
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	_, err := h.Run(ctx, "test.lua", `
		local mur = require "mur"
		mur.defer(function() print("first deferred runs last") end)
		mur.defer(function() mur.sleep(0.001) print("may wait") end)
		mur.defer(function() while true do end end)
		while true do end`)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if want := "may wait\nfirst deferred runs last\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}

func TestBudget(t *testing.T) {
	for _, source := range []string{`while true do end`, `while true do pcall(function() while true do end end) end`, `("a"):rep(1e5):find(".-.-b")`} {
		h := newHost(t, Options{Budget: 1_000_000})
		_, err := h.Run(context.Background(), "test.lua", source)
		var own *Error
		if !errors.As(err, &own) || own.Kind != KindLimit || own.Where != "test.lua:1" {
			t.Errorf("%s: %v", source, err)
		}
	}
}

func TestSizeLimits(t *testing.T) {
	for source, want := range map[string]string{
		`local s = "x" while true do s = s .. s end`: "resulting string too large",
		`("x"):rep(1e9)`: "resulting string too large",
		`("x"):rep(1e5):gsub("x", ("y"):rep(1e5))`:                                                              "resulting string too large",
		`local t = {} for i = 1, 1000 do t[i] = ("x"):rep(1e4) end table.concat(t)`:                             "resulting string too large",
		`string.format("%s%s", ("x"):rep(9e5), ("x"):rep(9e5))`:                                                 "resulting string too large",
		`while true do print("some text") end`:                                                                  "wrote more than its 10000 bytes",
		`while true do io.write("some text") end`:                                                               "wrote more than its 10000 bytes",
		`local task = require("mur").task while true do task.spawn(function() require("mur").sleep(1) end) end`: "there are 50 tasks already",
		`local t = {} while true do local f = coroutine.wrap(coroutine.yield) f() t[#t + 1] = f end`:            "too many suspended coroutines (50)",
		`return unpack({}, 1, 1e8)`:                                                                             "too many results to unpack",
	} {
		h := newHost(t, Options{MaxString: 1 << 20, MaxOutput: 10_000, MaxTasks: 50, MaxCoroutines: 50})
		if _, err := h.Run(context.Background(), "test.lua", source); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "test.lua:1: ") {
			t.Errorf("%s: %v, want %q", source, err, want)
		}
	}
}

func TestWatchdog(t *testing.T) {
	release := make(chan struct{})
	reports := make(chan string, 100)
	h := newHost(t, Options{
		Patience: 20 * time.Millisecond, Warn: func(m string) { reports <- m },
		Modules: []Module{{Name: "stuck", Functions: map[string]Function{"call": func(*Call) error { <-release; return nil }}}},
	})
	// On a busy machine the loop may not get to run for so long that it cannot say where it is: then it is run again.
	const want = "test.lua has kept all others waiting for more than 20ms, at test.lua:6"
	var got []string
	for range 50 {
		if _, err := h.Run(context.Background(), "test.lua", `
		local mur = require "mur"
		local other = mur.task.spawn(function() mur.sleep(0.001) end)
		mur.task.yield()
		local done = os.clock() + 0.2
		while os.clock() < done do end
		other:join()`); err != nil {
			t.Fatal(err)
		}
		for len(reports) > 0 {
			got = append(got, <-reports)
		}
		if slices.ContainsFunc(got, func(report string) bool { return strings.HasPrefix(report, want) }) {
			break
		}
	}
	if !slices.ContainsFunc(got, func(report string) bool { return strings.HasPrefix(report, want) }) {
		t.Errorf("a busy loop was not reported, but %q", got)
	}
	go func() {
		for got := range reports {
			if strings.HasSuffix(got, "inside 'mur.stuck.call'") {
				break
			}
		}
		close(release)
	}()
	if _, err := h.Run(context.Background(), "test.lua", `
		local mur = require "mur"
		mur.task.spawn(function() end)
		mur.stuck.call()`); err != nil {
		t.Fatal(err)
	}
}

func TestStackOverflowNamesItsPlace(t *testing.T) {
	_, err := output(t, "local function f()\n  return f() + 1\nend\nf()")
	var own *Error
	if !errors.As(err, &own) || own.Where != "test.lua:2" || own.Message != "stack overflow" || len(own.Trace) > 2000 {
		t.Errorf("got %+v", err)
	}
	for _, source := range []string{
		`local function f() local ok, err = pcall(f) error(err, 0) end f()`,
		`local function f() coroutine.wrap(f)() end f()`,
		`local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k .. "x"] end return t.x`,
		`local t = setmetatable({}, {}) getmetatable(t).__tostring = function(t) return tostring(t) end tostring(t)`,
		`local function f() ("x"):gsub(".", f) end f()`,
		`local function f() table.sort({ 1, 2 }, f) end f()`,
	} {
		if _, err := output(t, source); err == nil || !strings.Contains(err.Error(), "stack overflow") {
			t.Errorf("%s: %v", source, err)
		}
	}
}

func TestErrorThreeCallsDeep(t *testing.T) {
	_, err := output(t, "local function a(cfg)\n  return cfg.server.port\nend\nlocal function b(cfg)\n  return (a(cfg))\nend\nlocal function c()\n  return (b({}))\nend\nc()")
	var own *Error
	if !errors.As(err, &own) {
		t.Fatal(err)
	}
	if want := "test.lua:2: attempt to index field 'server' (a nil value)"; own.Error() != want {
		t.Errorf("got %q, want %q", own.Error(), want)
	}
	want := "stack traceback:\n\ttest.lua:2: in function 'a'\n\ttest.lua:5: in function 'b'\n\ttest.lua:8: in function 'c'\n\ttest.lua:10: in main chunk"
	if own.Trace != want {
		t.Errorf("traceback\n%s\nwant\n%s", own.Trace, want)
	}
}

func TestTracebacksJoin(t *testing.T) {
	wantOutput(t, `local function inner()
  error(debug.traceback("here"), 0)
end
local function outer()
  return (select(2, pcall(inner)))
end
print(outer())`, `here
stack traceback:
	test.lua:2: in function <test.lua:1>
	[Go]: in function 'pcall'
	test.lua:5: in function 'outer'
	test.lua:7: in main chunk`)
	_, err := output(t, "local task = require('mur').task\nlocal function work()\n  local x = nil; x.y = 1\nend\ntask.spawn(work)\ntask.yield()")
	var own *Error
	if !errors.As(err, &own) || !strings.Contains(own.Trace, "test.lua:3: in function <test.lua:2>") || !strings.Contains(own.Trace, "spawned at test.lua:5") {
		t.Errorf("got %v\n%s", err, own.Trace)
	}
}

func TestWritesToASlowReader(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	ran := make(chan struct{})
	other := Module{Name: "other", Functions: map[string]Function{"ran": func(*Call) error { close(ran); return nil }}}
	h := newHost(t, Options{Stdout: w, Modules: []Module{other}, Deadline: 20 * time.Second})
	go func() { // reads only when another task has run while print waits
		<-ran
		_, _ = io.Copy(io.Discard, r)
	}()
	_, err := h.Run(context.Background(), "test.lua", `
		local mur = require "mur"
		mur.task.spawn(function() mur.other.ran() end)
		print(("x"):rep(1000))`)
	if err != nil {
		t.Error(err)
	}
}

func TestTracebacksCrossBoundaries(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"wrap": {
			"local f = coroutine.wrap(function()\n  error('x')\nend)\nlocal function use()\n  f()\nend\nuse()",
			"test.lua:2: in function <test.lua:1>|test.lua:5: in function 'use'|test.lua:7: in main chunk",
		},
		"join": {
			"local task = require('mur').task\nlocal function work()\n  error('x')\nend\nlocal function wait(t)\n  t:join()\nend\nwait(task.spawn(work))",
			"test.lua:3: in function <test.lua:2>|spawned at test.lua:8|test.lua:6: in function 'wait'|test.lua:8: in main chunk",
		},
		"a Go callback": {
			"local mur = require 'mur'\nlocal function back()\n  error('x')\nend\nmur.demo.rewrap(back)",
			"test.lua:3: in function <test.lua:2>|in function 'rewrap'|test.lua:5: in main chunk",
		},
	} {
		h := newHost(t, Options{Modules: []Module{demo()}})
		_, err := h.Run(context.Background(), "test.lua", c.source)
		var own *Error
		if !errors.As(err, &own) {
			t.Fatalf("%s: %v", name, err)
		}
		rest := own.Trace
		for _, want := range strings.Split(c.want, "|") {
			_, after, found := strings.Cut(rest, want)
			if !found {
				t.Errorf("%s: no %q in\n%s", name, want, own.Trace)
				break
			}
			rest = after
		}
		if strings.Count(own.Trace, "main chunk") != 1 {
			t.Errorf("%s: frames twice in\n%s", name, own.Trace)
		}
	}
	wantOutput(t, `
		local task = require("mur").task
		local _, mine = pcall(task.sleep)
		local t = task.spawn(function() error(mine, 0) end)
		local _, got = pcall(t.join, t)
		print(got == mine, got.kind)
		print(pcall(task.join, task.spawn(print)))`, "\ntrue\tusage\n\ntrue")
}
