package stop

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"murlua/lifecycle/running"
	"murlua/lifecycle/trace"
)

// tasksWithin is how long a canceled task may take until the trace records its end, as murmur has it.
const tasksWithin = 5 * time.Second

// tracePath is where a session writes its trace: below its records directory, and in murmur before 0.7 in its
// working directory.
func tracePath(record running.Record) string {
	dir := record.RecordsDir
	if dir == "" {
		dir = record.Workdir
	}
	return filepath.Join(dir, trace.File)
}

// awaitTasks waits until the trace records the end of every task, at most [tasksWithin], and returns those of which it
// does not. A session without a trace cannot tell.
func awaitTasks(ctx context.Context, record running.Record, tasks []string) (unended []string) {
	path := tracePath(record)
	if _, err := os.Stat(path); err != nil {
		return slices.Clone(tasks)
	}
	ctx, cancel := context.WithTimeout(ctx, tasksWithin)
	changed := changes(ctx, path)
	defer func() {
		cancel()
		for range changed { // until it is closed: nothing watches any more
		}
	}()
	for {
		unended = slices.DeleteFunc(slices.Clone(tasks), taskEnds(readTrace(path)))
		if len(unended) == 0 {
			return nil
		}
		if _, more := <-changed; !more {
			return unended
		}
	}
}

// taskEnds returns a test for the tasks that have ended: those whose end is recorded, and those that were canceled
// before they began.
func taskEnds(events []traceEvent) func(task string) bool {
	ended := map[string]bool{}
	for _, e := range events {
		if e.Kind == trace.TaskEnd || e.Kind == "task_canceled" && e.Phase == "queued" {
			ended[e.Task] = true
		}
	}
	return func(task string) bool { return ended[task] }
}

// traceEvent is what is read of a line of a trace.
type traceEvent struct {
	Kind   string `json:"event_type"`
	Task   string `json:"task_id"`
	Phase  string `json:"phase"`
	Status string `json:"exit_status"`
}

// maxTrace bounds how much of a trace is read, from its end: a task's end stands there.
const maxTrace = 16 << 20

// readTrace reads the events of a trace. Lines that are none are skipped: the last one may be half written.
func readTrace(path string) []traceEvent {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	} else if info.Size() > maxTrace {
		if _, err := file.Seek(-maxTrace, io.SeekEnd); err != nil {
			return nil
		}
	}
	var events []traceEvent
	lines := bufio.NewReader(file)
	for {
		line, err := lines.ReadBytes('\n')
		var e traceEvent
		if json.Unmarshal(bytes.TrimSpace(line), &e) == nil && e.Kind != "" {
			events = append(events, e)
		}
		if err != nil {
			return events
		}
	}
}

// endingOf says in murmur's words how a member's session ended, by its trace.
func endingOf(record running.Record) string {
	status, ended := "", false
	word := ""
	for _, e := range readTrace(tracePath(record)) {
		switch e.Kind {
		case trace.FormationEnded, trace.SpawnerEnded:
			if word == "" || e.Kind == trace.FormationEnded {
				word = e.Kind
			}
		case trace.SessionEnd:
			status, ended = e.Status, true
		}
	}
	switch {
	case word != "":
		return word
	case ended:
		return "session_end " + status
	}
	return "no session_end"
}
