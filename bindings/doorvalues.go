package bindings

import (
	"encoding/json"
	"errors"

	"murlua/engine"
	"murlua/lifecycle/door"
)

// taskFields is a task as scripts see it.
func taskFields(task door.Task) map[string]any {
	artifacts := make([]map[string]any, len(task.Artifacts))
	for i, artifact := range task.Artifacts {
		artifacts[i] = artifactFields(artifact)
	}
	fields := map[string]any{
		"id": task.ID, "context": task.Context, "state": string(task.State), "ended": task.State.Ended(), "text": task.Text(), "artifacts": artifacts,
	}
	if task.Note != "" {
		fields["note"] = task.Note
	}
	return fields
}

func artifactFields(artifact door.Artifact) map[string]any {
	fields := map[string]any{"id": artifact.ID, "name": artifact.Name, "text": artifact.Text()}
	var data []any
	for _, part := range artifact.Parts {
		if part.Data != nil {
			var value any
			_ = json.Unmarshal(part.Data, &value)
			data = append(data, value)
		}
	}
	if data != nil {
		fields["data"] = data
	}
	return fields
}

// doorError gives the errors of doors their kinds.
func doorError(err error) error {
	if refused, ok := errors.AsType[*door.RefusedError](err); ok {
		return &engine.Error{Kind: "refused", Message: refused.Error(), Cause: err, Fields: map[string]any{"status": refused.Status, "code": refused.Code}}
	}
	if failure, ok := errors.AsType[*door.RPCError](err); ok {
		return &engine.Error{Kind: "door", Message: failure.Error(), Cause: err, Fields: map[string]any{"code": failure.Code}}
	}
	if unreachable, ok := errors.AsType[*door.UnreachableError](err); ok {
		tried := []map[string]any{}
		for _, attempt := range unreachable.Tried {
			tried = append(tried, map[string]any{"address": attempt.Address, "error": attempt.Err.Error()})
		}
		return &engine.Error{Kind: "unreachable", Message: unreachable.Error(), Cause: err, Fields: map[string]any{"addresses": tried}}
	}
	return err
}

// eventFields is an event as scripts see it.
func eventFields(event door.Event) map[string]any {
	if event.Artifact == nil {
		kind := "status"
		if len(event.Task.Artifacts) > 0 {
			kind = "task"
		}
		return map[string]any{"kind": kind, "task": taskFields(event.Task)}
	}
	return map[string]any{
		"kind": "artifact", "task": map[string]any{"id": event.Task.ID, "context": event.Task.Context, "state": string(event.Task.State), "ended": false},
		"artifact": artifactFields(*event.Artifact), "append": event.Append, "last": event.Last,
	}
}
