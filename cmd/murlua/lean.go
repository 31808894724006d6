package main

import (
	"runtime/debug"
	"time"

	"murlua/lifecycle/formation"
	"murlua/platform/process"
)

// lean lets a recipe start without collecting garbage, up to four times the usual least heap of 4 MiB, and gives memory
// back when a formation has come up: from there on the launcher mostly waits, and what its start needed is more than
// all the rest. A recipe that launches nothing has become a program like others after a while.
type lean struct{ timer *time.Timer }

const (
	// afterStart is how long after readiness nothing much happens any more, and withoutStart how long it may take until
	// then.
	afterStart   = 200 * time.Millisecond
	withoutStart = 5 * time.Second

	startPercent = 400 // see debug.SetGCPercent
)

func newLean() *lean {
	usual := debug.SetGCPercent(startPercent) // GOGC, if that is set
	return &lean{time.AfterFunc(withoutStart, func() {
		debug.SetGCPercent(usual)
		debug.FreeOSMemory()
		process.ReleaseProgram()
	})}
}

func (l *lean) event(e formation.Event) {
	if e.Kind == formation.Ready {
		l.timer.Reset(afterStart)
	}
}

func (l *lean) close() { l.timer.Stop() }
