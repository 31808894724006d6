package running

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"syscall"

	"murlua/platform/fsx"
	"murlua/platform/process"
	"murlua/platform/watch"
)

// This file is the goroutine of a Watcher, which owns everything that is known of the records.

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
		case entry := <-w.exits:
			err = w.exited(entry)
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
	if before != nil && reflect.DeepEqual(before.event.Record, record) {
		// Written anew, and says the same.
		before.version = version
		return nil
	}
	entry := &watched{version: version, event: Event{Kind: Appeared, Record: record}}
	if before != nil {
		entry.event.Kind = Changed
		before.release()
	}
	w.known[name] = entry
	w.hold(entry)
	return w.send(entry.event)
}

// hold takes hold of the record's process, and has its exit reported.
func (w *Watcher) hold(entry *watched) {
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
		case w.exits <- entry:
		case <-entry.over:
		}
	}()
}

// exited reports the end of a process. Its record is a known one: what is released sends no more.
func (w *Watcher) exited(entry *watched) error {
	entry.release()
	entry.event.Kind = Changed
	entry.event.State = ProcessState(entry.event.Record)
	return w.send(entry.event)
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
