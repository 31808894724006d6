package handle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"murlua/lifecycle/keeper"
	"murlua/lifecycle/scratch"
	"murlua/platform/contain"
)

// DefaultCap is how many handles may live at once unless a registry says otherwise.
const DefaultCap = 8

// orphanReason is why a handle of an earlier process is not signalled.
const orphanReason = "started by a previous process; its pid may since have been reused"

// Options are the surroundings of a [Registry]. Keeper is required.
type Options struct {
	// Keeper starts the processes. It stays the caller's, and outlives the registry.
	Keeper *keeper.Keeper
	// Cap is how many handles may live at once; 0: [DefaultCap].
	Cap int
	// TempDir is where the folder for the capture files is made; empty: the system's.
	TempDir string
	// Store is a file in which the handles are recorded, so that a later process of the same run can list them as
	// orphans; empty: they are not. Its directory must exist.
	Store string
}

// ErrClosed is returned by [Registry.Start] after [Registry.Close].
var ErrClosed = errors.New("the run's handles are closed")

// A CapError refuses a start because too many handles are live.
type CapError struct{ Live, Cap int }

func (e *CapError) Error() string {
	return fmt.Sprintf("this run already has %d live process handles and the cap is %d", e.Live, e.Cap)
}

// Hint says what to do.
func (e *CapError) Hint() string { return "stop or kill one before starting another" }

// A Registry holds the handles of one run.
type Registry struct {
	options Options
	dir     string // of the capture files

	mu      sync.Mutex
	handles map[uint64]*Handle
	next    uint64
	closed  bool
}

// New makes an empty registry; with a store that an earlier process left, it holds that one's handles as orphans.
func New(options Options) (*Registry, error) {
	if options.Keeper == nil {
		return nil, errors.New("cannot make a registry of handles without a keeper")
	}
	if options.Cap == 0 {
		options.Cap = DefaultCap
	}
	dir, err := scratch.Make(options.TempDir, "murlua-handles-")
	if err != nil {
		return nil, fmt.Errorf("cannot make a folder for the output of handles: %w", err)
	}
	r := &Registry{options: options, dir: dir, handles: map[uint64]*Handle{}, next: 1}
	if err := r.load(); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return r, nil
}

// A Spec is what to start: either Command or Line.
type Spec struct {
	// Command is a program and its arguments.
	Command []string
	// Line is a command line of one or more stages with "|" between them, see [ParseLine].
	Line string
	// Env is the whole environment, Dir the working directory (empty: the host's).
	Env []string
	Dir string
	// Class demands a containment; empty takes the best there is.
	Class contain.Class
	// Grace is how long the processes may take to end when asked (0: the keeper's default).
	Grace time.Duration
	// Stdin gives the first stage a standard input for [Handle.Write]; else it is empty.
	Stdin bool
	// Terminal gives the (single) stage a terminal of Rows and Columns as all three streams.
	Terminal      bool
	Rows, Columns uint16
	// Cap replaces the registry's for this start; 0 does not.
	Cap int
	// KeepLeftovers leaves processes running that outlive the stages, until the registry closes. Else they are
	// ended when the last stage has ended.
	KeepLeftovers bool
}

// Start starts the stages, each contained as it is spawned. ctx bounds the start alone. A [*CapError] refuses it
// before anything runs; after any error nothing of the line is left.
func (r *Registry) Start(ctx context.Context, spec Spec) (*Handle, error) {
	stages := [][]string{spec.Command}
	if spec.Line != "" {
		var err error
		if stages, err = ParseLine(spec.Line); err != nil {
			return nil, err
		}
	} else {
		spec.Line = strings.Join(spec.Command, " ")
	}
	if len(stages[0]) == 0 {
		return nil, errors.New("cannot start a handle: neither a command nor a line is given")
	}
	if spec.Terminal && len(stages) > 1 {
		return nil, errors.New("cannot give a terminal to a line of several stages")
	}
	h, err := r.reserve(spec.Line, spec.Cap)
	if err != nil {
		return nil, err
	}
	if err := h.start(ctx, &spec, stages); err != nil {
		r.mu.Lock()
		delete(r.handles, h.id)
		r.mu.Unlock()
		return nil, err
	}
	r.save()
	return h, nil
}

// reserve takes an id and a place under the cap before anything is spawned: a process that is started and then
// refused would have run.
func (r *Registry) reserve(line string, limit int) (*Handle, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, ErrClosed
	}
	if limit <= 0 {
		limit = r.options.Cap
	}
	if live := r.live(); live >= limit {
		return nil, &CapError{Live: live, Cap: limit}
	}
	h := newHandle(r, r.next, line, filepath.Join(r.dir, fmt.Sprintf("handle-%d.out", r.next)))
	r.next++
	r.handles[h.id] = h
	return h, nil
}

// live counts the running handles. The caller holds r.mu.
func (r *Registry) live() int {
	n := 0
	for _, h := range r.handles {
		if !h.State().Over() {
			n++
		}
	}
	return n
}

// Get returns a handle by its id.
func (r *Registry) Get(id uint64) (*Handle, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if h := r.handles[id]; h != nil {
		return h, nil
	}
	return nil, fmt.Errorf("no process handle %d in this run", id)
}

// All returns all handles by id, ended ones and orphans too.
func (r *Registry) All() []*Handle {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]*Handle, 0, len(r.handles))
	for _, h := range r.handles {
		all = append(all, h)
	}
	slices.SortFunc(all, func(a, b *Handle) int { return int(a.id) - int(b.id) })
	return all
}

// Live returns the running handles by id.
func (r *Registry) Live() []*Handle {
	return slices.DeleteFunc(r.All(), func(h *Handle) bool { return h.State().Over() })
}

// AdoptOrphan lists a handle that an earlier process of the run had, as an orphan.
func (r *Registry) AdoptOrphan(id uint64, line string) *Handle {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := newHandle(r, id, line, "")
	h.state = State{Name: Orphaned, Reason: orphanReason}
	close(h.over)
	r.handles[id] = h
	r.next = max(r.next, id+1)
	return h
}

// KillAll kills every running handle and returns how many there were.
func (r *Registry) KillAll() int {
	live := r.Live()
	var all sync.WaitGroup
	for _, h := range live {
		all.Go(func() { _, _ = h.Kill() }) // only an orphan cannot be killed, and none is live
	}
	all.Wait()
	return len(live)
}

// Close kills every running handle, ends what ended ones have left, and removes the capture files. It returns how
// many handles were running. The registry starts nothing afterwards; a second call does nothing.
func (r *Registry) Close() int {
	r.mu.Lock()
	done := r.closed
	r.closed = true
	r.mu.Unlock()
	if done {
		return 0
	}
	n := r.KillAll()
	for _, h := range r.All() {
		h.release()
	}
	r.save()
	os.RemoveAll(r.dir)
	return n
}
