// Package trace writes and reads traces: what happened in a session, one JSON object a line, in the file
// trace.jsonl of its records directory. Murmur's tools read the same file.
//
// Start with [Open] and [Writer.Write], or with [Read]. A trace is for looking back: that it cannot be written ends nothing.
package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"murlua/lifecycle/id"
)

// File is the name of a trace in its session's records directory.
const File = "trace.jsonl"

// The kinds of events that other programs look for.
const (
	SessionStart   = "session_start"
	SessionEnd     = "session_end"      // has exit_status
	TaskStart      = "task_start"       // has task_id
	TaskEnd        = "task_end"         // has task_id and exit_status
	FormationEnded = "formation_ended"  // has formation_id; the formation's lifeline ended
	SpawnerEnded   = "spawner_ended"    // the spawner's lifeline ended
	DeadlineEnded  = "deadline_reached" // has deadline_at; the session's time was over
)

// Writer appends to one session's trace. The one who opened it closes it. A nil Writer writes nowhere, so a session
// whose trace could not be opened needs no second path. It is safe for concurrent use.
type Writer struct {
	session id.Session
	mu      sync.Mutex
	file    *os.File
}

// Open opens the trace in the records directory for appending and makes it, for its owner alone, if it is not
// there. A line that was cut off there is ended.
func Open(recordsDir string, session id.Session) (*Writer, error) {
	file, err := os.OpenFile(filepath.Join(recordsDir, File), os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot open the trace: %w", err)
	}
	if err := endLine(file); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("cannot open the trace: %w", err)
	}
	return &Writer{session: session, file: file}, nil
}

// endLine ends the last line of a file, unless it is ended or there is none.
func endLine(file *os.File) error {
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	last := make([]byte, 1)
	if _, err := file.ReadAt(last, info.Size()-1); err != nil || last[0] == '\n' {
		return err
	}
	_, err = file.Write([]byte("\n"))
	return err
}

// Write appends one event with the fields that every event has. The fields must not have those names. Each event
// is one write, so that a reader never sees half of one while this process lives.
func (w *Writer) Write(kind string, fields map[string]any) error {
	if w == nil {
		return nil
	}
	head, err := json.Marshal(struct {
		Kind      string     `json:"event_type"`
		Session   id.Session `json:"session_id"`
		Timestamp int64      `json:"timestamp"` // Unix milliseconds
	}{kind, w.session, time.Now().UnixMilli()})
	if err != nil {
		return fmt.Errorf("cannot write to the trace: %w", err)
	}
	line := head
	if len(fields) > 0 {
		rest, err := json.Marshal(fields)
		if err != nil {
			return fmt.Errorf("cannot write to the trace: %w", err)
		}
		line = append(bytes.TrimSuffix(head, []byte("}")), ',')
		line = append(line, rest[1:]...)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("cannot write to the trace: %w", err)
	}
	return nil
}

// Close closes the file.
func (w *Writer) Close() error {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.file.Close()
}
