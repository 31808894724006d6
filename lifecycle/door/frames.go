package door

import (
	"encoding/json"
	"net/http"
	"strings"
)

// streamExtension is murmur's addition to streams: frames, carried in the metadata of ordinary events. They are sent
// to those who watch a session and to those whose request names the extension.
//
// With it the pieces of an answer come as "text" frames and its artifact once and whole at the end; without it, as A2A has it, the pieces
// are pieces of the artifact.
const streamExtension = "https://docs.murmur.nexus/reference/streaming-protocol/#murmur-stream-v1"

const extensionsHeader = "A2a-Extensions"

// frames are the metadata of an event, as far as this package knows them: the frame that it carries, by the extension's URI.
type frames map[string]json.RawMessage

// frame is one of murmur's frames.
type frame struct {
	Frame     string  `json:"frame"`
	Text      *string `json:"text,omitempty"`
	Final     *bool   `json:"final,omitempty"`
	Missed    uint64  `json:"missed,omitempty"`
	Available uint64  `json:"firstAvailableId,omitempty"`
	Role      string  `json:"role,omitempty"`
	Mode      string  `json:"conversationMode,omitempty"`
}

// servedFrames are the frames that this door sends.
func servedFrames() []string { return []string{"text", "gap", "lagged", "connection-ack"} }

func (f frame) metadata() frames { return frames{streamExtension: encode(f)} }

// of returns the frame that an event carries, if it carries one.
func (m frames) frame() (frame, bool) {
	var f frame
	if json.Unmarshal(m[streamExtension], &f) != nil || f.Frame == "" {
		return frame{}, false
	}
	return f, true
}

// activates reports whether a request asks for the frames.
func activates(r *http.Request) bool {
	for _, line := range r.Header.Values(extensionsHeader) {
		for entry := range strings.SplitSeq(line, ",") {
			if strings.TrimSpace(entry) == streamExtension {
				return true
			}
		}
	}
	return false
}

// textFrame carries a piece of an answer in an update that repeats the state.
func (d dialect) textFrame(e Event) any {
	text, final := e.Artifact.Text(), false
	bare := e.Task
	bare.Note = ""
	return d.wrap("statusUpdate", wireStatusUpdate{
		TaskID: e.Task.ID, ContextID: e.Task.Context, Status: d.status(bare), Metadata: frame{Frame: "text", Text: &text, Final: &final}.metadata(),
	})
}

// sessionFrame carries a frame that belongs to no task.
func (d dialect) sessionFrame(f frame) any {
	return d.wrap("message", wireMessage{MessageID: mint("msg_"), Role: d.role(true), Parts: d.parts([]Part{{Text: f.Frame}}), Metadata: f.metadata()})
}

// pieces turns the frames of a stream back into pieces of artifacts: whoever adds up the pieces has the answer, whichever way
// it came. It holds what the frames said of each task until its artifact comes.
type pieces map[string]*strings.Builder

// text is a piece that came as a frame.
func (p pieces) text(e Event, text string) Event {
	said := p[e.Task.ID]
	e.Append = said != nil
	if said == nil {
		said = &strings.Builder{}
		p[e.Task.ID] = said
	}
	if said.Len() <= maxEvent {
		said.WriteString(text)
	}
	e.Artifact = answerArtifact(text)
	return e
}

// event takes what was said already off an artifact that comes whole.
func (p pieces) event(e Event) Event {
	if len(e.Task.Artifacts) > 0 { // a whole task replaces what was known
		known := &strings.Builder{}
		known.WriteString(e.Task.Text())
		p[e.Task.ID] = known
		return e
	}
	said := p[e.Task.ID]
	if said == nil {
		return e
	}
	if e.Artifact == nil {
		if e.Task.State.Ended() {
			delete(p, e.Task.ID)
		}
		return e
	}
	if rest, continues := strings.CutPrefix(e.Artifact.Text(), said.String()); continues && !e.Append && e.Artifact.ID == responseArtifact {
		e.Artifact, e.Append = answerArtifact(rest), true
	}
	delete(p, e.Task.ID)
	return e
}
