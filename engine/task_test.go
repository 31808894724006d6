package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"
)

func TestTasks(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"spawn and join": {`
			local t = task.spawn(function() mur.sleep(0.01) return 1, nil, 3 end, { name = "worker" })
			print(t.name, t.done, t, t:wait(0))
			print(t:join())
			print(t.done, t)`, "worker\tfalse\tworker (running)\tfalse\n1\tnil\t3\ntrue\tworker (ended)"},
		"tasks switch only at blocking calls": {`
			local log = {}
			local function worker(id) return function()
				for i = 1, 3 do log[#log + 1] = id .. i; task.yield() end
			end end
			task.all { worker "a", worker "b" }
			print(table.concat(log, " "))`, "a1 b1 a2 b2 a3 b3"},
		"an error reaches the one who joins": {`
			local t = task.spawn(function() error({ code = 7 }) end)
			local ok, err = pcall(t.join, t)
			print(ok, type(err), err.code)
			local u = task.spawn(function() local x = nil; return x.y end)
			print(pcall(task.join, u) == false)`, "false\ttable\t7\ntrue"},
		"all gathers first results in order": {`
			local r = task.all { function() mur.sleep(0.01) return "slow" end, function() return "fast", 2 end }
			print(#r, r[1], r[2])
			print(#task.all {})`, "2\tslow\tfast\n0"},
		"all stops the others at an error and carries it": {`
			local cleaned
			local ok, err = pcall(task.all, {
				function() mur.defer(function() cleaned = true end) mur.sleep(60) end,
				function() error("broken", 0) end })
			print(ok, err.kind, err.message, #err.errors, err.errors[1], cleaned)`, "false\ttasks\t1 of 2 tasks failed: #2: broken\t1\tbroken\ttrue"},
		"any takes the first success": {`
			print(task.any { function() error("no") end, function() mur.sleep(0.01) return "yes", 2 end, function() mur.sleep(60) end })
			local ok, err = pcall(task.any, { function() error("one", 0) end, function() error("two", 0) end })
			print(ok, err.message, #err.errors)`, "yes\t2\nfalse\t2 of 2 tasks failed: #1: one; #2: two\t2"},
		"race takes the first end": {`
			print(task.race { function() mur.sleep(60) end, function() return "first" end })
			print(pcall(task.race, { function() mur.sleep(60) end, function() error("first", 0) end }))`, "first\nfalse\tfirst"},
		"timeout": {`
			print(task.timeout(60, function() return "done" end))
			local ok, err = pcall(task.timeout, 0.01, function() mur.sleep(60) end)
			print(ok, err.kind, err.message)
			print(select(2, pcall(task.timeout, 0.01, function() while true do end end)).kind)`, "done\nfalse\ttimeout\tit took longer than 0.01 s\ntimeout"},
		"cancel": {`
			local t = task.spawn(function() local ok, err = pcall(mur.sleep, 60) return err.kind end)
			task.yield()
			t:cancel()
			print(t:join())`, "cancelled"},
		"a child ends with its parent": {`
			local state = "running"
			local t = task.spawn(function()
				task.spawn(function() mur.defer(function() state = "ended" end) mur.sleep(60) end)
				task.yield()
			end)
			t:join()
			print(state)`, "ended"},
		"the error of a child that nobody joined is not lost": {`
			local t = task.spawn(function()
				task.spawn(function() error("lost", 0) end)
				mur.sleep(0.01)
				return "fine"
			end)
			print(pcall(t.join, t))`, "false\tlost"},
		"defer runs last first, after an error too": {`
			local t = task.spawn(function()
				mur.defer(function() print("first") end)
				mur.defer(function() mur.sleep(0.001) print("second") end)
				error("x", 0)
			end)
			print(pcall(t.join, t))`, "second\nfirst\nfalse\tx"},
		"queues": {`
			local q = task.queue(2)
			local producer = task.spawn(function() for i = 1, 5 do q:push(i) end q:close() end)
			local sum = 0
			for v in q:each() do sum = sum + v end
			print(sum, q:pop())
			print(task.queue():pop(0.001))
			print(pcall(q.push, q, 1))`, "15\tnil\tclosed\nnil\ttimeout\nfalse\ttest.lua:9: cannot push to a closed queue"},
		"a coroutine may block": {`
			local co = coroutine.wrap(function() mur.sleep(0.001) coroutine.yield(1) mur.sleep(0.001) return 2 end)
			print(co(), co())`, "1\t2"},
		"sort with a comparator that blocks": {`
			local list = { 3, 1, 2 }
			table.sort(list, function(a, b) mur.sleep(0) return a < b end)
			print(table.concat(list))`, "123"},
		"unknown options": {
			`print(pcall(task.spawn, function() end, { detach = true }))`,
			"false\ttest.lua:2: unknown option 'detach' of 'mur.task.spawn'; did you mean 'detached'?",
		},
	} {
		t.Run(name, func(t *testing.T) {
			wantOutput(t, "local mur = require 'mur' local task = mur.task\n"+c.source, c.want)
		})
	}
}

// TestThousandTasks mixes everything that has gone wrong between tasks: sleeps, protected calls round blocking calls,
// errors, coroutines, blocking metamethods and comparators, and variables that blocked tasks share.
func TestThousandTasks(t *testing.T) {
	before := runtime.NumGoroutine()
	h := newHost(t, Options{})
	results, err := h.Run(context.Background(), "test.lua", `
		local mur = require "mur"
		local task = mur.task
		local shared, tasks = 0, {}
		for i = 1, 1000 do
			tasks[i] = function()
				local mine = 0
				local function add(n) mine = mine + n; shared = shared + n end
				local ok = pcall(function() mur.sleep(0.001) add(1) error("x") end)
				assert(not ok)
				local slow = setmetatable({}, { __index = function(_, k) mur.sleep(0.0005) return k end })
				add(slow[1])
				local gen = coroutine.wrap(function() for j = 1, 3 do task.yield() coroutine.yield(j) end end)
				add(gen() + gen() + gen())
				local list = { 3, 2, 1 }
				table.sort(list, function(a, b) if i % 10 == 0 then task.yield() end return a < b end)
				add(list[1])
				local s = ("abc"):gsub(".", function(ch) if i % 7 == 0 then mur.sleep(0) end return ch:upper() end)
				assert(s == "ABC")
				return mine
			end
		end
		local sum = 0
		for _, n in ipairs(task.all(tasks)) do sum = sum + n end
		return sum, shared`)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(results[0], results[1]) != "9000 9000" {
		t.Errorf("got %v and %v, want 9000 and 9000", results[0], results[1])
	}
	deadline := time.Now().Add(5 * time.Second)
	for runtime.NumGoroutine() > before {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		runtime.Gosched()
	}
}

func TestExit(t *testing.T) {
	for name, source := range map[string]string{
		"main":             `os.exit(7)`,
		"in pcall":         `pcall(os.exit, 7)`,
		"in a task":        `require("mur").task.spawn(function() os.exit(7) end):join()`,
		"in a coroutine":   `coroutine.wrap(function() os.exit(7) end)()`,
		"beside a sleeper": `local mur = require "mur" mur.task.spawn(function() os.exit(7) end) mur.sleep(60)`,
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, Options{})
			closed := false
			h.OnClose(func(context.Context) error { closed = true; return nil })
			_, err := h.Run(context.Background(), "test.lua", source)
			var exit *ExitError
			if !errors.As(err, &exit) || exit.Status != 7 {
				t.Fatalf("got %v", err)
			}
			if status, called := h.ExitStatus(); !called || status != 7 {
				t.Errorf("the host says %d, %v", status, called)
			}
			if err := h.Close(context.Background()); err != nil || !closed {
				t.Errorf("closing gave %v, hook ran: %v", err, closed)
			}
		})
	}
}
