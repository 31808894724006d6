package engine

import (
	"errors"
	"fmt"
	"strings"
)

// leave takes the task, which has ended, from where it belongs. When it failed and nobody joined it, its parent has to
// raise that; of a task without one, the host's end does.
func (t *Task) leave() {
	lost := t.failed && !t.joined.Load()
	if p := t.parent; p != nil {
		p.mu.Lock()
		delete(p.children, t)
		p.mu.Unlock()
		if lost {
			p.unjoined = append(p.unjoined, t)
		}
		return
	}
	lost = lost && t.loose.Load()
	t.host.mu.Lock()
	delete(t.host.tasks, t)
	if lost && !t.typed {
		t.host.unjoined = append(t.host.unjoined, t)
	}
	t.host.mu.Unlock()
	if !lost || !t.typed {
		return
	}
	err := t.unjoinedAs()
	if t.tell == nil {
		t.host.options.Warn(err.Error())
		return
	}
	t.watch(func() { t.tell(err) }) // without the lock
}

// unjoinedError is what the task ends with because children of it failed and nobody joined them. A task that failed
// itself has an error already: then it is a warning.
func (t *Task) unjoinedError() error {
	err := errorOfUnjoined(t.unjoined)
	t.unjoined = nil
	if err != nil && t.err != nil {
		t.host.options.Warn(err.Error())
		return nil
	}
	return err
}

// Unjoined returns the error of detached tasks that failed, and that nobody joined, since it was called last; nil when
// there are none. [Host.Close] returns the others.
func (h *Host) Unjoined() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	err := errorOfUnjoined(h.unjoined)
	h.unjoined = nil
	return err
}

// maxUnjoined is how many tasks an error names.
const maxUnjoined = 10

func errorOfUnjoined(tasks []*Task) error {
	var failed []error
	var lines []string
	var first error
	for _, t := range tasks {
		if t.joined.Load() {
			continue
		}
		if err := t.unjoinedAs(); first == nil {
			first = err
		}
		failed = append(failed, t.err)
		if len(lines) < maxUnjoined {
			lines = append(lines, fmt.Sprintf("%s: %v", t.title(), t.err))
		}
	}
	if len(failed) < 2 {
		return first
	}
	if more := len(failed) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return &Error{
		Kind:    KindTasks,
		Message: fmt.Sprintf("%d tasks failed and nobody joined them: %s", len(failed), strings.Join(lines, "; ")),
		Fields:  map[string]any{"errors": failed},
		Cause:   errors.Join(failed...),
	}
}

// unjoinedAs is the task's error as that of one that nobody joined: the same value in Lua, and more words.
func (t *Task) unjoinedAs() error {
	said := &Error{Kind: errorKind(t.err), Hint: errorHint(t.err), Cause: t.err}
	message := t.err.Error()
	if own, ok := errors.AsType[*Error](t.err); ok {
		said.Where, said.Trace, said.Fields, said.Value, said.stack = own.Where, own.Trace, own.Fields, own.Value, own.stack
		message = strings.TrimPrefix(own.Error(), own.Where+": ")
	}
	said.Message = t.title() + " failed and nobody joined it: " + message
	return said
}

// title is what the task is called in a sentence.
func (t *Task) title() string {
	if t.named {
		return fmt.Sprintf("task %q", t.name)
	}
	return t.name
}
