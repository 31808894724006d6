package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestFailuresThatNobodyJoined(t *testing.T) {
	for _, c := range []struct{ name, source, run, closed, warned string }{
		{name: "at once", source: `task.spawn(function() error "x" end)`, run: "test.lua:2: the task of test.lua:2 failed and nobody joined it: x"},
		{name: "before the end", source: `task.spawn(function() error "x" end) mur.sleep(0.001)`, run: "test.lua:2: the task of test.lua:2 failed and nobody joined it: x"},
		{name: "with a name", source: `task.spawn(function() error("x", 0) end, { name = "watcher" })`, run: `task "watcher" failed and nobody joined it: x`},
		{name: "with an error object", source: `task.spawn(function() mur.sleep("soon") end)`, run: "test.lua:2: the task of test.lua:2 failed and nobody joined it: bad argument #1 to 'mur.sleep' (seconds expected, got string)"},
		{
			name: "two", source: `task.spawn(function() error("x", 0) end, { name = "a" }) task.spawn(function() error("y", 0) end, { name = "b" })`,
			run: `2 tasks failed and nobody joined them: task "a": x; task "b": y`,
		},
		{
			name: "many", source: `for i = 1, 12 do task.spawn(function() error(i, 0) end, { name = "t" }) end`,
			run: `12 tasks failed and nobody joined them: task "t": 1; task "t": 2; task "t": 3; task "t": 4; task "t": 5; task "t": 6; task "t": 7; task "t": 8; task "t": 9; task "t": 10; and 2 more`,
		},
		{
			name: "besides an error of the script's own", source: `task.spawn(function() error "x" end) task.yield() error("own", 0)`,
			run: "own", warned: "test.lua:2: the task of test.lua:2 failed and nobody joined it: x",
		},
		{
			name: "before os.exit", source: `task.spawn(function() error "x" end) task.yield() os.exit(3)`,
			run: "the script exited with status 3", warned: "test.lua:2: the task of test.lua:2 failed and nobody joined it: x",
		},
		{name: "after its deadline", source: `task.spawn(function() mur.sleep(60) end, { deadline = 0.001 }):wait()`, run: "test.lua:2: the task of test.lua:2 failed and nobody joined it: the deadline of 1ms passed"},
		{name: "of a child's child", source: `task.spawn(function() task.spawn(function() error("x", 0) end) end)`, run: "the task of test.lua:2 failed and nobody joined it: the task of test.lua:2 failed and nobody joined it: x"},
		{name: "of a cleanup's child", source: `mur.defer(function() task.spawn(function() error("x", 0) end) end)`, run: "the task of test.lua:2 failed and nobody joined it: x"},

		{name: "detached", source: `task.spawn(function() error "x" end, { detached = true })`, closed: "test.lua:2: the task of test.lua:2 failed and nobody joined it: x"},
		{name: "detached, after its deadline", source: `task.spawn(function() mur.sleep(60) end, { detached = true, deadline = 0.001 }):wait()`, closed: "test.lua:2: the task of test.lua:2 failed and nobody joined it: the deadline of 1ms passed"},
		{name: "detached, before os.exit", source: `task.spawn(function() error "x" end, { detached = true }) task.yield() os.exit(3)`, run: "the script exited with status 3", warned: "test.lua:2: the task of test.lua:2 failed and nobody joined it: x"},
		{name: "the child of a detached one", source: `mur.defer(task.yield) task.spawn(function() task.spawn(function() error("x", 0) end) end, { detached = true })`, closed: "the task of test.lua:2 failed and nobody joined it: the task of test.lua:2 failed and nobody joined it: x"},

		{name: "joined", source: `local t = task.spawn(function() error "x" end) assert(not pcall(t.join, t))`},
		{name: "joined after it failed", source: `local t = task.spawn(function() error "x" end) task.yield() assert(not pcall(t.join, t))`},
		{name: "joined by another task", source: `local t = task.spawn(function() error "x" end) task.spawn(function() assert(not pcall(t.join, t)) end)`},
		{name: "detached and joined", source: `local t = task.spawn(function() error "x" end, { detached = true }) task.yield() assert(not pcall(t.join, t))`},
		{name: "cancelled", source: `task.spawn(function() mur.sleep(60) end):cancel()`},
		{name: "cancelled after it failed", source: `local t = task.spawn(function() error "x" end) task.yield() t:cancel()`},
		{name: "of a group", source: `assert(not pcall(task.all, { function() error "x" end, function() mur.sleep(60) error "y" end }))`},
		{name: "of a group with a winner", source: `task.any { function() error "x" end, function() return 1 end }`},
		{name: "of a race", source: `task.race { function() return 1 end, function() error "x" end }`},
		{name: "ended with the script", source: `task.spawn(function() mur.sleep(60) end)`},
		{name: "ended with the script and sorry for it", source: `task.spawn(function() mur.sleep(60) end) task.spawn(function() pcall(mur.sleep, 60) error "x" end)`},
		{name: "ended with the host", source: `task.spawn(function() pcall(mur.sleep, 60) error "x" end, { detached = true })`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var warned []string
			h := newHost(t, Options{Warn: func(text string) { warned = append(warned, text) }})
			_, run := h.Run(t.Context(), "test.lua", "local mur = require 'mur' local task = mur.task\n"+c.source)
			closed := h.Close(t.Context())
			for _, got := range []struct{ what, text, want string }{
				{"the run", textOf(run), c.run}, {"the close", textOf(closed), c.closed}, {"the warnings", strings.Join(warned, "|"), c.warned},
			} {
				if got.text != got.want {
					t.Errorf("%s: %q, want %q", got.what, got.text, got.want)
				}
			}
		})
	}
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestAFailureThatNobodyJoinedIsTheSameValue(t *testing.T) {
	wantOutput(t, `
		local mur = require "mur"
		local thrown = { code = 7 }
		local parent = mur.task.spawn(function() mur.task.spawn(function() error(thrown) end) end)
		local ok, err = pcall(parent.join, parent)
		print(ok, err == thrown)
		local both = mur.task.spawn(function()
			mur.task.spawn(function() error(thrown) end)
			mur.task.spawn(function() error("two", 0) end)
		end)
		ok, err = pcall(both.join, both)
		print(err.kind, #err.errors, err.errors[1] == thrown, err.errors[2])`, "false\ttrue\ntasks\t2\ttrue\ttwo")
}

func TestUnjoinedIsTakenOnce(t *testing.T) {
	h := newHost(t, Options{})
	if _, err := h.Run(t.Context(), "test.lua", `require("mur").task.spawn(function() error "x" end, { detached = true })`); err != nil {
		t.Fatal(err)
	}
	if err := h.Unjoined(); err == nil || !strings.Contains(err.Error(), "nobody joined it") {
		t.Errorf("there is %v", err)
	}
	if err := errors.Join(h.Unjoined(), h.Close(t.Context())); err != nil {
		t.Errorf("it is there again: %v", err)
	}
}

// A task that never waits keeps the lock from everybody, also from the script that is stopped.
func TestAScriptIsStoppedBesideTasksThatSpin(t *testing.T) {
	for _, options := range []string{"", ", { detached = true }"} {
		for _, rest := range []string{"mur.sleep(60)", ""} {
			h := newHost(t, Options{Deadline: 20 * time.Millisecond})
			_, err := h.Run(t.Context(), "test.lua", `local mur = require "mur" mur.task.spawn(function() while true do end end`+options+`) `+rest)
			if own, ok := errors.AsType[*Error](err); !ok || own.Kind != KindTimeout {
				t.Errorf("deadline%s %s: it ended with %v", options, rest, err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			h = newHost(t, Options{Modules: []Module{{Name: "fake", Functions: map[string]Function{
				"interrupt": func(*Call) error { cancel(); return nil },
			}}}})
			_, err = h.Run(ctx, "test.lua", `local mur = require "mur" mur.task.spawn(function() mur.fake.interrupt() while true do end end`+options+`) `+rest)
			if own, ok := errors.AsType[*Error](err); !ok || own.Kind != KindCancelled {
				t.Errorf("stopped%s %s: it ended with %v", options, rest, err)
			}
		}
	}
}
