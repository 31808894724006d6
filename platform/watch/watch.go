package watch

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrUnsupported says that this system has no notice that this package knows.
var ErrUnsupported = errors.New("this system does not report file changes to murlua")

// ErrClosed says that the watch has ended: it was closed, or what it watched was removed.
var ErrClosed = errors.New("the watch is closed")

// Kind is what happened to a path.
type Kind string

// The kinds of change. A rename is a removal of the old path and a creation of the new one.
const (
	Created Kind = "created"
	Changed Kind = "changed"
	Removed Kind = "removed"
)

// Event is one change. When the system could not keep up, the watched path itself is reported as changed:
// look again.
type Event struct {
	Path string
	Kind Kind
}

// Options say how to watch.
type Options struct {
	Recursive bool // also what is below the folders in the watched one
}

// lookAgain is how often to look where nothing reports changes: seldom enough to cost nothing, soon enough for a person.
const lookAgain = 50 * time.Millisecond

// Await is [Watcher.Next], also for whoever has no watcher because [Open] failed with [ErrUnsupported]: with nil it returns
// after a while, and its event has no path. Then it is time to look again at everything.
func Await(ctx context.Context, watcher *Watcher) (Event, error) {
	if watcher != nil {
		return watcher.Next(ctx)
	}
	timer := time.NewTimer(lookAgain)
	defer timer.Stop()
	select {
	case <-timer.C:
		return Event{}, nil
	case <-ctx.Done():
		return Event{}, context.Cause(ctx)
	}
}

// queue holds the changes that were not taken yet, in the order in which their paths first changed.
type queue struct {
	mutex  sync.Mutex
	order  []string
	kinds  map[string]Kind
	closed error
	wake   chan struct{} // holds one value while there is something to look at
}

func newQueue() *queue { return &queue{kinds: map[string]Kind{}, wake: make(chan struct{}, 1)} }

func (q *queue) add(event Event) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	before, pending := q.kinds[event.Path]
	kind, keep := event.Kind, true
	if pending {
		kind, keep = merge(before, event.Kind)
	} else {
		q.order = append(q.order, event.Path)
	}
	if keep {
		q.kinds[event.Path] = kind
	} else {
		delete(q.kinds, event.Path)
		q.forget(event.Path)
	}
	q.signal()
}

func (q *queue) forget(path string) {
	for i, one := range q.order {
		if one == path {
			q.order = append(q.order[:i], q.order[i+1:]...)
			return
		}
	}
}

// merge gives the net effect of two changes of one path; false when there is none.
func merge(before, after Kind) (Kind, bool) {
	switch {
	case before == Created && after == Removed:
		return "", false
	case before == Created:
		return Created, true
	case before == Removed && after == Created:
		return Changed, true
	default:
		return after, true
	}
}

func (q *queue) end(err error) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if q.closed == nil {
		q.closed = err
	}
	q.signal()
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *queue) take() (Event, bool, error) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if len(q.order) == 0 {
		if q.closed != nil {
			q.signal() // for others that wait
		}
		return Event{}, false, q.closed
	}
	path := q.order[0]
	q.order = q.order[1:]
	event := Event{Path: path, Kind: q.kinds[path]}
	delete(q.kinds, path)
	if len(q.order) > 0 || q.closed != nil {
		q.signal()
	}
	return event, true, nil
}

// next waits for a change until the context ends.
func (q *queue) next(ctx context.Context) (Event, error) {
	for {
		event, ok, err := q.take()
		if ok || err != nil {
			return event, err
		}
		select {
		case <-q.wake:
		case <-ctx.Done():
			return Event{}, context.Cause(ctx)
		}
	}
}
