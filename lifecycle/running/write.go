package running

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"murlua/lifecycle/credential"
	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/platform/fsx"
)

// Guard owns what one session has written into the directory of records. [Guard.Remove] takes it away
// again; nothing else does, after a SIGKILL nothing at all.
type Guard struct {
	paths  []string
	mutex  sync.Mutex
	result error
	done   bool
}

// Write writes the record of a session, readable to its owner alone, in one step: a reader sees the
// whole record or none. What stood there under this session's id is replaced.
//
// A session whose record could not be written may well run on. It only cannot be found.
func Write(h home.Home, record Record) (*Guard, error) {
	text, err := Encode(record)
	if err != nil {
		return nil, fmt.Errorf("cannot write the running record: %w", err)
	}
	if _, err := h.EnsureRunning(); err != nil {
		return nil, fmt.Errorf("cannot write the running record: %w", err)
	}
	path := Location(h, record.SessionID)
	// A power cut ends the process too: the record then says nothing that anybody needs, and a torn one is no record.
	if err := fsx.WriteFileVolatile(path, text, fsx.PrivateFileMode); err != nil {
		return nil, err
	}
	guard := &Guard{paths: []string{path}}
	if record.URL != "" {
		guard.paths = append(guard.paths, ControlLocation(h, record.SessionID)) // only who has a door has one
	}
	return guard, nil
}

// WriteControl writes the control token of a session, readable to its owner alone, without a newline.
// A session that has one writes it before its record.
func WriteControl(h home.Home, session id.Session, token credential.Secret) (*Guard, error) {
	if _, err := id.ParseSession(string(session)); err != nil {
		return nil, fmt.Errorf("cannot write the control token: %w", err)
	}
	if _, err := h.EnsureRunning(); err != nil {
		return nil, fmt.Errorf("cannot write the control token: %w", err)
	}
	path := ControlLocation(h, session)
	if err := fsx.WriteFileVolatile(path, []byte(token.Reveal()), fsx.PrivateFileMode); err != nil {
		return nil, err
	}
	return &Guard{paths: []string{path}}, nil
}

// Remove removes the record and then the control token of its session; either may be missing. It may
// be called more than once, and gives the first result again.
func (g *Guard) Remove() error {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.done {
		return g.result
	}
	g.done = true
	for _, path := range g.paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			g.result = errors.Join(g.result, fmt.Errorf("cannot remove %s: %w", path, fsx.Reason(err)))
		}
	}
	return g.result
}
