package child

import (
	"slices"
	"sync"

	"murlua/lifecycle/output"
)

// tailLines is how many lines of standard error are remembered for a refusal.
const tailLines = 20

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

func (l *Log) add(member string, isStderr bool, block output.Block) {
	l.mu.Lock()
	defer l.mu.Unlock()
	block.Lines(func(line []byte) {
		l.lines = append(l.lines, Output{Member: member, Stderr: isStderr, Line: string(line)})
		l.bytes += len(line) + 1
		for l.bytes > logBytes && len(l.lines) > 1 {
			l.bytes -= len(l.lines[0].Line) + 1
			l.lines[0] = Output{}
			l.lines = l.lines[1:]
			l.dropped++
		}
		if isStderr {
			l.stderr = append(l.stderr, l.lines[len(l.lines)-1].Line)
			if len(l.stderr) > tailLines {
				l.stderr = slices.Delete(l.stderr, 0, len(l.stderr)-tailLines)
			}
		}
	})
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

// StderrTail returns the last 20 lines of standard error.
func (l *Log) StderrTail() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.stderr)
}

// Tail returns the last 20 lines of both streams.
func (l *Log) Tail() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	from := max(0, len(l.lines)-tailLines)
	tail := make([]string, 0, tailLines)
	for _, line := range l.lines[from:] {
		tail = append(tail, line.Line)
	}
	return tail
}
