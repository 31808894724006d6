package door

import "sync"

// Event is one thing that happened to a task: its state changed, or it produced a piece of an artifact.
type Event struct {
	// ID numbers the events of one session from 1; 0 for an event that cannot be resumed after.
	ID uint64
	// Task has the id, the context and the state; its artifacts only if the event is a whole task.
	Task Task
	// Artifact is the piece that was produced; nil when the event is about the state.
	Artifact *Artifact
	// Append says that the piece continues an artifact of the same id, which it replaces otherwise; Last that no more of it follows.
	Append, Last bool
	// Lost says how many events before this one were dropped because the reader was too slow or came too late.
	Lost uint64

	whole string // with the last piece: all of the artifact's text
}

// The events that a session keeps for those who come late or read slowly.
const (
	maxEvents     = 4096
	maxEventBytes = 8 << 20
	// maxBatch bounds what one reader takes at a time.
	maxBatch = 128
)

// hub holds the newest events of a session. Readers have a cursor of their own and are woken by a channel that closes, so a
// slow reader costs nothing and never holds up the writer: it loses the oldest events, and is told how many.
type hub struct {
	mu     sync.Mutex
	events []Event
	last   uint64 // id of the newest event
	bytes  int
	wake   chan struct{} // closed at the next event or the end
	closed bool
}

func newHub() *hub { return &hub{wake: make(chan struct{})} }

func (h *hub) publish(e Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	h.last++
	e.ID = h.last
	h.events = append(h.events, e)
	h.bytes += e.size()
	for len(h.events) > 1 && (len(h.events) > maxEvents || h.bytes > maxEventBytes) {
		h.bytes -= h.events[0].size()
		h.events[0] = Event{}
		h.events = h.events[1:]
	}
	close(h.wake)
	h.wake = make(chan struct{})
}

// close tells the readers that no event will follow.
func (h *hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closed {
		h.closed = true
		close(h.wake)
	}
}

// newest returns the cursor after which only events that are yet to come are read.
func (h *hub) newest() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last
}

// after returns the first of the events later than a cursor, and how many between were dropped. If there are none, wake closes when that
// changes; done says that it will not.
func (h *hub) after(cursor uint64) (events []Event, lost uint64, wake <-chan struct{}, done bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if cursor >= h.last { // also a cursor from another session, beyond what exists here
		return nil, 0, h.wake, h.closed
	}
	first := h.last - uint64(len(h.events)) + 1
	if cursor+1 < first {
		lost = first - cursor - 1
		cursor = first - 1
	}
	fresh := h.events[cursor+1-first:]
	return append([]Event(nil), fresh[:min(len(fresh), maxBatch)]...), lost, h.wake, false
}

func (e Event) size() int {
	n := 200 + len(e.Task.Note) + len(e.whole)
	if e.Artifact != nil {
		for _, part := range e.Artifact.Parts {
			n += len(part.Text) + len(part.Data)
		}
	}
	return n
}
