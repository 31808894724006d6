package engine

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// watchdog reports a task that holds the lock for long while others wait. It costs nothing while nobody waits: the
// first to wait arms a timer, which goes when the lock is free.
type watchdog struct {
	host     *Host
	armed    atomic.Bool
	taken    atomic.Uint64 // how often the lock was taken
	holder   atomic.Pointer[Task]
	reported atomic.Uint64 // what taken was at the last report

	mu      sync.Mutex
	timer   *time.Timer
	stopped bool
}

// waiting is called when somebody has to wait for the lock.
func (w *watchdog) waiting() {
	if w == nil || w.host.options.Patience < 0 || w.armed.Swap(true) {
		return
	}
	seen := w.taken.Load()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.stopped {
		w.timer = time.AfterFunc(w.host.options.Patience, func() { w.look(seen, ask) })
	}
}

// calm is called when the lock is free and nobody waits for it: a program that waits is not woken for nothing.
func (w *watchdog) calm() {
	if w == nil || !w.armed.Load() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil && w.timer.Stop() {
		w.armed.Store(false)
	}
}

// look compares with what was seen when the timer was set. The holder is asked first, for only it may look at its
// stack. When it does not answer it is inside a Go function, or, on a busy machine, does not get to run: without a
// function's name it is given the time once more.
func (w *watchdog) look(seen uint64, step watchStep) {
	w.armed.Store(false)
	now := w.taken.Load()
	holder := w.holder.Load()
	if now == seen && holder != nil && w.reported.Load() != now {
		switch patience := w.host.options.Patience; {
		case step == ask:
			holder.asked.Store(true)
			w.again(seen, patience/4, await)
			return
		case step == await && holder.asked.Load() && holder.calling.Load() == nil:
			w.again(seen, patience, giveUp)
			return
		case holder.asked.Swap(false):
			w.report(holder, "", now)
		}
	}
	if w.host.lock.contended() {
		w.waiting()
	}
}

// watchStep is how far the watchdog has got with one holder.
type watchStep int

const (
	ask watchStep = iota
	await
	giveUp
)

// again looks later.
func (w *watchdog) again(seen uint64, after time.Duration, step watchStep) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.stopped && !w.armed.Swap(true) {
		w.timer = time.AfterFunc(after, func() { w.look(seen, step) })
	}
}

// report says who holds the lock. place is empty when only the Go function is known.
func (w *watchdog) report(t *Task, place string, at uint64) {
	w.reported.Store(at)
	where := "at " + place
	if place == "" {
		where = "inside " + t.inside()
	}
	w.host.options.Warn(fmt.Sprintf("%s has kept all others waiting for more than %v, %s", t.name, w.host.options.Patience, where))
}

func (w *watchdog) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	if w.timer != nil {
		w.timer.Stop()
	}
}

// inside names the Go function that the task is in.
func (t *Task) inside() string {
	if name := t.calling.Load(); name != nil && *name != "" {
		return "'" + *name + "'"
	}
	return "a call"
}
