package lifeline

import (
	"fmt"
	"os"
	"sync"
)

// The environment variables that name a lifeline's descriptor to its holder. Their values are decimal
// descriptor numbers; both names are murmur's.
const (
	// Formation is set for every member of a formation: end of file means that the formation ended.
	Formation = "MURMUR_FORMATION_LIFELINE"
	// Spawner is set for a delegated child: end of file means that the spawning process ended.
	Spawner = "MURMUR_SPAWNER_LIFELINE"
)

// Line is the creator's side of a lifeline. The one who called [New] owns it and closes it.
type Line struct {
	mu     sync.Mutex
	reader *os.File
	writer *os.File
}

// New makes a lifeline. Make all lifelines of a group before the group's first process is started: on
// systems where close-on-exec cannot be set in the same step, a process forked in between would keep
// another's write end.
func New() (*Line, error) {
	reader, writer, err := pipe()
	if err != nil {
		return nil, fmt.Errorf("cannot create a lifeline: %w", err)
	}
	return &Line{reader: reader, writer: writer}, nil
}

// Reader returns the end to hand to the child, or nil after [Line.Spawned]. The Line keeps it.
func (l *Line) Reader() *os.File {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.reader
}

// Spawned closes the creator's copy of the read end. It is called when the child has its own, or will
// never have one. Calling it again does nothing.
func (l *Line) Spawned() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.reader != nil {
		l.reader.Close()
		l.reader = nil
	}
}

// Close closes both ends: the holder reads end of file. Calling it again does nothing.
func (l *Line) Close() {
	l.Spawned()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.writer != nil {
		l.writer.Close()
		l.writer = nil
	}
}
