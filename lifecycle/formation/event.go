package formation

import (
	"sync"
	"time"

	"murlua/lifecycle/formation/child"
)

// Event is one thing that happened to a formation or to one of its members.
//
// All events of a formation come in one stream, in order, each exactly once: [Options.OnEvent] gets them one
// after the other, and has got the last one when [Formation.Wait] or a failed [Launch] returns. For one
// member the order is spawned, reported, door_answered, ready, stopping, rung…, exited, reaped, with those left
// out that did not happen; exited may come anywhere after spawned.
type Event struct {
	Kind   EventKind
	Member string // empty for events of the whole formation
	// At is the time since the launch began, from a clock that is never set. Time is the same moment of
	// the calendar.
	At   time.Duration
	Time time.Time
	// PID is the member's process, from spawned on.
	PID int
	// Session and URL ("http://host:port") are what a capsule reported, from reported on.
	Session, URL string
	// Status is how the process ended, for exited and reaped.
	Status Status
	// Reason says why the member failed, for failed.
	Reason *Reason
	// Detail is what is missing for not_ready_yet, the rung's name for rung, why for stopping, the last word of a health policy for unhealthy.
	Detail string
	// Members are all names in the order of the plan, for launching.
	Members []string
	// Workdir is where the member works and Containment the class that it is in, for spawned.
	Workdir     string
	Containment string
	// Stop says how far the stop had to go, for reaped.
	Stop *StopReport
}

// Seconds is At as events are written: in seconds, with microseconds.
func (e Event) Seconds() float64 { return float64(e.At.Microseconds()) / 1e6 }

// EventKind names what happened; the text is what JSON lines and Lua show.
type EventKind string

// The kinds of events.
const (
	Launching    EventKind = "launching"     // the launch began; the formation
	Waiting      EventKind = "waiting"       // the member waits for those that it starts after
	Spawned      EventKind = "spawned"       // the process exists
	Reported     EventKind = "reported"      // its readiness line was read and is right
	DoorAnswered EventKind = "door_answered" // its door answered as the session that it reported
	NotReadyYet  EventKind = "not_ready_yet" // its readiness policy said no so far: Detail says what is missing
	Ready        EventKind = "ready"         // it is ready; without a member: every peer is
	EntryStarted EventKind = "entry_started" // the entry's process exists
	Failed       EventKind = "failed"        // it will not come up
	Stopping     EventKind = "stopping"      // it was asked to end; without a member: the stop began
	Exited       EventKind = "exited"        // its process ended
	Restarting   EventKind = "restarting"    // it will be started again: Detail says when and why
	Unhealthy    EventKind = "unhealthy"     // its health check failed as often as it may: Detail is its last word
	Healthy      EventKind = "healthy"       // it passed again after that
	Rung         EventKind = "rung"          // the stop went one step further: Detail
	Reaped       EventKind = "reaped"        // nothing of it is left to wait for
	Ended        EventKind = "ended"         // every member is reaped; the formation, and the last event
)

// The rungs of a stop, as Detail of a Rung event and in a [StopReport].
const (
	RungGone     = child.RungGone     // it had ended by itself
	RungLifeline = child.RungLifeline // its lifeline was closed: it should wind down by itself
	RungSignal   = child.RungSignal   // it was sent its stop signal
	RungKill     = child.RungKill     // something of it was killed when the grace had run out
	RungSurvivor = child.RungSurvivor // something of it could not be killed
)

// stream stamps events and delivers them in order from one goroutine, so that a slow receiver delays no
// member. The queue is not bounded: a formation has few events.
type stream struct {
	receive func(Event)
	began   time.Time

	mu     sync.Mutex
	queue  []Event
	closed bool
	wake   chan struct{}
	done   chan struct{}
}

func newStream(receive func(Event)) *stream {
	s := &stream{receive: receive, began: time.Now(), wake: make(chan struct{}, 1), done: make(chan struct{})}
	if receive == nil {
		s.closed = true
		close(s.done)
		return s
	}
	go s.deliver()
	return s
}

func (s *stream) emit(e Event) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	e.Time = time.Now()
	e.At = e.Time.Sub(s.began)
	s.queue = append(s.queue, e)
	s.mu.Unlock()
	s.notify()
}

func (s *stream) notify() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// close delivers what is queued and waits until the receiver has it.
func (s *stream) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.notify()
	<-s.done
}

func (s *stream) deliver() {
	defer close(s.done)
	var batch []Event // its memory serves the next but one
	for {
		s.mu.Lock()
		closed := s.closed
		batch, s.queue = s.queue, batch[:0]
		s.mu.Unlock()
		for _, e := range batch {
			s.receive(e)
		}
		if len(batch) > 0 {
			continue
		}
		if closed {
			return
		}
		<-s.wake
	}
}
