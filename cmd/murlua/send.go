package main

import (
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
	task, err := client.Send(ctx, door.Message{Text: text})
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
		return fmt.Errorf("task %s ended as %s: %s", task.ID, task.State, task.Text())
	}
	writeAll(o.stdout, task.Text()+"\n")
	return nil
}
