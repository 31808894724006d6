package repl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"murlua/engine"
	"murlua/engine/value"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// object is a type as bindings have them.
func objectType() *engine.Type {
	return &engine.Type{
		Name:    "formation",
		Methods: map[string]engine.Function{"wait": func(*engine.Call) error { return nil }, "stop": func(*engine.Call) error { return nil }},
		Fields:  map[string]func(any) any{"id": func(any) any { return "frm_1" }, "state": func(any) any { return "running" }},
		String:  func(any) string { return "formation frm_1" },
	}
}

func newSession(t testing.TB, options Options) (*Session, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	of := objectType()
	warn := func(text string) { fmt.Fprintf(&out, "host warns: %s\n", text) }
	host, err := engine.New(engine.Options{Stdout: &out, Warn: warn, Modules: []engine.Module{
		{Name: "formation", Functions: map[string]engine.Function{
			"launch": func(c *engine.Call) error { return c.Return(of.Box(1)) },
		}},
		{Name: "panic", Functions: map[string]engine.Function{
			"now": func(*engine.Call) error { panic("a defect") },
		}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := host.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	options.Host = host
	s, err := New(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	return s, &out
}

func TestEval(t *testing.T) {
	s, out := newSession(t, Options{})
	for _, step := range []struct {
		input string
		want  []string
	}{
		{"1 + 1", []string{"2"}},
		{"_", []string{"2"}},
		{"_ * 10, 'b'", []string{"20", `"b"`}},
		{"_", []string{"20"}},
		{"nil", []string{"nil"}},
		{"_ == nil", []string{"true"}},
		{"local t = { name = 'coder', peers = { 1, 2 } }", nil},
		{"t", []string{`{ name = "coder", peers = { 1, 2 } }`}},
		{"print('out')", nil},
		{"for i = 1, 2 do print(i) end", nil},
		{"mur = require 'mur'", nil},
		{"mur.formation.launch()", []string{"formation frm_1"}},
		{"_.id", []string{`"frm_1"`}},
		{"setmetatable({}, { __tostring = function() return 'me' end })", []string{"me"}},
		{"setmetatable({ a = 1 }, { __tostring = function() error 'no' end })", []string{"{ a = 1 }"}},
	} {
		result := s.Eval(t.Context(), step.input)
		if result.Err != nil {
			t.Fatalf("%s: %v", step.input, result.Err)
		}
		if diff := cmp.Diff(step.want, result.Values); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.input, diff)
		}
	}
	if got, want := out.String(), "out\n1\n2\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

func TestEvalFailsAndGoesOn(t *testing.T) {
	s, _ := newSession(t, Options{})
	for _, step := range []struct{ input, want string }{
		{"x = = 1", "input 1:1"},
		{"error('no')", "input 2:1: no"},
		{"error { kind = 'mine' }", "table"},
		{"require('mur').panic.now()", "a defect"},
		{"local function f() return f() + 1 end f()", "stack overflow"},
		{"os.exit(3)", "status 3"},
	} {
		result := s.Eval(t.Context(), step.input)
		if result.Err == nil || !strings.Contains(result.Err.Error(), step.want) {
			t.Errorf("%s: %v, want something with %q", step.input, result.Err, step.want)
		}
	}
	if result := s.Eval(t.Context(), "1"); result.Err != nil || len(result.Values) != 1 {
		t.Errorf("after the failures: %v, %v", result.Values, result.Err)
	}
}

func TestEvalIsStopped(t *testing.T) {
	s, _ := newSession(t, Options{})
	s.Eval(t.Context(), "x = 1")
	for _, input := range []string{
		"while true do end",
		"require('mur').sleep(600)",
		"while true do pcall(function() while true do end end) end",
		"setmetatable({}, { __tostring = function() while true do end end })",
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(20*time.Millisecond, func() { cancel(errors.New("interrupted")) })
		result := s.Eval(ctx, input)
		if result.Err == nil || !strings.Contains(result.Err.Error(), "interrupted") {
			t.Errorf("%s: %v, want the cause of the stop", input, result.Err)
		}
		cancel(nil)
		if after := s.Eval(t.Context(), "x"); !cmp.Equal(after.Values, []string{"1"}) {
			t.Errorf("after %s the next input gives %v, %v", input, after.Values, after.Err)
		}
	}
}

func TestIncompleteRunsNothing(t *testing.T) {
	s, out := newSession(t, Options{})
	if result := s.Eval(t.Context(), "print('no') for i = 1, 2 do"); !result.Incomplete || result.Err != nil {
		t.Errorf("%+v, want incomplete", result)
	}
	if out.Len() > 0 {
		t.Errorf("printed %q", out.String())
	}
}

// What a line starts outlives it. When it fails, that is said there and then, and the host's end knows nothing of it.
func TestAFailureOfWhatALineSpawnedIsReported(t *testing.T) {
	hosts, out := newSession(t, Options{})
	var printed bytes.Buffer
	own, err := New(t.Context(), Options{Host: hosts.options.Host, Out: &printed})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Session{hosts, own} {
		s.Eval(t.Context(), `done = mur.task.queue() mur.task.spawn(function()
			local inner = mur.task.spawn(function() mur.sleep(0.001) error("lost", 0) end, { name = "inner", detached = true })
			inner:wait()
			done:close()
		end)`)
		s.Eval(t.Context(), "done:pop()")
		if result := s.Eval(t.Context(), `local joined = mur.task.spawn(function() error("x") end) mur.task.join(joined)`); result.Err == nil {
			t.Error("joining a task that failed did not fail")
		}
	}
	if err := hosts.options.Host.Close(t.Context()); err != nil {
		t.Error(err)
	}
	const want = `task "inner" failed and nobody joined it: lost` + "\n"
	if out.String() != "host warns: "+want || printed.String() != "warning: "+want {
		t.Errorf("the host printed %q, the session %q", out.String(), printed.String())
	}
}

func TestSessionsShareGlobalsAndNotLocals(t *testing.T) {
	a, out := newSession(t, Options{})
	var printed bytes.Buffer
	b, err := New(t.Context(), Options{Host: a.options.Host, Out: &printed, Functions: map[string]engine.Function{
		"ps": func(c *engine.Call) error { return c.Return("listed") },
	}})
	if err != nil {
		t.Fatal(err)
	}
	a.Eval(t.Context(), "local mine = 1; shared = 2; function say() print('through a') end")
	if got := b.Eval(t.Context(), "mine, shared, ps()").Values; !cmp.Equal(got, []string{"nil", "2", `"listed"`}) {
		t.Errorf("the other session sees %v", got)
	}
	if got := a.Eval(t.Context(), "ps, _G.print == print").Values; !cmp.Equal(got, []string{"nil", "true"}) {
		t.Errorf("the first session sees %v", got)
	}
	if result := b.Eval(t.Context(), "print('here', nil, 1) say()"); result.Err != nil {
		t.Error(result.Err)
	}
	if printed.String() != "here\tnil\t1\n" || out.String() != "through a\n" {
		t.Errorf("the session printed %q, the host %q", printed.String(), out.String())
	}
}

func TestComplete(t *testing.T) {
	s, _ := newSession(t, Options{Names: Names{
		Options: func(call []string) []string {
			if strings.Join(call, ".") == "mur.formation.launch" {
				return []string{"members", "task", "ready_within"}
			}
			return nil
		},
		Members: func(path []string) []string {
			if strings.Join(path, ".") == "mur.running" {
				return []string{"list", "watch"}
			}
			return nil
		},
		Sessions: func() []string { return []string{"ses_aa", "ses_ab", "frm_aa"} },
		Files:    func(prefix string) []string { return []string{prefix + "one.lua", prefix + "two/"} },
	}})
	setup := s.Eval(t.Context(), `
		mur = require "mur"
		f = mur.formation.launch()
		local client, clock = { name = "x", send = function() end, _private = 1 }, 1
		trap = setmetatable({ real = 1 }, { __index = function() error "ran" end, __pairs = error, __tostring = error })
		derived = setmetatable({ own = 1 }, { __index = { inherited = { deep = 1 } } })
		text = "a"
		list = { { name = 1 }, { number = 2 } }`)
	if setup.Err != nil {
		t.Fatal(setup.Err)
	}
	for _, test := range []struct {
		input, head string
		words       []string
	}{
		{"cl", "", []string{"client", "clock"}},
		{"x = mu", "x = ", []string{"mur"}},
		{"client.", "client.", []string{"name", "send"}},
		{"client._", "client.", []string{"_private"}},
		{"client:", "client:", []string{"send"}},
		{"f.", "f.", []string{"id", "state", "stop", "wait"}},
		{"f:", "f:", []string{"stop", "wait"}},
		{"f:w", "f:", []string{"wait"}},
		{"mur.fo", "mur.", []string{"formation"}},
		{"mur.p", "mur.", []string{"panic"}},
		{"mur.formation.", "mur.formation.", []string{"launch"}},
		{"mur.running.", "mur.running.", []string{"list", "watch"}},
		{"mur.formation.launch { ", "mur.formation.launch { ", []string{"members = ", "ready_within = ", "task = "}},
		{"mur.formation.launch { task = 1, re", "mur.formation.launch { task = 1, ", []string{"ready_within = "}},
		{"mur.formation.launch { task = cl", "mur.formation.launch { task = ", []string{"client", "clock"}},
		{"trap.", "trap.", []string{"real"}},
		{"trap.nothing.", "trap.nothing.", nil},
		{"derived.", "derived.", []string{"inherited", "own"}},
		{"derived.inherited.", "derived.inherited.", []string{"deep"}},
		{"text:uppe", "text:", []string{"upper"}},
		{"list[2].", "list[2].", []string{"number"}},
		{"open('ses_a", "open('", []string{"ses_aa", "ses_ab"}},
		{"open('dir/", "open('", []string{"dir/one.lua", "dir/two/"}},
		{"loca", "", []string{"local"}},
		{"string.fo", "string.", []string{"format"}},
		{"f().", "f().", nil},
	} {
		head, words := s.Complete(t.Context(), test.input)
		if head != test.head || !cmp.Equal(words, test.words) {
			t.Errorf("%q completes to %q + %q, want %q + %q", test.input, head, words, test.head, test.words)
		}
	}
}

func TestCompleteDoesNotWaitForABusyHost(t *testing.T) {
	s, _ := newSession(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		other, _ := New(t.Context(), Options{Host: s.options.Host})
		other.Eval(ctx, "while true do end")
	}()
	time.Sleep(50 * time.Millisecond)
	_, words := s.Complete(t.Context(), "prin")
	cancel()
	<-done
	if len(words) > 0 {
		t.Logf("the lock was had between two looks: %q", words)
	}
	if _, words := s.Complete(t.Context(), "prin"); !cmp.Equal(words, []string{"print"}) {
		t.Errorf("afterwards: %q", words)
	}
}

func TestLimitsOfWhatIsShown(t *testing.T) {
	s, _ := newSession(t, Options{Limits: value.Limits{Items: 2}})
	if got := s.Eval(t.Context(), "{1, 2, 3}").Values; !cmp.Equal(got, []string{"{ 1, 2, … 1 more }"}) {
		t.Errorf("shown as %q", got)
	}
}

// BenchmarkComplete compares a table of 10,000 keys with one of 10.
func BenchmarkComplete(b *testing.B) {
	for _, keys := range []int{10, 10_000} {
		b.Run(fmt.Sprint(keys), func(b *testing.B) {
			s, _ := newSession(b, Options{})
			s.Eval(b.Context(), fmt.Sprintf("local t = {} for i = 1, %d do t['key' .. i] = i end big = t", keys))
			for b.Loop() {
				if _, words := s.Complete(b.Context(), "big.key"); len(words) == 0 {
					b.Fatal("nothing")
				}
			}
		})
	}
}

func TestTasksOfALineGoOn(t *testing.T) {
	s, out := newSession(t, Options{})
	result := s.Eval(t.Context(), `mur = require "mur"; gate = mur.task.queue(); task = mur.task.spawn(function() print(gate:pop()) end)`)
	if result.Err != nil {
		t.Fatal(result.Err)
	}
	if got := s.Eval(t.Context(), "task.done"); !cmp.Equal(got.Values, []string{"false"}) {
		t.Errorf("the task has ended with its line: %v, %v", got.Values, got.Err)
	}
	if got := s.Eval(t.Context(), "gate:push('went on') task:join()"); got.Err != nil {
		t.Error(got.Err)
	}
	if out.String() != "went on\n" {
		t.Errorf("printed %q", out.String())
	}
}
