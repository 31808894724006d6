package engine

import (
	"testing"
	"time"
)

// A host whose tasks have waited for one another once, and now all wait for something else, is not woken again.
func TestTheWatchdogRestsWhenNobodyWaits(t *testing.T) {
	host := &Host{options: Options{Patience: time.Hour}}
	watch := &watchdog{host: host}
	l := &lock{watchdog: watch}
	defer watch.stop()

	l.acquire(make(chan struct{}, 1))
	acquired := make(chan struct{})
	go func() {
		l.acquire(make(chan struct{}, 1))
		close(acquired)
	}()
	for !l.contended() || !watch.armed.Load() {
		time.Sleep(time.Millisecond)
	}
	l.release()
	<-acquired
	if !watch.armed.Load() {
		t.Error("nobody watches the one that holds the lock")
	}
	for watch.armed.Load() { // or the deadline of the test
		l.release()
		l.acquire(make(chan struct{}, 1)) // the timer may just have been made
	}
}
