package handle

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"murlua/platform/contain"
	"murlua/platform/fsx"
	"murlua/platform/process"
)

// stored is one handle as the store holds it.
type stored struct {
	ID        uint64          `json:"id"`
	Line      string          `json:"line"`
	State     StateName       `json:"state"`
	StartedAt time.Time       `json:"started_at"`
	Capture   string          `json:"capture,omitempty"`
	Class     contain.Class   `json:"containment,omitempty"`
	Processes []storedProcess `json:"processes,omitempty"`
}

// storedProcess names one process of a handle, with the facts without which its number means nothing.
type storedProcess struct {
	process.Identity
	Origin process.Origin `json:"origin"`
	Mark   contain.Mark   `json:"mark,omitempty"`
}

type storeFile struct {
	Handles []stored `json:"handles"`
}

// load lists what an earlier process of the run left in the store as orphans. A handle that had ended keeps its
// place too, so that its id is not given again.
func (r *Registry) load() error {
	if r.options.Store == "" {
		return nil
	}
	data, err := os.ReadFile(r.options.Store)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot read the store of handles: %w", err)
	}
	var file storeFile
	if err := json.Unmarshal(data, &file); err != nil {
		return fmt.Errorf("cannot read the store of handles %s: %w", r.options.Store, err)
	}
	for _, s := range file.Handles {
		if s.State == Running || s.State == Orphaned {
			r.AdoptOrphan(s.ID, s.Line).remember(s)
		}
		r.next = max(r.next, s.ID+1)
	}
	return nil
}

// save writes the store. A store that cannot be written costs the later process its list of orphans and nothing
// else, so the run goes on.
func (r *Registry) save() {
	if r.options.Store == "" {
		return
	}
	var file storeFile
	for _, h := range r.All() {
		file.Handles = append(file.Handles, h.stored())
	}
	data, err := json.MarshalIndent(file, "", "  ")
	if err == nil {
		_ = fsx.WriteFileAtomic(r.options.Store, data, fsx.PrivateFileMode)
	}
}

func (h *Handle) stored() stored {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.past != nil && h.state.Name == Orphaned {
		return *h.past
	}
	s := stored{ID: h.id, Line: h.line, State: h.state.Name, StartedAt: h.started, Capture: h.capture}
	if h.state.Over() {
		return s
	}
	for _, kept := range h.stages {
		s.Class = kept.Class()
		// Taken while the handle's own keeper has it: a process that ended meanwhile has no identity to keep.
		if id, err := process.Identify(kept.PID()); err == nil {
			s.Processes = append(s.Processes, storedProcess{Identity: id, Origin: id.Origin, Mark: kept.Mark()})
		}
	}
	return s
}

func (h *Handle) remember(s stored) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s.State = Orphaned
	h.past = &s
	h.started = s.StartedAt
}

// ErrNotProved is returned by [Registry.Readopt] when the system cannot prove which process an orphan was.
var ErrNotProved = errors.New("nothing here proves that the process is the one that was started")

// Readopt takes an orphan back: it is running again, can be polled, signalled and killed. That is done only where
// the system proves beyond doubt that the recorded process still runs (its own number, never handed on within one
// boot), and only for a handle of one stage; else the orphan stays one and [ErrNotProved] is wrapped. What the
// process has started since is reached as far as it carries the handle's mark; how it ends cannot be known.
func (r *Registry) Readopt(id uint64) (*Handle, error) {
	h, err := r.Get(id)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state.Name != Orphaned || h.past == nil {
		return nil, fmt.Errorf("cannot re-adopt process handle %d: it is no recorded orphan", id)
	}
	if len(h.past.Processes) != 1 {
		return nil, fmt.Errorf("cannot re-adopt process handle %d: %w", id, ErrNotProved)
	}
	p := h.past.Processes[0]
	p.Identity.Origin = p.Origin
	if p.Origin.Inode == "" || p.Origin.Boot == "" {
		return nil, fmt.Errorf("cannot re-adopt process handle %d: %w", id, ErrNotProved)
	}
	ref, state := process.OpenIdentity(p.Identity)
	if ref == nil {
		return nil, fmt.Errorf("cannot re-adopt process handle %d: %s", id, state.Reason)
	}
	if ref.Method() != process.ByHandle {
		ref.Close()
		return nil, fmt.Errorf("cannot re-adopt process handle %d: %w", id, ErrNotProved)
	}
	h.adopted = &adopted{ref: ref, mark: p.Mark}
	h.capture, h.state, h.over = h.past.Capture, State{Name: Running}, make(chan struct{})
	h.watching.Go(h.watchAdopted)
	return h, nil
}

func (h *Handle) watchAdopted() {
	<-h.adopted.ref.Exited()
	if h.finish(State{Name: Exited}) {
		h.registry.save()
	}
}
