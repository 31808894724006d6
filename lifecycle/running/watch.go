package running

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"

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
	exits   chan exit
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

// exit says that the process of a record has ended.
type exit struct {
	name string
	of   *watched
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
		events: make(chan Event), exits: make(chan exit), stop: make(chan struct{}), stopped: make(chan struct{}),
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

func (w *Watcher) run(files *watch.Watcher) {
	defer close(w.stopped)
	defer close(w.events)
	changes := make(chan change)
	var pumping sync.WaitGroup
	pumping.Go(func() { w.pump(files, changes) })
	defer func() {
		_ = files.Close()
		pumping.Wait()
		for _, entry := range w.known {
			entry.release()
		}
	}()
	if err := w.follow(changes); err != nil && !errors.Is(err, errStopped) {
		w.failure.Store(&err)
	}
}

var errStopped = errors.New("stopped")

// change is what happened to a file, or the error that ended the watch of files.
type change struct {
	watch.Event
	err error
}

// pump passes on what happens to files until that ends.
func (w *Watcher) pump(files *watch.Watcher, changes chan<- change) {
	for {
		event, err := files.Next(context.Background())
		select {
		case changes <- change{event, err}:
		case <-w.over:
			return
		}
		if err != nil {
			return
		}
	}
}

// follow returns when the watch is over.
func (w *Watcher) follow(changes <-chan change) error {
	defer close(w.over)
	if err := w.refreshAll(); err != nil {
		return err
	}
	if err := w.send(Event{Kind: CaughtUp}); err != nil {
		return err
	}
	for {
		var err error
		select {
		case <-w.stop:
			err = errStopped
		case exit := <-w.exits:
			err = w.exited(exit)
		case change := <-changes:
			err = w.changed(change)
		}
		if err != nil {
			return err
		}
	}
}

func (w *Watcher) changed(change change) error {
	switch {
	case change.err != nil:
		return change.err
	case change.Path != w.dir:
		if name := filepath.Base(change.Path); isRecordName(name) {
			return w.refresh(name)
		}
		return nil
	case change.Kind != watch.Removed:
		// Some changes were lost.
		return w.refreshAll()
	}
	for name := range w.known {
		if err := w.vanish(name); err != nil {
			return err
		}
	}
	return ErrWatchEnded
}

// refreshAll looks at every record that is there and every one that was.
func (w *Watcher) refreshAll() error {
	names, err := recordNames(w.dir)
	if err != nil {
		return fmt.Errorf("%s: %w", w.dir, fsx.Reason(err))
	}
	there := map[string]bool{}
	for _, name := range names {
		there[name] = true
		if err := w.refresh(name); err != nil {
			return err
		}
	}
	for name := range w.known {
		if !there[name] {
			if err := w.vanish(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// refresh looks at one record and reports what is new about it.
func (w *Watcher) refresh(name string) error {
	path := filepath.Join(w.dir, name)
	text, version, err := fsx.ReadRegular(path, maxRecord)
	switch {
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		// Better no watch than one that misses what happens.
		return err
	case err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, fsx.ErrNotRegular) && !errors.Is(err, fsx.ErrTooLarge):
		// It is there and cannot be read: what was reported of it stays.
		return nil
	}
	before := w.known[name]
	if err == nil && before != nil && before.version == version {
		return nil
	}
	var record Record
	older := false
	if err == nil {
		record, older, err = decode(text)
	}
	if err != nil || older {
		return w.vanish(name)
	}
	record.Path = path
	entry := &watched{version: version, event: Event{Kind: Appeared, Record: record}}
	if before != nil {
		entry.event.Kind = Changed
		before.release()
	}
	w.known[name] = entry
	w.hold(name, entry)
	return w.send(entry.event)
}

// hold takes hold of the record's process, and has its exit reported.
func (w *Watcher) hold(name string, entry *watched) {
	entry.ref, entry.event.State = process.OpenIdentity(entry.event.Record.Identity())
	if entry.ref == nil {
		return
	}
	entry.over, entry.done = make(chan struct{}), make(chan struct{})
	exited := entry.ref.Exited()
	go func() {
		defer close(entry.done)
		select {
		case <-exited:
		case <-entry.over:
			return
		}
		select {
		case w.exits <- exit{name, entry}:
		case <-entry.over:
		}
	}()
}

func (w *Watcher) exited(exit exit) error {
	if w.known[exit.name] != exit.of {
		return nil
	}
	exit.of.release()
	exit.of.event.Kind = Changed
	exit.of.event.State = ProcessState(exit.of.event.Record)
	return w.send(exit.of.event)
}

func (w *Watcher) vanish(name string) error {
	entry := w.known[name]
	if entry == nil {
		return nil
	}
	delete(w.known, name)
	if entry.ref != nil {
		entry.event.State = ProcessState(entry.event.Record)
	}
	entry.release()
	entry.event.Kind = Vanished
	return w.send(entry.event)
}

func (w *Watcher) send(event Event) error {
	select {
	case w.events <- event:
		return nil
	case <-w.stop:
		return errStopped
	}
}

// release ends the hold on the process.
func (e *watched) release() {
	if e.ref == nil {
		return
	}
	close(e.over)
	<-e.done
	_ = e.ref.Close()
	e.ref = nil
}
