package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"murlua/lifecycle/door"
	"murlua/lifecycle/home"
	"murlua/lifecycle/running"
)

type sendCommand struct {
	Session string   `arg:"" help:"A session." placeholder:"SESSION"`
	Text    []string `arg:"" optional:"" help:"The task; standard input without it." placeholder:"TEXT"`
	JSON    bool     `name:"json" help:"Print the task as one JSON object."`
}

func (c *sendCommand) run(ctx context.Context, o *outside) error {
	h, err := home.Resolve(o.getenv("HOME"))
	if err != nil {
		return err
	}
	record, err := running.Find(h, c.Session)
	if err != nil {
		return findHint(err)
	}
	if record.URL == "" {
		return fmt.Errorf("cannot send to session %s: it has no door", record.SessionID)
	}
	text := strings.Join(c.Text, " ")
	if len(c.Text) == 0 {
		input, err := io.ReadAll(o.stdin)
		if err != nil {
			return fmt.Errorf("cannot read the task: %w", err)
		}
		text = string(input)
	}
	client := &door.Client{URL: record.URL, Token: record.DoorToken}
	shown := &shownAnswer{out: o.stdout, notes: o.stderr}
	if c.JSON {
		shown.out, shown.notes = io.Discard, io.Discard
	}
	task, err := shown.follow(ctx, client, text)
	if err != nil {
		return errors.Join(fmt.Errorf("cannot send to session %s: %w", record.SessionID, err), context.Cause(ctx))
	}
	if c.JSON {
		err := printObject(o, map[string]any{"id": task.ID, "state": task.State, "text": task.Text()})
		if err == nil && task.State != door.Completed {
			err = exitError{exitFailure}
		}
		return err
	}
	if task.State != door.Completed {
		return fmt.Errorf("task %s ended as %s: %s", task.ID, task.State, cmp.Or(task.Note, task.Text()))
	}
	return nil
}

// shownAnswer shows a task's answer while it grows, and its notes.
type shownAnswer struct {
	out, notes io.Writer
	text, note string // what is shown
	task       door.Task
}

// follow sends a message, shows what comes and returns the task at its end. A door that does not stream is asked to answer at the end.
func (a *shownAnswer) follow(ctx context.Context, client *door.Client, text string) (door.Task, error) {
	stream, err := client.Stream(ctx, door.Message{Text: text})
	if refused, ok := errors.AsType[*door.RPCError](err); ok && (refused.Code == door.CodeUnsupported || refused.Code == door.CodeMethodNotFound) {
		task, err := client.Send(ctx, door.Message{Text: text})
		a.whole(task)
		return a.ended(task.State == door.Completed), err
	}
	if err != nil {
		return door.Task{}, err
	}
	defer func() { _ = stream.Close() }()
	for {
		event, err := stream.Next()
		if errors.Is(err, io.EOF) {
			return a.ended(a.task.State == door.Completed), nil
		}
		if err != nil {
			a.ended(a.text != "")
			return a.task, err
		}
		a.event(event)
	}
}

func (a *shownAnswer) event(e door.Event) {
	switch {
	case e.Artifact != nil && e.Append:
		a.whole(door.Task{ID: e.Task.ID, State: e.Task.State, Artifacts: []door.Artifact{{Parts: []door.Part{{Text: a.text + e.Artifact.Text()}}}}})
	case e.Artifact != nil:
		a.whole(door.Task{ID: e.Task.ID, State: e.Task.State, Artifacts: []door.Artifact{*e.Artifact}})
	case len(e.Task.Artifacts) > 0:
		a.whole(e.Task)
	case e.Task.ID != "":
		a.task.ID, a.task.State, a.task.Note = e.Task.ID, e.Task.State, e.Task.Note
		if note := e.Task.Note; note != "" && note != a.note && !e.Task.State.Ended() {
			a.note = note
			writeAll(a.notes, note+"\n")
		}
	}
}

// whole shows what is new of a task: mostly the end of its answer. An answer that says something else begins on a line of its own.
func (a *shownAnswer) whole(task door.Task) {
	text := ""
	for _, artifact := range task.Artifacts {
		text += artifact.Text()
	}
	fresh, continues := strings.CutPrefix(text, a.text)
	if !continues {
		fresh = "\n" + text
	}
	writeAll(a.out, fresh)
	a.text, a.task = text, task
}

// ended ends the last line, if there is anything to end.
func (a *shownAnswer) ended(completed bool) door.Task {
	if completed && !strings.HasSuffix(a.text, "\n") || a.text != "" && !strings.HasSuffix(a.text, "\n") {
		writeAll(a.out, "\n")
	}
	return a.task
}
