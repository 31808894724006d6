package main

import (
	"runtime/debug"
	"time"

	"murlua/lifecycle/formation"
	"murlua/platform/process"
)

// lean gives memory back when a formation has come up: from there on the launcher mostly waits, and what its start
// needed is more than all the rest.
type lean struct{ timer *time.Timer }

// afterStart is how long after readiness nothing much happens any more.
const afterStart = 200 * time.Millisecond

func newLean() *lean {
	timer := time.AfterFunc(afterStart, func() {
		debug.FreeOSMemory()
		process.ReleaseProgram()
	})
	timer.Stop()
	return &lean{timer}
}

func (l *lean) event(e formation.Event) {
	if e.Kind == formation.Ready {
		l.timer.Reset(afterStart)
	}
}

func (l *lean) close() { l.timer.Stop() }
