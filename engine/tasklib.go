package engine

import (
	"context"
	"fmt"
	"time"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine/numeral"
)

// TaskModule is mur.task. Every host has it; it is exported for those who list the modules.
func TaskModule() Module {
	return Module{
		Name: "task",
		Doc:  "many things at once: tasks, groups of tasks, queues between them",
		Functions: map[string]Function{
			"spawn":   spawnTask,
			"join":    func(c *Call) error { return joinTask(c, taskArgument(c, 1)) },
			"all":     func(c *Call) error { return runGroup(c, allOf) },
			"any":     func(c *Call) error { return runGroup(c, anyOf) },
			"race":    func(c *Call) error { return runGroup(c, firstOf) },
			"timeout": timeoutTask,
			"sleep":   sleep,
			"yield":   yieldTask,
			"current": func(c *Call) error { return c.Return(c.Task()) },
			"queue":   newQueue,
		},
	}
}

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

// yieldTask lets every task that can run do so first: the lock is fair.
func yieldTask(c *Call) error {
	task := c.t.task
	if task.unwinding() {
		return errStopped
	}
	task.queued.Store(true)
	c.t.host.turn(task.wake)
	task.queued.Store(false)
	if task.ctx.Err() != nil {
		c.t.left = 0 // look at once whether this is a hard stop
		return task.stopError()
	}
	return nil
}

func waitFor(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// spawnTask is spawn(fn, {name, detached, deadline}).
func spawnTask(c *Call) error {
	fn := c.Function(1)
	o := c.Options(2)
	name, detached := o.String("name", ""), o.Bool("detached", c.t.task.spawnDetached)
	deadline := o.Duration("deadline", 0)
	o.Done(false)
	named := name != ""
	if !named && fn.IsG {
		name = "a task"
	} else if !named {
		name = fmt.Sprintf("the task of %s:%d", fn.Proto.SourceName, fn.Proto.LineDefined)
	}
	t, err := c.Spawn(name, detached, fn)
	if err != nil {
		return err
	}
	t.named = named
	t.limit(deadline)
	return c.Return(t)
}

// limit stops the task when the time is over; zero is no limit.
func (t *Task) limit(d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.AfterFunc(d, func() {
		t.late.Store(true)
		t.Stop(deadlineError(d))
	})
	t.watch(func() { timer.Stop() })
}

func taskArgument(c *Call, n int) *Task { return c.Object(n, c.t.host.taskType).(*Task) }

func joinTask(c *Call, t *Task) error {
	for above := c.t.task; above != nil; above = above.parent {
		if above == t {
			return Errorf(KindUsage, "a task cannot join itself or a task that it is part of")
		}
	}
	results, err := c.Join(t)
	if err != nil {
		return err
	}
	return c.Return(anyValues(results)...)
}

func anyValues(values []lua.LValue) []any {
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = v
	}
	return list
}

// timeoutTask is timeout(seconds, fn).
func timeoutTask(c *Call) error {
	d, fn := c.Duration(1), c.Function(2)
	t, err := c.Spawn("a call with a timeout", false, fn)
	if err != nil {
		return err
	}
	timer := time.AfterFunc(d, func() {
		t.Stop(&Error{Kind: KindTimeout, Message: fmt.Sprintf("it took longer than %s s", numeral.Text(d.Seconds())), Cause: context.DeadlineExceeded})
	})
	defer timer.Stop()
	results, err := c.Join(t)
	if err != nil {
		endAll(c, []*Task{t}, err)
		return err
	}
	return c.Return(anyValues(results)...)
}

// endAll stops tasks and waits until they have ended, whatever else happens.
func endAll(c *Call, tasks []*Task, cause error) {
	for _, t := range tasks {
		t.joined.Store(true)
		t.Stop(cause)
	}
	c.t.host.unlocked(c.t.task.wake, func() {
		for _, t := range tasks {
			select {
			case <-t.done:
			case <-t.lost:
			}
		}
	})
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
		Name: "task", Class: "mur.Task",
		Methods: map[string]Function{
			"join": func(c *Call) error { return joinTask(c, c.Self().(*Task)) },
			"cancel": func(c *Call) error {
				t := c.Self().(*Task)
				t.joined.Store(true)
				t.Stop(&Error{Kind: KindCancelled, Message: "the task was cancelled"})
				return nil
			},
			"wait": waitTask,
		},
		Fields: map[string]func(any) any{
			"name": func(v any) any { return v.(*Task).name },
			"done": func(v any) any { return v.(*Task).settled },
		},
		String: func(v any) string {
			t := v.(*Task)
			if t.settled {
				return t.name + " (ended)"
			}
			return t.name + " (running)"
		},
	}
}

// waitTask is task:wait(seconds): whether the task has ended by then.
func waitTask(c *Call) error {
	t, d := c.Self().(*Task), c.OptDuration(1, -1)
	ended := true
	err := c.Block(func(ctx context.Context) error {
		if d < 0 {
			return waitFor(ctx, t.done)
		}
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-t.done:
		case <-timer.C:
			ended = false
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.Return(ended)
}
