package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"murlua/lifecycle/id"
)

// maxRead bounds how much of a trace is read, from its end: what a reader looks for mostly stands there.
const maxRead = 16 << 20

// Event is one line of a trace.
type Event struct {
	Kind    string // its event_type, never ""
	Session id.Session
	Time    time.Time // to the millisecond; zero if the line does not say

	fields map[string]json.RawMessage
}

// Text returns a field that is a string, "" if there is none.
func (e Event) Text(field string) string {
	var text string
	if json.Unmarshal(e.fields[field], &text) != nil {
		return ""
	}
	return text
}

// Decode reads a field into target, which stays as it is when there is none.
func (e Event) Decode(field string, target any) error {
	value, found := e.fields[field]
	if !found {
		return nil
	}
	if err := json.Unmarshal(value, target); err != nil {
		return fmt.Errorf("cannot read field %q of a %s: %w", field, e.Kind, err)
	}
	return nil
}

// Read returns the events of a trace, whoever wrote it, in their order: of a long one those of the last 16 MiB. Lines that are no events are
// passed over, since the last one may be half written.
func Read(path string) ([]Event, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot read the trace: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err == nil && info.Size() > maxRead {
		_, err = file.Seek(-maxRead, io.SeekEnd)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the trace at %s: %w", path, err)
	}
	return parse(file)
}

// parse reads events to the end.
func parse(from io.Reader) ([]Event, error) {
	var events []Event
	lines := bufio.NewReader(io.LimitReader(from, 2*maxRead)) // it may grow meanwhile
	for {
		line, err := lines.ReadBytes('\n')
		if event, ok := parseLine(line); ok {
			events = append(events, event)
		}
		if errors.Is(err, io.EOF) {
			return events, nil
		}
		if err != nil {
			return events, fmt.Errorf("cannot read the trace: %w", err)
		}
	}
}

func parseLine(line []byte) (Event, bool) {
	var e Event
	if json.Unmarshal(bytes.TrimSpace(line), &e.fields) != nil {
		return Event{}, false
	}
	e.Kind, e.Session = e.Text("event_type"), id.Session(e.Text("session_id"))
	var ms int64
	if e.Decode("timestamp", &ms) == nil && ms > 0 {
		e.Time = time.UnixMilli(ms).UTC()
	}
	return e, e.Kind != ""
}
