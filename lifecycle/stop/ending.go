package stop

import (
	"context"
	"errors"
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
func taskEnds(events []trace.Event) func(task string) bool {
	ended := map[string]bool{}
	for _, e := range events {
		if e.Kind == trace.TaskEnd || e.Kind == "task_canceled" && e.Text("phase") == "queued" {
			ended[e.Text("task_id")] = true
		}
	}
	return func(task string) bool { return ended[task] }
}

// readTrace reads the events of a trace; one that cannot be read has none.
func readTrace(path string) []trace.Event {
	events, _ := trace.Read(path)
	return events
}

// endingOf says in murmur's words how a member's session ended, by its trace. Plain commands, which have neither a
// door nor a trace, have [Ended].
func endingOf(record running.Record) string {
	if _, err := os.Stat(tracePath(record)); record.URL == "" && errors.Is(err, os.ErrNotExist) {
		return Ended
	}
	status, ended := "", false
	word := ""
	for _, e := range readTrace(tracePath(record)) {
		switch e.Kind {
		case trace.FormationEnded, trace.SpawnerEnded:
			if word == "" || e.Kind == trace.FormationEnded {
				word = e.Kind
			}
		case trace.SessionEnd:
			status, ended = e.Text("exit_status"), true
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
