package formation

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"

	"murlua/lifecycle/id"
)

// TraceFile is the file in a formation's directory that has its events, one JSON object a line, for those who look back. A
// member's name has no dot, so no member's directory is ever called that.
const TraceFile = "trace.jsonl"

// tracing writes events into the formation's trace. What comes before the directory is there waits in memory. A trace that
// cannot be written ends nothing.
type tracing struct {
	formation id.Formation

	mu      sync.Mutex
	file    *os.File
	waiting []Event
	off     bool // there will be no file
}

// open begins the file in the directory, or with an empty one says that there is none.
func (t *tracing) open(dir string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	waiting := t.waiting
	t.waiting, t.off = nil, true
	if dir == "" {
		return nil
	}
	file, err := os.OpenFile(filepath.Join(dir, TraceFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	t.file, t.off = file, false
	for _, e := range waiting {
		t.write(e)
	}
	return nil
}

func (t *tracing) add(e Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.file != nil:
		t.write(e)
	case !t.off:
		t.waiting = append(t.waiting, e)
	}
}

// write appends an event, each with one call, so that no reader sees half of one while this process lives.
func (t *tracing) write(e Event) {
	line := struct {
		Kind      EventKind    `json:"event_type"`
		Formation id.Formation `json:"formation_id"`
		Timestamp int64        `json:"timestamp"` // Unix milliseconds
		At        float64      `json:"at"`        // seconds since the launch began
		Member    string       `json:"formation_member,omitempty"`
		Session   string       `json:"session_id,omitempty"`
		PID       int          `json:"pid,omitempty"`
		URL       string       `json:"url,omitempty"`
		Status    string       `json:"status,omitempty"`
		Reason    string       `json:"reason,omitempty"`
		Detail    string       `json:"detail,omitempty"`
	}{
		Kind: e.Kind, Formation: t.formation, Timestamp: e.Time.UnixMilli(), At: e.Seconds(), Member: e.Member,
		Session: e.Session, PID: e.PID, URL: e.URL, Detail: e.Detail,
	}
	if e.Kind == Exited || e.Kind == Reaped {
		line.Status = e.Status.String()
	}
	if e.Reason != nil {
		line.Reason = e.Reason.Kind
	}
	text, err := json.Marshal(line)
	if err != nil {
		return
	}
	_, _ = t.file.Write(append(text, '\n'))
}

func (t *tracing) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file != nil {
		_ = t.file.Close()
	}
	t.file, t.off = nil, true
}
