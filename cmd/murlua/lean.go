package main

import (
	"runtime/debug"
	"time"

	"murlua/lifecycle/formation"
	"murlua/platform/process"
)

// lean lets a recipe start without collecting garbage, up to four times the usual least heap of 4 MiB, and gives memory
// back when a formation has come up: from there on the launcher mostly waits, and what its start needed is more than
// all the rest. A recipe that launches nothing has become a program like others after a while. Where GOGC asks for no
// collection, or for less of it, that stays.
type lean struct {
	timer *time.Timer
	usual int // see debug.SetGCPercent
}

const (
	// afterStart is how long after readiness nothing much happens any more, and withoutStart how long it may take until
	// then.
	afterStart   = 200 * time.Millisecond
	withoutStart = 5 * time.Second

	startPercent = 400 // likewise
)

func newLean() *lean {
	l := &lean{usual: debug.SetGCPercent(startPercent)}
	if l.usual < 0 || l.usual > startPercent {
		debug.SetGCPercent(l.usual)
	}
	l.timer = time.AfterFunc(withoutStart, func() {
		debug.SetGCPercent(l.usual)
		debug.FreeOSMemory()
		process.ReleaseProgram()
	})
	return l
}

func (l *lean) event(e formation.Event) {
	if e.Kind == formation.Ready {
		l.timer.Reset(afterStart)
	}
}

func (l *lean) close() {
	l.timer.Stop()
	debug.SetGCPercent(l.usual)
}
