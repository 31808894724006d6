package engine

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// tellAfter is how long after its failure a task is told of that nobody has joined. Whoever starts tasks to join them
// mostly comes to it sooner. One that waits for something else may take hours, and nobody knows whether it means to join
// then: what is told says no more than that nobody has yet.
const tellAfter = time.Second

// unjoined are the tasks that failed, and that nobody had joined by then, until somebody raises that.
type unjoined struct {
	mu    sync.Mutex
	tasks []lostTask
	timer *time.Timer // until they are told
}

type lostTask struct {
	*Task
	at   time.Time
	told bool // Warn has heard of it
}

// add has Warn hear of the task after a while, unless it is joined, or taken to be raised, by then. However many there
// are, that happens once in a while.
func (u *unjoined) add(t *Task) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.tasks = append(u.tasks, lostTask{t, time.Now(), t.told})
	if !t.told && u.timer == nil {
		u.timer = time.AfterFunc(tellAfter, func() { u.tell(t.host) })
	}
}

func (u *unjoined) tell(h *Host) {
	u.mu.Lock() // until it is told: nothing is when it has been taken
	defer u.mu.Unlock()
	if u.timer == nil {
		return
	}
	u.timer = nil
	var due []*Task
	early := false
	for i := range u.tasks {
		switch t := &u.tasks[i]; {
		case t.told, t.joined.Load():
		case time.Since(t.at) < tellAfter:
			early = true
		default:
			t.told = true
			due = append(due, t.Task)
		}
	}
	h.warnOf(due, true)
	if early {
		u.timer = time.AfterFunc(tellAfter, func() { u.tell(h) })
	}
}

// take returns the tasks that nobody has joined since, for somebody who raises that, and those of them that were not
// told.
func (u *unjoined) take() (lost, untold []*Task) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.timer != nil {
		u.timer.Stop()
		u.timer = nil
	}
	for _, t := range u.tasks {
		if t.joined.Load() {
			continue
		}
		if lost = append(lost, t.Task); !t.told {
			untold = append(untold, t.Task)
		}
	}
	u.tasks = nil
	return lost, untold
}

// leave takes the task, which has ended, from where it belongs. When it failed and nobody joined it, its parent has to
// raise that; of a task without one, the host's end does.
func (t *Task) leave() {
	lost := t.failed && !t.joined.Load()
	if p := t.parent; p != nil {
		p.mu.Lock()
		delete(p.children, t)
		p.mu.Unlock()
		if lost {
			p.unjoined.add(t)
		}
		return
	}
	lost = lost && t.loose.Load()
	t.host.mu.Lock()
	delete(t.host.tasks, t)
	t.host.mu.Unlock()
	switch {
	case !lost:
	case !t.typed:
		t.host.unjoined.add(t)
	case t.tell == nil:
		t.host.warnOf([]*Task{t}, false)
	default:
		err := errorOfUnjoined([]*Task{t}, false)
		t.watch(func() { t.tell(err) }) // without the lock
	}
}

// unjoinedError is what the task ends with because children of it failed and nobody joined them. A task that failed
// itself has an error already: then it is a warning about those that were not told.
func (t *Task) unjoinedError() error {
	lost, untold := t.unjoined.take()
	if t.err != nil {
		t.host.warnOf(untold, false)
		return nil
	}
	t.told = len(lost) > 0 && len(untold) == 0
	return errorOfUnjoined(lost, false)
}

// Unjoined returns the error of detached tasks that failed, and that nobody joined, since it was called last; nil when
// there are none. [Host.Close] returns the others.
func (h *Host) Unjoined() error {
	lost, _ := h.unjoined.take()
	return errorOfUnjoined(lost, false)
}

func (h *Host) warnOf(tasks []*Task, yet bool) {
	if err := errorOfUnjoined(tasks, yet); err != nil {
		h.options.Warn(err.Error())
	}
}

// maxUnjoined is how many tasks an error names.
const maxUnjoined = 10

// errorOfUnjoined is the error of tasks that failed; yet says that somebody may come to join them. Nil when there are none.
func errorOfUnjoined(tasks []*Task, yet bool) error {
	var failed []error
	var lines []string
	for _, t := range tasks {
		failed = append(failed, t.err)
		if len(lines) < maxUnjoined {
			lines = append(lines, fmt.Sprintf("%s: %v", t.title(), t.err))
		}
	}
	switch len(failed) {
	case 0:
		return nil
	case 1:
		return tasks[0].unjoinedAs(yet)
	}
	if more := len(failed) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return &Error{
		Kind:    KindTasks,
		Message: fmt.Sprintf("%d tasks failed and nobody %s: %s", len(failed), joinedWords("them", yet), strings.Join(lines, "; ")),
		Fields:  map[string]any{"errors": failed},
		Cause:   errors.Join(failed...),
	}
}

// unjoinedAs is the task's error as that of one that nobody joined: the same value in Lua, and more words.
func (t *Task) unjoinedAs(yet bool) error {
	said := &Error{Kind: errorKind(t.err), Hint: errorHint(t.err), Cause: t.err}
	message := t.err.Error()
	if own, ok := errors.AsType[*Error](t.err); ok {
		said.Where, said.Trace, said.Fields, said.Value, said.stack = own.Where, own.Trace, own.Fields, own.Value, own.stack
		message = strings.TrimPrefix(own.Error(), own.Where+": ")
	}
	said.Message = fmt.Sprintf("%s failed and nobody %s: %s", t.title(), joinedWords("it", yet), message)
	return said
}

func joinedWords(whom string, yet bool) string {
	if yet {
		return "has joined " + whom + " yet"
	}
	return "joined " + whom
}

// title is what the task is called in a sentence.
func (t *Task) title() string {
	if t.named {
		return fmt.Sprintf("task %q", t.name)
	}
	return t.name
}
