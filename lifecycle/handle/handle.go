package handle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"murlua/lifecycle/keeper"
	"murlua/platform/contain"
	"murlua/platform/process"
)

// terminalQuiet is how long the end of a terminal's output is waited for after the command on it has ended.
const terminalQuiet = 200 * time.Millisecond

// A Handle is one line that was started. See the package comment.
type Handle struct {
	registry *Registry
	id       uint64
	line     string
	capture  string        // path; empty for an orphan
	over     chan struct{} // closed when the state is final

	mu       sync.Mutex
	state    State
	stages   []*keeper.Kept
	adopted  *adopted // instead of stages: taken back from an earlier process
	past     *stored  // what an earlier process recorded
	stdin    *os.File // nil: none, or closed
	cursor   int64
	started  time.Time
	keep     bool
	watching sync.WaitGroup
}

func newHandle(r *Registry, id uint64, line, capture string) *Handle {
	return &Handle{registry: r, id: id, line: line, capture: capture, state: State{Name: Running}, over: make(chan struct{}), started: time.Now()}
}

// ID is the handle's number in its run.
func (h *Handle) ID() uint64 { return h.id }

// Line is the command line as it was given.
func (h *Handle) Line() string { return h.line }

// Over is closed when the state is final.
func (h *Handle) Over() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.over
}

// State is what the handle is doing.
func (h *Handle) State() State {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.state
}

// PIDs lists the stages' processes in the order in which they were spawned. They are for reports: a number is not
// a process.
func (h *Handle) PIDs() []int {
	h.mu.Lock()
	defer h.mu.Unlock()
	pids := make([]int, 0, len(h.stages))
	for _, s := range h.stages {
		pids = append(pids, s.PID())
	}
	if h.adopted != nil {
		pids = append(pids, h.adopted.ref.PID())
	}
	return pids
}

// Class is the containment that the stages are in; empty for an orphan.
func (h *Handle) Class() contain.Class {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.stages) == 0 {
		return ""
	}
	return h.stages[0].Class()
}

// Status is how the last stage ended, when the handle has exited.
func (h *Handle) Status() keeper.Status {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.stages) == 0 {
		return keeper.Status{Code: -1, Lost: true}
	}
	return h.stages[len(h.stages)-1].Status()
}

// start spawns the stages and begins to watch them. After an error nothing runs.
func (h *Handle) start(ctx context.Context, spec *Spec, stages [][]string) error {
	h.keep = spec.KeepLeftovers
	p, err := openPlumbing(h.capture, spec, len(stages))
	if err != nil {
		h.finish(State{Name: Killed})
		return err
	}
	defer p.closeTheirs()
	for i, args := range stages {
		command := keeper.Command{Args: args, Env: spec.Env, Dir: spec.Dir, Class: spec.Class, Grace: spec.Grace}
		command.Stdin, command.Stdout, command.Stderr = p.of(i)
		command.Terminal = spec.Terminal
		kept, err := h.registry.options.Keeper.Start(ctx, command)
		if err == nil && !h.addStage(kept) {
			kept.Kill()
			err = fmt.Errorf("process handle %d was ended while its line was still starting", h.id)
		}
		if err != nil {
			h.endStages(true)
			h.finish(State{Name: Killed})
			p.closeOurs()
			return err
		}
	}
	h.mu.Lock()
	h.stdin = p.input
	h.mu.Unlock()
	h.watching.Go(func() { h.watch(p) })
	return nil
}

// addStage records a stage, unless the handle was ended meanwhile.
func (h *Handle) addStage(kept *keeper.Kept) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state.Over() {
		return false
	}
	h.stages = append(h.stages, kept)
	return true
}

// watch waits for the stages and records how the last one ended. It owns the handle's files.
func (h *Handle) watch(p *plumbing) {
	copied := p.copyTerminal()
	for _, s := range h.all() {
		<-s.Exited()
	}
	last := h.Status()
	state := State{Name: Exited}
	if last.Signal == 0 && !last.Lost {
		state.Code = &last.Code
	}
	h.closeStdin()
	select {
	case <-copied:
	case <-time.After(terminalQuiet): // somebody left behind holds the terminal
	}
	if h.finish(state) {
		h.registry.save()
	}
	if !h.keep {
		h.endStages(false)
	}
	p.closeOurs()
	<-copied
}

func (h *Handle) all() []*keeper.Kept {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]*keeper.Kept(nil), h.stages...)
}

// finish makes the state final, unless it is already, and reports whether it did.
func (h *Handle) finish(state State) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state.Over() {
		return false
	}
	h.state = state
	close(h.over)
	return true
}

// endStages ends all stages, the last first so that none writes to one that is gone, and returns when nothing of
// them is left.
func (h *Handle) endStages(now bool) []keeper.StopReport {
	stages := h.all()
	reports := make([]keeper.StopReport, len(stages))
	for i := len(stages) - 1; i >= 0; i-- {
		if now {
			reports[i] = stages[i].Kill()
		} else {
			reports[i] = stages[i].Stop(context.Background(), keeper.StopOptions{})
		}
	}
	return reports
}

// Kill ends the handle and everything it started at once, and returns the state it was in. An ended handle is left
// alone; an orphan is refused.
func (h *Handle) Kill() (State, error) {
	was, err := h.claim()
	if err != nil || was.Over() {
		return was, err
	}
	h.endStages(true)
	if h.adopted != nil {
		h.adopted.kill()
	}
	h.watching.Wait()
	h.registry.save()
	return was, nil
}

// claim marks the handle as killed and returns what it was before.
func (h *Handle) claim() (State, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	was := h.state
	if was.Name == Orphaned {
		return was, fmt.Errorf("cannot kill process handle %d: it was started by a previous process and orphaned on resume (%s), "+
			"and the number it recorded may since belong to something else", h.id, was.Reason)
	}
	if !was.Over() {
		h.state = State{Name: Killed}
		close(h.over)
	}
	return was, nil
}

// Stop asks all stages to end, the last first, gives them the grace together (0: their own), and kills what is
// left then, or when ctx ends. It returns when nothing is left, with a report for each stage.
func (h *Handle) Stop(ctx context.Context, grace time.Duration) ([]keeper.StopReport, error) {
	was, err := h.claim()
	if err != nil || was.Over() {
		return nil, err
	}
	stages := h.all()
	reports := make([]keeper.StopReport, len(stages))
	var each sync.WaitGroup
	for i := len(stages) - 1; i >= 0; i-- {
		each.Go(func() { reports[i] = stages[i].Stop(ctx, keeper.StopOptions{Grace: grace}) })
	}
	each.Wait()
	if h.adopted != nil {
		h.adopted.kill()
	}
	h.watching.Wait()
	h.registry.save()
	return reports, nil
}

// Signal sends a signal to the process group of every stage. [keeper.ErrEnded] when none runs any more.
func (h *Handle) Signal(signal syscall.Signal) error {
	if state := h.State(); state.Name == Orphaned {
		return fmt.Errorf("cannot signal process handle %d: it was orphaned on resume (%s)", h.id, state.Reason)
	}
	if h.adopted != nil {
		return h.adopted.ref.Signal(signal)
	}
	result := keeper.ErrEnded
	for _, s := range h.all() {
		if err := s.SignalGroup(signal); err == nil || !errors.Is(err, keeper.ErrEnded) {
			result = err
		}
	}
	return result
}

// Write writes to the first stage's standard input, or to the terminal. It blocks while that is full, until it
// is read or the handle is over.
func (h *Handle) Write(data []byte) (int, error) {
	h.mu.Lock()
	stdin := h.stdin
	h.mu.Unlock()
	if stdin == nil {
		return 0, fmt.Errorf("cannot write to process handle %d: it has no open standard input", h.id)
	}
	n, err := stdin.Write(data)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) {
		err = fmt.Errorf("cannot write to process handle %d: nobody reads its standard input any more", h.id)
	}
	return n, err
}

// CloseStdin ends the first stage's standard input.
func (h *Handle) CloseStdin() { h.closeStdin() }

func (h *Handle) closeStdin() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stdin != nil {
		h.stdin.Close()
		h.stdin = nil
	}
}

// Wait waits until the handle is over and returns its state; the cause of ctx when that ends first. What the
// stages left behind may still be ending then.
func (h *Handle) Wait(ctx context.Context) (State, error) {
	select {
	case <-h.Over():
		return h.State(), nil
	case <-ctx.Done():
		return h.State(), context.Cause(ctx)
	}
}

// release ends what an ended handle has left, and waits for its goroutine.
func (h *Handle) release() {
	h.endStages(true)
	h.watching.Wait()
	if h.adopted != nil {
		h.adopted.ref.Close()
	}
}

// An adopted process was taken back from an earlier process of the run.
type adopted struct {
	ref  *process.Ref
	mark contain.Mark
}
