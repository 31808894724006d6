package door

import (
	"cmp"
	"context"
	"encoding/hex"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
)

// Ended tasks stay readable until there are this many of them or their answers are this large together.
const (
	maxEndedTasks = 1000
	maxEndedBytes = 64 << 20
	// maxNote bounds a note, which is sent along with every event of its task.
	maxNote = 64 << 10
)

// What a rejected task says.
const (
	rejectedBusyNote    = "the capsule has no room for another task now"
	rejectedClosingNote = "the capsule is stopping and takes no more tasks"
)

// entry is one task of the session. Its fields belong to the registry's lock.
type entry struct {
	task    Task // without artifacts
	owner   string
	answer  strings.Builder // what was emitted so far
	emitted bool
	cancel  context.CancelCauseFunc
	settled chan struct{} // closed when the handler has returned
	order   uint64        // of the last change
}

// view returns the task as a reader sees it.
func (e *entry) view() Task {
	task := e.task
	if e.emitted {
		task.Artifacts = []Artifact{*answerArtifact(e.answer.String())}
	}
	return task
}

// registry holds the tasks of a session and reports their changes to the hub.
type registry struct {
	hub     *hub
	running sync.WaitGroup // handlers; added to under the lock, and not once closing is set

	mu      sync.Mutex
	byID    map[string]*entry
	ended   []*entry // oldest first
	bytes   int      // answers of ended tasks
	live    int
	changes uint64
	closing bool
}

func newRegistry(h *hub) *registry { return &registry{hub: h, byID: map[string]*entry{}} }

// mint returns an identifier in murmur's form.
func mint(prefix string) string {
	unique := uuid.Must(uuid.NewV7())
	return prefix + hex.EncodeToString(unique[:])
}

// start registers a new task, or a rejected one, with nothing to run, when limit tasks are live or the session is closing.
func (r *registry) start(contextID, owner string, limit int, cancel context.CancelCauseFunc) (e *entry, accepted bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if contextID == "" {
		contextID = mint("ctx_")
	}
	e = &entry{task: Task{ID: mint("tsk_"), Context: contextID, State: Submitted, Updated: time.Now()}, owner: owner, cancel: cancel, settled: make(chan struct{})}
	switch {
	case r.closing:
		e.task.State, e.task.Note = Rejected, rejectedClosingNote
	case r.live >= limit:
		e.task.State, e.task.Note = Rejected, rejectedBusyNote
	default:
		r.live++
		r.running.Add(1)
		r.byID[e.task.ID] = e
		r.changed(e)
		return e, true
	}
	return e, false
}

// changed publishes a change of state. The lock is held.
func (r *registry) changed(e *entry) {
	r.changes++
	e.order = r.changes
	e.task.Updated = time.Now()
	r.hub.publish(Event{Task: e.task})
}

// work says that the handler has begun, unless the task was canceled before that.
func (r *registry) work(e *entry, note string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !e.task.State.Ended() {
		e.task.State, e.task.Note = Working, cut(note)
		r.changed(e)
	}
}

// emit adds to the answer. What comes after the end is dropped.
func (r *registry) emit(e *entry, text string, last bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.task.State.Ended() || text == "" && !last {
		return
	}
	piece := Event{Task: e.task, Append: e.emitted, Last: last, Artifact: answerArtifact(text)}
	e.emitted = true
	e.answer.WriteString(text)
	if last {
		piece.whole = e.answer.String()
	}
	r.hub.publish(piece)
}

// finish records the handler's end: a canceled task stays canceled.
func (r *registry) finish(e *entry, answer string, err error) {
	if err == nil {
		r.emit(e, answer, true)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !e.task.State.Ended() {
		e.task.State, e.task.Note = Completed, ""
		if err != nil {
			e.task.State, e.task.Note = Failed, cut(err.Error())
		}
		r.changed(e)
	}
	r.live--
	r.bytes += e.answer.Len()
	r.ended = append(r.ended, e)
	for len(r.ended) > 1 && (len(r.ended) > maxEndedTasks || r.bytes > maxEndedBytes) {
		r.bytes -= r.ended[0].answer.Len()
		delete(r.byID, r.ended[0].task.ID)
		r.ended = r.ended[1:]
	}
	close(e.settled)
	r.running.Done()
}

// find returns a task that the caller may see: every task for the session's own callers (""), its own for any other.
func (r *registry) find(id, caller string) (*entry, Task, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, found := r.byID[id]
	if !found || caller != "" && e.owner != caller {
		return nil, Task{}, false
	}
	return e, e.view(), true
}

// view returns a task as it is now, and the cursor after which the hub has what follows.
func (r *registry) view(e *entry) (Task, uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return e.view(), r.hub.newest() // events are published under the lock
}

// stop cancels a task, unless it has ended. The state changes at once; the handler learns it by its context.
func (r *registry) stop(e *entry, why error) (Task, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.task.State.Ended() {
		return e.view(), false
	}
	e.task.State, e.task.Note = Canceled, why.Error()
	r.changed(e)
	e.cancel(why)
	return e.view(), true
}

// stopAll cancels every live task and returns their ids in the order in which they were minted.
func (r *registry) stopAll(why error) []string {
	r.mu.Lock()
	live := make([]*entry, 0, r.live)
	for _, e := range r.byID {
		live = append(live, e)
	}
	r.mu.Unlock()
	slices.SortFunc(live, func(a, b *entry) int { return cmp.Compare(a.task.ID, b.task.ID) })
	canceled := []string{}
	for _, e := range live {
		if task, ok := r.stop(e, why); ok {
			canceled = append(canceled, task.ID)
		}
	}
	return canceled
}

// close refuses every task from now on.
func (r *registry) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closing = true
}

// list returns the tasks that the caller may see and keep wants, the last changed first.
func (r *registry) list(caller string, keep func(Task) bool) []Task {
	r.mu.Lock()
	defer r.mu.Unlock()
	var entries []*entry
	for _, e := range r.byID {
		if (caller == "" || e.owner == caller) && keep(e.task) {
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, func(a, b *entry) int { return cmp.Compare(b.order, a.order) })
	tasks := make([]Task, len(entries))
	for i, e := range entries {
		tasks[i] = e.view()
	}
	return tasks
}

// cut keeps a note small enough to be sent along with every event.
func cut(note string) string {
	if len(note) > maxNote {
		return strings.ToValidUTF8(note[:maxNote], "") + "…"
	}
	return note
}
