package engine

import (
	"context"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// taskFunctions are the functions of mur itself that concern tasks.
func (h *Host) taskFunctions() map[string]Function {
	return map[string]Function{
		"sleep": sleep,
		"defer": func(c *Call) error {
			c.Defer(c.Function(1))
			return nil
		},
	}
}

func sleep(c *Call) error {
	d := c.Duration(1)
	return c.Block(func(ctx context.Context) error {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
}

func waitFor(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// taskObject returns the one object for a task.
func (h *Host) taskObject(t *Task) lua.LValue {
	if t.object == nil {
		t.object = h.box(h.taskType, t)
	}
	return t.object
}

func newTaskType() *Type {
	return &Type{
		Name: "task",
		Methods: map[string]Function{
			"join": func(c *Call) error {
				results, err := c.Join(c.Self().(*Task))
				if err != nil {
					return err
				}
				values := make([]any, len(results))
				for i, v := range results {
					values[i] = v
				}
				return c.Return(values...)
			},
			"cancel": func(c *Call) error {
				t := c.Self().(*Task)
				t.joined = true
				t.Stop(&Error{Kind: KindCancelled, Message: "the task was cancelled"})
				return nil
			},
		},
		Fields: map[string]func(any) any{
			"name": func(v any) any { return v.(*Task).name },
			"done": func(v any) any { return v.(*Task).isDone() },
		},
		String: func(v any) string { return "task: " + v.(*Task).name },
	}
}
