package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestScopeEndsWhatCameAfterItAndNothingElse(t *testing.T) {
	var log []string
	note := func(text string) func(context.Context) error {
		return func(context.Context) error { log = append(log, text); return nil }
	}
	h := newHost(t, Options{})
	h.OnClose(note("before"))
	sleeper := func() *Task {
		var task *Task
		err := h.Do(t.Context(), func(c *Call) (err error) {
			fn, err := FromGo(c.L(), Function(func(c *Call) error {
				return c.Block(func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) })
			}))
			if err != nil {
				return err
			}
			task, err = c.Spawn("sleeper", true, fn)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return task
	}
	earlier := sleeper()
	outer := h.OpenScope()
	h.OnClose(note("one"))
	inner := h.OpenScope()
	h.OnClose(note("two"))
	h.OnClose(func(context.Context) error { return errors.New("three failed") })
	later := sleeper()
	if err := inner.Close(t.Context()); err == nil || !strings.Contains(err.Error(), "three failed") {
		t.Errorf("closing gave %v, want the hook's error", err)
	}
	if !later.isDone() || earlier.isDone() {
		t.Errorf("the later task has ended: %v, the earlier one: %v", later.isDone(), earlier.isDone())
	}
	if got := strings.Join(log, " "); got != "two" {
		t.Errorf("ran %q, want the hook of the inner scope", got)
	}
	if err := outer.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if got := strings.Join(log, " "); got != "two one" {
		t.Errorf("ran %q", got)
	}
	if _, err := h.Run(t.Context(), "after.lua", "return 1"); err != nil {
		t.Errorf("the host does not go on: %v", err)
	}
	if err := h.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if got := strings.Join(log, " "); got != "two one before" {
		t.Errorf("ran %q", got)
	}
}
