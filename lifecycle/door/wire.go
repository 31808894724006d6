package door

import (
	"encoding/json"
	"strings"
	"time"
)

// dialect is one of the two spellings of A2A that doors have spoken. A request's method name says which one it is in,
// and is answered in the same one.
type dialect int

const (
	v1  dialect = iota // A2A 1.0, murmur from 0.8 on
	v03                // A2A 0.3, murmur before
)

func (d dialect) state(s State) string {
	if d == v03 {
		return string(s)
	}
	return "TASK_STATE_" + strings.ToUpper(strings.ReplaceAll(string(s), "-", "_"))
}

// stateOf reads either spelling.
func stateOf(text string) State {
	text = strings.ToLower(strings.TrimPrefix(text, "TASK_STATE_"))
	return State(strings.ReplaceAll(text, "_", "-"))
}

// role returns the name of the side that speaks.
func (d dialect) role(agent bool) string {
	name := "user"
	if agent {
		name = "agent"
	}
	if d == v03 {
		return name
	}
	return "ROLE_" + strings.ToUpper(name)
}

// kind returns the discriminator that 0.3 objects carry and 1.0 objects do not.
func (d dialect) kind(name string) string {
	if d == v03 {
		return name
	}
	return ""
}

// The objects on the wire. One struct serves both dialects: the fields of only one of them are empty in the other.
type (
	wirePart struct {
		Kind      string          `json:"kind,omitempty"`
		Text      *string         `json:"text,omitempty"`
		Data      json.RawMessage `json:"data,omitempty"`
		Raw       json.RawMessage `json:"raw,omitempty"`
		URL       json.RawMessage `json:"url,omitempty"`
		File      json.RawMessage `json:"file,omitempty"`
		MediaType string          `json:"mediaType,omitempty"`
	}
	wireMessage struct {
		Kind      string     `json:"kind,omitempty"`
		MessageID string     `json:"messageId"`
		ContextID string     `json:"contextId,omitempty"`
		TaskID    string     `json:"taskId,omitempty"`
		Role      string     `json:"role"`
		Parts     []wirePart `json:"parts"`
		Metadata  frames     `json:"metadata,omitempty"`
	}
	wireStatus struct {
		State     string       `json:"state"`
		Message   *wireMessage `json:"message,omitempty"`
		Timestamp string       `json:"timestamp,omitempty"`
	}
	wireArtifact struct {
		ArtifactID string     `json:"artifactId"`
		Name       string     `json:"name,omitempty"`
		Parts      []wirePart `json:"parts"`
	}
	wireTask struct {
		Kind      string         `json:"kind,omitempty"`
		ID        string         `json:"id"`
		ContextID string         `json:"contextId"`
		Status    wireStatus     `json:"status"`
		Artifacts []wireArtifact `json:"artifacts,omitempty"`
	}
	wireStatusUpdate struct {
		Kind      string     `json:"kind,omitempty"`
		TaskID    string     `json:"taskId"`
		ContextID string     `json:"contextId"`
		Status    wireStatus `json:"status"`
		Final     *bool      `json:"final,omitempty"`
		Metadata  frames     `json:"metadata,omitempty"`
	}
	wireArtifactUpdate struct {
		Kind      string       `json:"kind,omitempty"`
		TaskID    string       `json:"taskId"`
		ContextID string       `json:"contextId"`
		Artifact  wireArtifact `json:"artifact"`
		Append    bool         `json:"append,omitempty"`
		LastChunk bool         `json:"lastChunk,omitempty"`
	}
)

// The media types that murmur writes on parts in the 1.0 dialect.
const (
	textType = "text/plain"
	jsonType = "application/json"
)

func (d dialect) parts(parts []Part) []wirePart {
	out := make([]wirePart, len(parts))
	for i, part := range parts {
		if part.Data != nil {
			out[i] = wirePart{Kind: d.kind("data"), Data: part.Data}
		} else {
			out[i] = wirePart{Kind: d.kind("text"), Text: &parts[i].Text}
		}
		if d == v1 {
			out[i].MediaType = textType
			if part.Data != nil {
				out[i].MediaType = jsonType
			}
		}
	}
	return out
}

func (d dialect) status(t Task) wireStatus {
	status := wireStatus{State: d.state(t.State)}
	if !t.Updated.IsZero() {
		status.Timestamp = t.Updated.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	if t.Note != "" {
		status.Message = &wireMessage{
			Kind: d.kind("message"), MessageID: "msg_" + t.ID + "_status", ContextID: t.Context, TaskID: t.ID,
			Role: d.role(true), Parts: d.parts([]Part{{Text: t.Note}}),
		}
	}
	return status
}

func (d dialect) artifact(a Artifact) wireArtifact {
	return wireArtifact{ArtifactID: a.ID, Name: a.Name, Parts: d.parts(a.Parts)}
}

func (d dialect) task(t Task) wireTask {
	task := wireTask{Kind: d.kind("task"), ID: t.ID, ContextID: t.Context, Status: d.status(t)}
	for _, artifact := range t.Artifacts {
		task.Artifacts = append(task.Artifacts, d.artifact(artifact))
	}
	return task
}

// wrap puts a task or an update under the name that tells its kind in 1.0; in 0.3 it tells its kind itself.
func (d dialect) wrap(name string, value any) any {
	if d == v03 {
		return value
	}
	return map[string]any{name: value}
}

// partsOf reads parts of either dialect. Parts that are neither text nor data are left out.
func partsOf(wire []wirePart) []Part {
	var parts []Part
	for _, part := range wire {
		switch {
		case part.Text != nil:
			parts = append(parts, Part{Text: *part.Text})
		case part.Data != nil:
			parts = append(parts, Part{Data: part.Data})
		}
	}
	return parts
}

func artifactOf(wire wireArtifact) Artifact {
	return Artifact{ID: wire.ArtifactID, Name: wire.Name, Parts: partsOf(wire.Parts)}
}

// taskOf reads a task of either dialect.
func taskOf(wire wireTask) Task {
	task := Task{ID: wire.ID, Context: wire.ContextID}
	task.setStatus(wire.Status)
	for _, artifact := range wire.Artifacts {
		task.Artifacts = append(task.Artifacts, artifactOf(artifact))
	}
	return task
}

func (t *Task) setStatus(wire wireStatus) {
	t.State, t.Note = stateOf(wire.State), ""
	if wire.Message != nil {
		t.Note = joinText(partsOf(wire.Message.Parts))
	}
	if when, err := time.Parse(time.RFC3339, wire.Timestamp); err == nil {
		t.Updated = when
	}
}
