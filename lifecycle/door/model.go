package door

import (
	"encoding/json"
	"strings"
	"time"
)

// State is how far a task has come. The names are those of A2A 0.3; 1.0 spells them TASK_STATE_SUBMITTED and so on.
type State string

// The states of a task. The last four are final.
const (
	Submitted     State = "submitted"
	Working       State = "working"
	InputRequired State = "input-required"
	AuthRequired  State = "auth-required"
	Completed     State = "completed"
	Failed        State = "failed"
	Canceled      State = "canceled"
	Rejected      State = "rejected"
)

// Ended reports whether a task in this state will not change any more.
func (s State) Ended() bool {
	return s == Completed || s == Failed || s == Canceled || s == Rejected
}

// Part is one piece of a message or an artifact: text, or any JSON value. Exactly one of the two is set; the door
// takes no files.
type Part struct {
	Text string
	Data json.RawMessage
}

// Message is what a client sends to a door.
type Message struct {
	// Text is the message; Parts replaces it when more than one piece is to be sent.
	Text  string
	Parts []Part
	// Context continues a conversation that a door named in an earlier task; "" begins one.
	Context string
	// Task answers a task that waits for input; "" starts a new task.
	Task string
	// ID names the message; "" mints one.
	ID string
}

// Artifact is something a task produced.
type Artifact struct {
	ID    string
	Name  string
	Parts []Part
}

// Text returns the text parts, joined by line ends.
func (a Artifact) Text() string { return joinText(a.Parts) }

// Task is a task as its door reports it.
type Task struct {
	ID      string
	Context string
	State   State
	// Note is what the door says about the state, such as why a task failed.
	Note      string
	Artifacts []Artifact
	// Updated is when the state was reached; zero if the door did not say.
	Updated time.Time
}

// responseArtifact is the artifact that holds a murmur task's answer.
const responseArtifact = "response"

// Text returns the task's answer: the text of its response artifact, else of its first artifact that has a text, else the note.
func (t Task) Text() string {
	for _, artifact := range t.Artifacts {
		if artifact.ID == responseArtifact || artifact.Name == responseArtifact {
			return artifact.Text()
		}
	}
	for _, artifact := range t.Artifacts {
		if text := artifact.Text(); text != "" {
			return text
		}
	}
	return t.Note
}

// answerArtifact is the artifact of an answer, or of a piece of it.
func answerArtifact(text string) *Artifact {
	return &Artifact{ID: responseArtifact, Name: responseArtifact, Parts: []Part{{Text: text}}}
}

func joinText(parts []Part) string {
	var texts []string
	for _, part := range parts {
		if part.Data == nil {
			texts = append(texts, part.Text)
		}
	}
	return strings.Join(texts, "\n")
}
