package door

import (
	"strings"
	"testing"
)

// A stream that begins in the middle of an answer shows a task with what was said so far; the pieces continue it.
func TestPiecesContinueASnapshot(t *testing.T) {
	p := pieces{}
	task := Task{ID: "tsk_1", State: Working}
	begun := task
	begun.Artifacts = []Artifact{*answerArtifact("one ")}
	p.event(Event{Task: begun})
	second := p.text(Event{Task: task}, "two ")
	last := p.event(Event{Task: task, Artifact: answerArtifact("one two three"), Last: true})
	var whole strings.Builder
	whole.WriteString("one ")
	for _, e := range []Event{second, last} {
		if !e.Append {
			t.Errorf("the piece %q replaces what was said", e.Artifact.Text())
		}
		whole.WriteString(e.Artifact.Text())
	}
	if whole.String() != "one two three" {
		t.Errorf("the pieces add up to %q", whole.String())
	}
}
