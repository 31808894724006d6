package fsx

import "fmt"

// Change is what happened in a directory since the change before it.
type Change struct {
	// Names are those of the entries that appeared, were replaced, written to or removed.
	Names []string
	// All: some names were lost, or the platform gives none. Any entry may have changed.
	All bool
	// Ended: the directory itself was removed or moved away. No change follows.
	Ended bool
}

// DirWatch reports what happens in one directory.
type DirWatch struct {
	changes chan Change
	source  dirSource
	stop    chan struct{}
	stopped chan struct{}
}

// WatchDir begins to watch the directory path. What happens from its return on is reported by
// [DirWatch.Changes]; so is nothing of before. The caller ends it with [DirWatch.Close].
//
// On Linux (inotify) and macOS (kqueue) the kernel wakes the watch; elsewhere it looks once a second.
// While nobody takes the changes they wait in the kernel, in bounded space, and what does not fit is
// reported as All.
func WatchDir(path string) (*DirWatch, error) {
	source, err := openDirSource(path)
	if err != nil {
		return nil, fmt.Errorf("cannot watch %s: %w", path, Reason(err))
	}
	w := &DirWatch{make(chan Change), source, make(chan struct{}), make(chan struct{})}
	go w.run()
	return w, nil
}

// Changes gives the changes in their order. It is closed after an Ended change and by
// [DirWatch.Close].
func (w *DirWatch) Changes() <-chan Change { return w.changes }

// Close ends the watch and waits for its goroutine. It is to be called once.
func (w *DirWatch) Close() {
	close(w.stop)
	w.source.interrupt()
	<-w.stopped
	w.source.close()
}

func (w *DirWatch) run() {
	defer close(w.stopped)
	defer close(w.changes)
	for {
		change, err := w.source.next(w.stop)
		select {
		case <-w.stop:
			return
		default:
		}
		if err != nil {
			// The kernel takes the watch away together with the directory only.
			change = Change{Ended: true}
		}
		if len(change.Names) == 0 && !change.All && !change.Ended {
			continue
		}
		select {
		case w.changes <- change:
		case <-w.stop:
			return
		}
		if change.Ended {
			return
		}
	}
}
