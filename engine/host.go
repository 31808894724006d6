package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// Host is one Lua VM with its tasks. Make one with [New] and end it with [Host.Close].
type Host struct {
	options Options
	lock    lock
	running sync.WaitGroup // the goroutines of tasks
	watch   *watchdog
	written atomic.Int64 // bytes on standard output
	alive   atomic.Int64 // tasks

	ctx    context.Context // of all tasks
	cancel context.CancelCauseFunc

	mu     sync.Mutex // guards what follows
	closed bool
	tasks  map[*Task]struct{} // without parent
	hooks  []func(context.Context) error

	unjoined unjoined // detached tasks

	exited chan struct{}
	exit   *ExitError

	instructions atomic.Int64

	// For the holder of the lock.
	base       *lua.LState // never runs anything after New; the parent of all threads
	pool       []*thread
	trampoline *lua.LFunction
	errorMeta  *lua.LTable
	taskType   *Type
	queueType  *Type
	metas      map[*Type]*lua.LTable
	listMeta   *lua.LTable // of what MarkList marked
	mur        *lua.LTable
	modules    map[string]*Module
	loading    map[string]*loading
	loaded     *lua.LTable
}

// New makes a host. It fails when a module is named twice.
func New(options Options) (*Host, error) {
	options.setDefaults()
	h := &Host{
		options: options, tasks: map[*Task]struct{}{}, exited: make(chan struct{}),
		metas: map[*Type]*lua.LTable{}, modules: map[string]*Module{}, loading: map[string]*loading{},
	}
	own := TaskModule()
	h.modules[own.Name] = &own
	for i := range options.Modules {
		m := &options.Modules[i]
		if h.modules[m.Name] != nil {
			return nil, fmt.Errorf("cannot make a host: module %q is given twice", m.Name)
		}
		h.modules[m.Name] = m
	}
	h.watch = &watchdog{host: h}
	h.lock.watchdog = h.watch
	h.ctx, h.cancel = context.WithCancelCause(context.Background())
	h.base = lua.NewState(lua.Options{
		CallStackSize: 16000, RegistrySize: 256, RegistryGrowStep: 4096, RegistryMaxSize: 1 << 20,
		SkipOpenLibs: true, MinimizeStackMemory: true,
	})
	h.base.G.MainThread, h.base.G.CurrentThread = h.base, h.base
	h.trampoline = h.base.NewFunction(startThread)
	h.errorMeta, h.taskType, h.queueType = h.newErrorMeta(), newTaskType(), newQueueType()
	h.openLibraries()
	return h, nil
}

// RunFile runs a script file as [Host.Run] does.
func (h *Host) RunFile(ctx context.Context, path string) ([]lua.LValue, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, &Error{Kind: "file", Message: fmt.Sprintf("cannot read the script: %v", err), Cause: err}
	}
	return h.Run(ctx, path, string(source))
}

// Run runs a chunk as a task and waits until it, everything it spawned and its cleanups have ended. The end of ctx
// and the host's deadline stop it softly, then hard; Run returns within 100 ms of a hard stop even when a Go
// function is stuck. It returns what the chunk returned, an [*ExitError] when the script called os.exit, or the
// error that nothing caught.
func (h *Host) Run(ctx context.Context, name, source string) ([]lua.LValue, error) {
	proto, err := Compile(name, source)
	if err != nil {
		return nil, err
	}
	arguments := make([]any, len(h.options.Args))
	for i, arg := range h.options.Args {
		arguments[i] = arg
	}
	t, err := h.spawn(ctx, nil, name, "", func() lua.LValue { return h.base.NewFunctionFromProto(proto) }, arguments)
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { h.stopLoose(context.Cause(ctx)) })()
	if d := h.options.Deadline; d > 0 {
		timer := time.AfterFunc(d, func() {
			t.Stop(deadlineError(d))
			h.stopLoose(deadlineError(d))
		})
		defer timer.Stop()
	}
	return t.Wait(context.Background())
}

// stopLoose stops the detached tasks. One that keeps the lock would keep a script that is stopped from ending.
func (h *Host) stopLoose(cause error) {
	for _, t := range h.topTasks() {
		if t.loose.Load() {
			t.Stop(cause)
		}
	}
}

func deadlineError(d time.Duration) error {
	return &Error{Kind: KindTimeout, Message: fmt.Sprintf("the deadline of %v passed", d), Cause: context.DeadlineExceeded}
}

// Spawn starts a Lua function as a task that belongs to no other. The arguments are converted as by [FromGo]; the
// end of ctx stops the task. It may be called by anyone, also by the holder of the lock.
func (h *Host) Spawn(ctx context.Context, fn *lua.LFunction, args ...any) (*Task, error) {
	return h.spawn(ctx, nil, "a callback", "", func() lua.LValue { return fn }, args)
}

// spawn starts a task. fn is called with the lock held.
func (h *Host) spawn(ctx context.Context, parent *Task, name, born string, fn func() lua.LValue, args []any) (*Task, error) {
	t, err := h.newTask(ctx, parent, name, born)
	if err != nil {
		return nil, err
	}
	var unhook func() bool
	if ctx.Done() != nil {
		unhook = context.AfterFunc(ctx, func() { t.Stop(context.Cause(ctx)) })
	}
	h.watch.waiting()
	h.lock.enqueue(t.wake) // here, so that tasks first run in the order in which they were spawned
	go func() {            // owned by h.running
		if unhook != nil {
			defer unhook()
		}
		t.main(fn, func(L *lua.LState) ([]lua.LValue, error) { return fromGoAll(L, args) })
	}()
	return t, nil
}

func (h *Host) newTask(ctx context.Context, parent *Task, name, born string) (*Task, error) {
	t := &Task{
		host: h, parent: parent, name: name, born: born,
		done: make(chan struct{}), lost: make(chan struct{}), wake: make(chan struct{}, 1),
	}
	above := h.ctx
	if parent != nil {
		above = parent.ctx
	}
	t.ctx, t.cancel = context.WithCancelCause(above)
	if h.alive.Load() >= int64(h.options.MaxTasks) {
		t.cancel(nil)
		return nil, Errorf(KindLimit, "there are %d tasks already", h.options.MaxTasks)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		t.cancel(nil)
		return nil, errClosed
	}
	h.alive.Add(1)
	h.running.Add(1)
	if parent != nil {
		parent.mu.Lock()
		if parent.children == nil {
			parent.children = map[*Task]struct{}{}
		}
		parent.children[t] = struct{}{}
		parent.mu.Unlock()
	} else {
		h.tasks[t] = struct{}{}
	}
	return t, nil
}

var errClosed = errors.New("the host is closed")

// Do runs Go code as the holder of the lock and waits for it; ctx is what its blocking calls see end. It may be
// called from any goroutine that does not hold the lock.
func (h *Host) Do(ctx context.Context, fn Function) error {
	t, err := h.spawn(ctx, nil, "the host", "", func() lua.LValue { return h.base.NewFunction(h.wrap("do", fn)) }, nil)
	if err != nil {
		return err
	}
	_, err = t.Wait(context.Background())
	return err
}

// OnClose registers a function that [Host.Close] runs after all tasks have ended, the last one first. The context
// has Close's deadline.
func (h *Host) OnClose(hook func(ctx context.Context) error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hooks = append(h.hooks, hook)
}

// Stop stops every task softly and after the grace hard. It returns at once.
func (h *Host) Stop(cause error) {
	for _, t := range h.topTasks() {
		t.Stop(cause)
	}
}

// Kill stops every task hard. It returns at once.
func (h *Host) Kill() {
	for _, t := range h.topTasks() {
		t.Kill()
	}
}

// Exited is closed when a script has called os.exit in any task; [Host.ExitStatus] then has the status.
func (h *Host) Exited() <-chan struct{} { return h.exited }

// ExitStatus returns the status given to os.exit, if it was called.
func (h *Host) ExitStatus() (status int, called bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.exit == nil {
		return 0, false
	}
	return h.exit.Status, true
}

// requestExit ends every task because of os.exit.
func (h *Host) requestExit(status int) *ExitError {
	h.mu.Lock()
	if h.exit == nil {
		h.exit = &ExitError{Status: status}
		close(h.exited)
	}
	exit := h.exit
	h.mu.Unlock()
	for _, t := range h.topTasks() {
		t.fail(exit)
	}
	return exit
}

func (h *Host) topTasks() []*Task {
	h.mu.Lock()
	defer h.mu.Unlock()
	tasks := make([]*Task, 0, len(h.tasks))
	for t := range h.tasks {
		tasks = append(tasks, t)
	}
	return tasks
}

// Close stops all tasks, waits for their goroutines and runs the hooks. It returns the errors of the hooks and what
// [Host.Unjoined] has, which is a warning when os.exit was called, and says when a goroutine was still inside a Go call
// at the end of ctx. Calls after the first return nil.
func (h *Host) Close(ctx context.Context) error {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return nil
	}
	h.closed = true
	h.mu.Unlock()
	h.Stop(ErrStopped)
	var errs []error
	for _, t := range h.topTasks() {
		if _, err := t.Wait(ctx); errors.Is(err, ctx.Err()) && ctx.Err() != nil {
			errs = append(errs, err)
		}
	}
	h.cancel(ErrStopped)
	h.watch.stop()
	h.mu.Lock()
	hooks := h.hooks
	h.hooks = nil
	h.mu.Unlock()
	for i := len(hooks) - 1; i >= 0; i-- {
		if err := hooks[i](ctx); err != nil {
			errs = append(errs, err)
		}
	}
	if err := h.waitForGoroutines(ctx); err != nil {
		errs = append(errs, err)
	}
	lost, untold := h.unjoined.take()
	if _, exited := h.ExitStatus(); exited {
		h.warnOf(untold, false) // the status is the script's all the same
	} else if err := errorOfUnjoined(lost, false); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func (h *Host) waitForGoroutines(ctx context.Context) error {
	done := make(chan struct{})
	go func() { // ends with the last task
		h.running.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("cannot close the host: a call does not return: %w", context.Cause(ctx))
	}
}

// spent counts instructions and reports whether the budget is used up.
func (h *Host) spent(n int64, t *thread) bool {
	total := h.instructions.Add(n)
	if h.options.Budget == 0 || total <= h.options.Budget || t.task.cleansUp() {
		return false
	}
	t.task.fail(&Error{
		Kind: KindLimit, Message: fmt.Sprintf("the script ran more than its %d instructions", h.options.Budget), Where: scriptPlace(t.L),
	})
	return true
}

// unlocked runs wait without the lock and restores the VM's idea of who runs, also when wait panics.
func (h *Host) unlocked(wake chan struct{}, wait func()) {
	current, holder := h.base.G.CurrentThread, h.watch.holder.Load()
	h.lock.release()
	defer func() {
		h.lock.acquire(wake)
		h.took(holder)
		h.base.G.CurrentThread = current
	}()
	wait()
}

// turn lets every task that waits for the lock run first.
func (h *Host) turn(wake chan struct{}) {
	current, holder := h.base.G.CurrentThread, h.watch.holder.Load()
	h.lock.turn(wake)
	h.took(holder)
	h.base.G.CurrentThread = current
}

// took notes who holds the lock.
func (h *Host) took(t *Task) {
	h.watch.taken.Add(1)
	h.watch.holder.Store(t)
}

// cleanup runs a function given to mur.defer as a task of its own that the stop of the first does not reach.
func (h *Host) cleanup(of *Task, fn lua.LValue) error {
	t := bareTask(h, "a cleanup of "+of.name)
	t.cleanupOf, t.wake = of, of.wake
	timer := time.AfterFunc(h.options.Cleanup, func() { t.Stop(deadlineError(h.options.Cleanup)) })
	defer timer.Stop()
	h.took(t)
	defer h.took(of)
	_, t.err = t.runFunction(fn, func(*lua.LState) ([]lua.LValue, error) { return nil, nil })
	t.unwound.Store(true)
	if err := t.finish(); t.err == nil {
		t.err = err
	}
	t.settle()
	close(t.done)
	return t.err
}

// taskError is the Go error for a value that nothing in a task caught.
func (h *Host) taskError(raised lua.LValue, tr *trace, t *Task) error {
	if t.born != "" && tr != nil {
		tr.frames = append(tr.frames, "spawned at "+t.born)
	}
	err := h.errorOf(raised, tr)
	if object, ok := err.(*objectError); ok {
		return &Error{
			stack: tr,
			Kind:  errorKind(object.raised.err), Message: errorMessage(object.raised.err), Hint: errorHint(object.raised.err),
			Where: object.raised.place(), Trace: tr.text(), Cause: object, Value: object.object,
		}
	}
	return err
}
