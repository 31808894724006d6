package engine

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// A failure is told when nobody has joined it for a while, once, whatever its parent waits for; times are the bubble's.
func TestAFailureIsToldBeforeItIsRaised(t *testing.T) {
	const first = "test.lua:2: the task of test.lua:2 failed and nobody has joined it yet: x"
	for _, c := range []struct {
		name, source, run, closed string
		told                      []string
	}{
		{name: "while its parent waits", source: `task.spawn(function() error "x" end) mur.sleep(3600) print "waited"`, told: []string{first, "waited"}, run: strings.Replace(first, "has joined it yet", "joined it", 1)},
		{name: "of a detached one", source: `task.spawn(function() error "x" end, { detached = true }) mur.sleep(3600) print "waited"`, told: []string{first, "waited"}, closed: strings.Replace(first, "has joined it yet", "joined it", 1)},
		{name: "with its parent's own error", source: `task.spawn(function() error "x" end) mur.sleep(3600) error("own", 0)`, told: []string{first}, run: "own"},
		{name: "before os.exit", source: `task.spawn(function() error "x" end, { detached = true }) mur.sleep(3600) os.exit(3)`, told: []string{first}, run: "the script exited with status 3"},
		{name: "joined afterwards", source: `local t = task.spawn(function() error "x" end) mur.sleep(3600) print(pcall(t.join, t))`, told: []string{first, "false\ttest.lua:2: x"}},
		{name: "joined soon", source: `local t = task.spawn(function() error "x" end) mur.sleep(0.9) print(pcall(t.join, t)) mur.sleep(3600)`, told: []string{"false\ttest.lua:2: x"}},
		{name: "joined by a group", source: `local t = task.spawn(function() mur.sleep(60) error "x" end) print(#task.all { function() return 1 end, function() print(pcall(t.join, t)) return 2 end }) mur.sleep(3600)`, told: []string{"false\ttest.lua:2: x", "2"}},
		{name: "cancelled soon", source: `local t = task.spawn(function() error "x" end) task.yield() t:cancel() mur.sleep(3600)`},
		{name: "raised soon", source: `task.spawn(function() error "x" end) mur.sleep(0.9)`, run: "test.lua:2: the task of test.lua:2 failed and nobody joined it: x"},
		{
			name: "in its child's child, and not again in the child", run: "the task of test.lua:2 failed and nobody joined it: the task of test.lua:2 failed and nobody joined it: x",
			source: `task.spawn(function() task.spawn(function() error("x", 0) end) mur.sleep(60) end) mur.sleep(3600)`,
			told:   []string{"the task of test.lua:2 failed and nobody has joined it yet: x"},
		},
		{
			name: "many at once", source: `for i = 1, 1000 do task.spawn(function() error("x", 0) end, { name = "t", detached = true }) end mur.sleep(3600) os.exit(0)`,
			told: []string{"1000 tasks failed and nobody has joined them yet: " + strings.Repeat(`task "t": x; `, 10) + "and 990 more"}, run: "the script exited with status 0",
		},
		{
			name: "one after the other", source: `for i = 1, 3 do task.spawn(function() error(i, 0) end, { name = "t", detached = true }) mur.sleep(0.7) end mur.sleep(3600) os.exit(0)`,
			told: []string{`task "t" failed and nobody has joined it yet: 1`, `task "t" failed and nobody has joined it yet: 2`, `task "t" failed and nobody has joined it yet: 3`},
			run:  "the script exited with status 0",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				var told []string
				note := func(text string) {
					mu.Lock()
					defer mu.Unlock()
					told = append(told, text)
				}
				h, err := New(Options{Warn: note, Stdout: writer(func(text string) { note(strings.TrimSuffix(text, "\n")) })})
				if err != nil {
					t.Fatal(err)
				}
				_, run := h.Run(t.Context(), "test.lua", "local mur = require 'mur' local task = mur.task\n"+c.source)
				closed := h.Close(t.Context())
				if !slices.Equal(told, c.told) {
					t.Errorf("told: %q, want %q", told, c.told)
				}
				if textOf(run) != c.run || textOf(closed) != c.closed {
					t.Errorf("the run: %q, want %q; the close: %q, want %q", textOf(run), c.run, textOf(closed), c.closed)
				}
			})
		})
	}
}

// writer hands on what is written.
type writer func(string)

func (w writer) Write(text []byte) (int, error) {
	w(string(text))
	return len(text), nil
}
