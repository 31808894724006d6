package child

import (
	"bytes"
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
	chunks  []chunk
	dropped int // how many lines came before chunks[0]
	lines   int // how many lines the chunks have
	bytes   int
	stderr  []string
	more    chan struct{}
}

// A chunk is some lines as they came: they are taken apart when somebody asks, which of most nobody does.
type chunk struct {
	member string
	stderr bool
	text   output.Block
	lines  int
}

func (c *chunk) each(line func(Output)) {
	c.text.Lines(func(text []byte) { line(Output{Member: c.member, Stderr: c.stderr, Line: string(text)}) })
}

func newLog() *Log { return &Log{more: make(chan struct{})} }

func (l *Log) add(member string, isStderr bool, block output.Block) {
	c := chunk{member: member, stderr: isStderr, text: bytes.Clone(block), lines: bytes.Count(block, []byte{'\n'})}
	if !block.Whole() {
		c.lines++
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.chunks, l.lines, l.bytes = append(l.chunks, c), l.lines+c.lines, l.bytes+len(block)
	for len(l.chunks) > 1 && l.bytes-len(l.chunks[0].text) >= logBytes {
		first := l.chunks[0]
		l.bytes, l.lines, l.dropped = l.bytes-len(first.text), l.lines-first.lines, l.dropped+first.lines
		l.chunks[0] = chunk{}
		l.chunks = l.chunks[1:]
	}
	if isStderr {
		c.each(func(line Output) {
			if len(l.stderr) == tailLines {
				l.stderr = slices.Delete(l.stderr, 0, 1)
			}
			l.stderr = append(l.stderr, line.Line)
		})
	}
	close(l.more)
	l.more = make(chan struct{})
}

// Since returns the lines from number from on that are still kept (lines are counted from 0), the number to
// ask for next, and a channel that closes when there is more.
func (l *Log) Since(from int) (lines []Output, next int, more <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.after(max(from-l.dropped, 0)), l.dropped + l.lines, l.more
}

// after returns the kept lines but for the first ones. The caller holds l.mu.
func (l *Log) after(skip int) []Output {
	var lines []Output
	for i := range l.chunks {
		c := &l.chunks[i]
		if skip >= c.lines {
			skip -= c.lines
			continue
		}
		c.each(func(line Output) {
			if skip > 0 {
				skip--
				return
			}
			lines = append(lines, line)
		})
	}
	return lines
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
	tail := make([]string, 0, tailLines)
	for _, line := range l.after(max(0, l.lines-tailLines)) {
		tail = append(tail, line.Line)
	}
	return tail
}
