package member

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"murlua/lifecycle/door"
	"murlua/lifecycle/trace"
)

// commandTask does the task of the command line. The session waits for it before it ends.
func (r *run) commandTask(text string) {
	defer r.tasks.Done()
	r.live.Add(1)
	ignore := func(string) {}
	answer, err := r.do(r.ctx, Task{Text: text, Emit: ignore, Note: ignore})
	r.live.Add(-1)
	r.finishTask(answer, err)
}

// doorTask does a task that came through the door.
func (r *run) doorTask(ctx context.Context, in *door.Incoming) (string, error) {
	single := r.options.Flags.Single
	if single && !r.claimed.CompareAndSwap(false, true) {
		return "", errors.New("this capsule takes a single task and has one")
	}
	working, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(r.ctx, func() { cancel(context.Cause(r.ctx)) })()
	r.live.Add(1)
	task := Task{ID: in.ID, Text: in.Message.Text, From: in.Caller, Emit: in.Emit, Note: in.Note}
	for _, part := range in.Message.Parts {
		if part.Data != nil {
			task.Data = append(task.Data, part.Data)
		}
	}
	answer, err := r.do(working, task)
	r.live.Add(-1)
	if single {
		// The door ends the context when it has recorded the answer: the session must not end before that.
		context.AfterFunc(ctx, func() { r.finishTask(answer, err) })
	}
	return answer, err
}

func (r *run) finishTask(answer string, err error) {
	r.mu.Lock()
	r.answer = answer
	r.mu.Unlock()
	r.taskDone <- err
}

// do runs the handler. A handler that panics fails its task, not the capsule.
func (r *run) do(ctx context.Context, task Task) (answer string, err error) {
	begun := time.Now()
	r.write(trace.TaskStart, map[string]any{"task_id": task.ID})
	defer func() {
		if panicked := recover(); panicked != nil {
			r.notice("panic in a task: %v\n%s", panicked, debug.Stack())
			err = fmt.Errorf("the task's handler panicked: %v", panicked)
		}
		status := "ok"
		switch {
		case ctx.Err() != nil && err != nil:
			status = "canceled"
		case err != nil:
			status = "failed"
		}
		end := spent(begun, "turns", "input_tokens", "output_tokens", "tool_calls", "shell_calls")
		end["task_id"], end["exit_status"] = task.ID, status
		r.write(trace.TaskEnd, end)
	}()
	return r.handler(ctx, task)
}

// spent is the part of a trace's event that says what something took. Murmur's readers ask for its counts; none of what
// they count is spent here.
func spent(since time.Time, counts ...string) map[string]any {
	fields := map[string]any{"duration_ms": time.Since(since).Milliseconds()}
	for _, name := range counts {
		fields[name] = 0
	}
	return fields
}
