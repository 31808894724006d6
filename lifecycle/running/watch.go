package running

import (
	"errors"
	"sync"
	"sync/atomic"

	"murlua/lifecycle/home"
	"murlua/platform/fsx"
	"murlua/platform/process"
	"murlua/platform/watch"
)

// EventKind is what happened to a record.
type EventKind int

const (
	// Appeared: a record is there, from the beginning or since now.
	Appeared EventKind = iota + 1
	// Changed: the record says something else, or its process has ended.
	Changed
	// Vanished: the record is not there any more.
	Vanished
	// CaughtUp: every record that was there at the beginning has been reported. It comes once.
	CaughtUp
)

// String returns "appeared", "changed", "vanished" or "caught up".
func (k EventKind) String() string {
	switch k {
	case Appeared:
		return "appeared"
	case Changed:
		return "changed"
	case Vanished:
		return "vanished"
	case CaughtUp:
		return "caught up"
	default:
		return "unknown"
	}
}

// Event is one thing that happened.
type Event struct {
	Kind EventKind
	// Record is what the file says, or said before it vanished. It is empty when caught up.
	Record Record
	// State is that of the record's process, by layers 1 and 2. The end of a process that is unverified
	// will not be noticed.
	State process.State
}

// Watcher reports what happens to the records of this machine.
type Watcher struct {
	events  chan Event
	exits   chan *watched // whose process has ended
	stop    chan struct{}
	closing sync.Once
	stopped chan struct{}
	over    chan struct{} // nobody follows any more
	failure atomic.Pointer[error]

	dir string
	// known are the records as they were reported, by the name of their file. The goroutine owns it.
	known map[string]*watched
}

// watched is one reported record, with the hold on its process.
type watched struct {
	event   Event
	version fsx.Version
	ref     *process.Ref
	// over ends the goroutine that waits for the exit, done is closed when it has ended.
	over, done chan struct{}
}

// ErrWatchEnded is what [Watcher.Err] gives when the directory itself was removed or moved away.
var ErrWatchEnded = errors.New("the directory of records was removed or moved away")

// Watch makes the directory of records and begins to watch it: first every record that is there, then
// [CaughtUp], then what happens. It removes nothing. The caller takes the events and ends the watch
// with [Watcher.Close]. Where the system does not report changes of files the error wraps
// [watch.ErrUnsupported].
//
// Each event is true when it is made, and events of one record are in order. While nobody takes them,
// what happens to one record in quick succession may become one event, and a record that came and went
// may be passed over; the last state is always reported. A process is held from when its record is
// reported, so that its end is noticed once and for certain. What a door answers is not watched:
// nothing could tell but asking again and again.
func Watch(h home.Home) (*Watcher, error) {
	dir, err := h.EnsureRunning()
	if err != nil {
		return nil, err
	}
	files, err := watch.Open(dir, watch.Options{})
	if err != nil {
		return nil, err
	}
	w := &Watcher{
		events: make(chan Event), exits: make(chan *watched), stop: make(chan struct{}), stopped: make(chan struct{}),
		over: make(chan struct{}), dir: dir, known: map[string]*watched{},
	}
	go w.run(files)
	return w, nil
}

// Events gives the events. It is closed by [Watcher.Close], and when the watch has ended by itself.
func (w *Watcher) Events() <-chan Event { return w.events }

// Err says why the events ended by themselves: [ErrWatchEnded], or an error of reading the directory,
// such as that no descriptor is left. It is nil while events are to come, and after [Watcher.Close].
func (w *Watcher) Err() error {
	if failure := w.failure.Load(); failure != nil {
		return *failure
	}
	return nil
}

// Close ends the watch and waits until nothing of it is left. It may be called more than once.
func (w *Watcher) Close() {
	w.closing.Do(func() { close(w.stop) })
	<-w.stopped
}
