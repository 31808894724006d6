package formation

import (
	"context"
	"slices"
	"sync"
)

// logBytes is how much of a member's output is kept for readiness policies and for looking back.
const logBytes = 256 << 10

// Log keeps the latest lines that a member wrote, both streams in the order in which they were read. It
// is safe for concurrent use.
type Log struct {
	mu      sync.Mutex
	lines   []Output
	dropped int // how many lines came before lines[0]
	bytes   int
	stderr  []string
	more    chan struct{}
}

func newLog() *Log { return &Log{more: make(chan struct{})} }

func (l *Log) add(line Output) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
	l.bytes += len(line.Line) + 1
	for l.bytes > logBytes && len(l.lines) > 1 {
		l.bytes -= len(l.lines[0].Line) + 1
		l.lines[0] = Output{}
		l.lines = l.lines[1:]
		l.dropped++
	}
	if line.Stderr {
		l.stderr = append(l.stderr, line.Line)
		if len(l.stderr) > tailLines {
			l.stderr = slices.Delete(l.stderr, 0, len(l.stderr)-tailLines)
		}
	}
	close(l.more)
	l.more = make(chan struct{})
}

// Since returns the lines from number from on that are still kept (lines are counted from 0), the number to
// ask for next, and a channel that closes when there is more.
func (l *Log) Since(from int) (lines []Output, next int, more <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	skip := min(max(from-l.dropped, 0), len(l.lines))
	return slices.Clone(l.lines[skip:]), l.dropped + len(l.lines), l.more
}

// stderrTail returns the last lines of standard error.
func (l *Log) stderrTail() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.stderr)
}

// Probe is what a readiness policy sees of its member. Its fields do not change.
type Probe struct {
	Name string
	PID  int
	// Session, URL ("http://host:port") are what a capsule reported; empty for a command.
	Session string
	URL     string
	// Workdir is the member's own directory.
	Workdir string
	// Log has what it wrote so far and tells when there is more.
	Log *Log
	// AskDoor asks a capsule's door once. It returns "" when the door answers as the session that was
	// reported, else what it said instead.
	AskDoor func(ctx context.Context) string
	// NotYet tells what is still missing. It becomes a not_ready_yet event; call it when the sentence changes.
	NotYet func(why string)
}
