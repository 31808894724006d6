package bindings

import (
	"context"
	"errors"
	"path/filepath"
	"sync"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine"
	"murlua/lifecycle/formation"
)

func (w *World) formationModule() engine.Module {
	return engine.Module{
		Name:      "formation",
		Doc:       "start groups of processes all-or-nothing, and end them",
		Functions: map[string]engine.Function{"launch": w.launch},
	}
}

var formationType = &engine.Type{
	Name:    "formation",
	Methods: map[string]engine.Function{"wait": formationWait, "stop": formationStop},
	Fields: map[string]func(any) any{
		"id": func(v any) any { return string(v.(*launched).formation.ID()) },
	},
	String: func(v any) string { return "formation " + string(v.(*launched).formation.ID()) },
}

// launch starts the members and the entry. It waits in a goroutine of its own, so that a stopped script comes back
// at once; what then remains of the launch is ended when the host is closed.
func (w *World) launch(c *engine.Call) error {
	plan, options, onEvent := w.readLaunch(c)
	h, err := w.home()
	if err != nil {
		return err
	}
	options.Home, options.Environ = h, w.Environ
	options.ProjectDir = w.Workdir
	options.Executable, options.MurBinary = w.Executable, w.MurBinary
	options.EntryStdout, options.EntryStderr = w.Stdout, w.Stderr
	options.Relay, options.Warn = w.Relay, w.Warn

	r := newLaunched(w, c, onEvent)
	options.OnEvent = r.event
	r.start(plan, options)
	err = c.Block(func(ctx context.Context) error {
		select {
		case <-r.up:
			return r.launchErr
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	if err != nil {
		return toScript(err)
	}
	return c.Return(formationType.Box(r))
}

func (w *World) readLaunch(c *engine.Call) (formation.Plan, formation.Options, *lua.LFunction) {
	o := c.Options(1)
	o.Required("members")
	var options formation.Options
	if o.Has("task") {
		task := o.String("task", "")
		options.Task = &task
	}
	options.ReadyWithin = o.Duration("ready_within", 0)
	options.Grace = o.Duration("grace", 0)
	onEvent := o.Function("on_event")
	members := c.Options(1).Nested("members", o.Table("members"))
	o.Done(false)
	var plan formation.Plan
	for i := 1; i <= members.Len(); i++ {
		table, ok := members.At(i).(*lua.LTable)
		if !ok {
			o.Bad("members", "element %d is not a table", i)
		}
		plan.Members = append(plan.Members, w.readMember(c, o.Nested("members["+lua.LNumber(i).String()+"]", table)))
	}
	return plan, options, onEvent
}

func (w *World) readMember(c *engine.Call, o *engine.OptionTable) formation.Member {
	o.Required("name")
	m := formation.Member{
		Name: o.String("name", ""), Entry: o.Bool("entry", false), Calls: o.Strings("calls"), After: o.Strings("after"),
		Env: o.StringMap("env"), Dir: o.String("dir", ""),
		ReadyWithin: o.Duration("ready_within", 0), Grace: o.Duration("grace", 0),
	}
	if o.Has("script") {
		path := o.String("script", "")
		if !filepath.IsAbs(path) {
			path = filepath.Join(w.Folder, path)
		}
		m.Script = &formation.Script{Path: path, Version: o.String("version", "")}
	}
	if o.Has("capsule") {
		m.Capsule = &formation.Capsule{Name: o.String("capsule", ""), Version: o.String("version", "")}
	}
	if o.Has("command") {
		m.Command = &formation.Command{Args: o.Strings("command")}
	}
	o.Known("version")
	policy, err := w.readyPolicy(c, o.Get("ready"))
	if err != nil {
		o.Bad("ready", "%v", err)
	}
	m.Ready = policy
	o.Done(false)
	return m
}

// launched is a formation that a script launched.
type launched struct {
	world *World
	host  *engine.Host
	task  *engine.Task // that launched it: a failing callback ends it

	cancel    context.CancelCauseFunc // ends the launch
	up        chan struct{}           // closed when the launch has succeeded or failed
	launchErr error
	formation *formation.Formation // set when up is closed, unless it failed

	events *callbacks
}

func newLaunched(w *World, c *engine.Call, onEvent *lua.LFunction) *launched {
	r := &launched{world: w, host: c.Host(), task: c.Task(), up: make(chan struct{})}
	r.events = newCallbacks(c.Host(), onEvent, func(err error) { r.task.Stop(&callbackError{err}) })
	return r
}

func (r *launched) start(plan formation.Plan, options formation.Options) {
	ctx, cancel := context.WithCancelCause(context.Background())
	r.cancel = cancel
	r.world.mu.Lock()
	r.world.formations = append(r.world.formations, r)
	r.world.mu.Unlock()
	task := r.task
	r.host.OnClose(func(ctx context.Context) error {
		r.stop(context.Cause(task.Context()))
		return r.waitEnded(ctx)
	})
	go func() { // waited for by waitEnded
		defer close(r.up)
		r.formation, r.launchErr = formation.Launch(ctx, plan, options)
		if _, hasEntry := plan.Entry(); r.launchErr == nil && hasEntry {
			_, r.launchErr = r.formation.StartEntry(ctx)
		}
		if r.launchErr != nil {
			r.forget()
		}
	}()
}

// event hands an event of the formation to the display and to the script.
func (r *launched) event(e formation.Event) {
	if r.world.OnEvent != nil {
		r.world.OnEvent(e)
	}
	r.events.add(EventFields(e))
}

// stop asks for the end; a launch that is under way is abandoned.
func (r *launched) stop(why error) {
	if why == nil {
		why = errors.New("its script ended")
	}
	r.cancel(why)
	select {
	case <-r.up:
		if r.launchErr == nil {
			r.formation.Stop(why)
		}
	default:
	}
}

func (r *launched) hurry() {
	r.stop(nil)
	select {
	case <-r.up:
		if r.launchErr == nil {
			r.formation.Kill(nil)
		}
	default:
	}
}

// waitEnded waits until nothing of the formation is left.
func (r *launched) waitEnded(ctx context.Context) error {
	select {
	case <-r.up:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if r.launchErr != nil {
		return nil
	}
	r.formation.Stop(context.Cause(ctx)) // asked for already, unless it came up just now
	_, err := r.ending(ctx, nil)
	return err
}

// ending waits for the end and notes its code.
func (r *launched) ending(ctx context.Context, task *engine.Task) (formation.Ending, error) {
	ending, err := r.formation.Wait(ctx)
	if err != nil {
		return ending, err
	}
	code := ending.Code()
	r.world.mu.Lock()
	r.world.lastCode = &code
	r.world.mu.Unlock()
	r.forget()
	return ending, r.events.drain(ctx, task)
}

func (r *launched) forget() {
	r.world.mu.Lock()
	defer r.world.mu.Unlock()
	for i, other := range r.world.formations {
		if other == r {
			r.world.formations = append(r.world.formations[:i], r.world.formations[i+1:]...)
			return
		}
	}
}

func formationWait(c *engine.Call) error { return returnEnding(c, c.Self().(*launched)) }

func formationStop(c *engine.Call) error {
	r := c.Self().(*launched)
	r.formation.Stop(nil)
	return returnEnding(c, r)
}

func returnEnding(c *engine.Call, r *launched) error {
	var ending formation.Ending
	err := c.Block(func(ctx context.Context) (err error) {
		ending, err = r.ending(ctx, c.Task())
		return err
	})
	if err != nil {
		return err
	}
	return c.Return(endingTable(ending))
}

func endingTable(e formation.Ending) map[string]any {
	table := map[string]any{"code": e.Code()}
	if e.Entry != nil && e.Entry.Signal != 0 {
		table["signal"] = formation.SignalName(e.Entry.Signal)
	}
	if caught, ok := errors.AsType[*formation.Interruption](e.Cause); ok {
		table["signal"] = formation.SignalName(caught.Signal)
	}
	names := []string{}
	for _, s := range e.Stopped {
		names = append(names, s.Name)
	}
	table["stopped"] = names
	return table
}

// EventFields is an event as scripts and JSON lines show it.
func EventFields(e formation.Event) map[string]any {
	table := map[string]any{"kind": string(e.Kind), "at": e.At.Seconds()}
	set := func(key, value string) {
		if value != "" {
			table[key] = value
		}
	}
	set("member", e.Member)
	set("session_id", e.Session)
	set("url", e.URL)
	set("detail", e.Detail)
	set("workdir", e.Workdir)
	if e.PID != 0 {
		table["pid"] = e.PID
	}
	if e.Kind == formation.Exited || e.Kind == formation.Reaped {
		table["status"] = e.Status.String()
	}
	if e.Reason != nil {
		table["reason"] = e.Reason.Kind
		table["message"] = e.Reason.String()
	}
	return table
}

// callbacks calls a script's function for one thing after the other, in tasks of their own, so that a slow script
// holds up nobody. A function that fails is called no more.
type callbacks struct {
	host   *engine.Host
	fn     *lua.LFunction
	failed func(error)

	mu      sync.Mutex
	queue   []map[string]any
	busy    bool
	stopped bool
	current *engine.Task
	idle    chan struct{} // closed when the queue is empty; a new one is made when it is not
}

func newCallbacks(host *engine.Host, fn *lua.LFunction, failed func(error)) *callbacks {
	idle := make(chan struct{})
	close(idle)
	return &callbacks{host: host, fn: fn, failed: failed, idle: idle}
}

func (q *callbacks) add(argument map[string]any) {
	if q.fn == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.queue = append(q.queue, argument)
	if !q.busy {
		q.busy = true
		q.idle = make(chan struct{})
		go q.run() // ends with the queue, or when the host does
	}
}

func (q *callbacks) run() {
	for {
		q.mu.Lock()
		if len(q.queue) == 0 || q.stopped {
			q.busy, q.queue = false, nil
			close(q.idle)
			q.mu.Unlock()
			return
		}
		argument := q.queue[0]
		q.queue = q.queue[1:]
		q.mu.Unlock()
		task, err := q.host.Spawn(context.Background(), q.fn, argument)
		if err == nil {
			q.mu.Lock()
			q.current = task
			q.mu.Unlock()
			_, err = task.Wait(context.Background())
		}
		if err != nil {
			q.mu.Lock()
			q.stopped = true
			q.mu.Unlock()
			q.failed(err)
		}
	}
}

// drain waits until the function has been called for everything so far. The function itself, which task is, would
// wait for ever and does not.
func (q *callbacks) drain(ctx context.Context, task *engine.Task) error {
	q.mu.Lock()
	idle, own := q.idle, task != nil && task == q.current
	q.mu.Unlock()
	if own {
		return nil
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// callbackError is why a script is stopped when one of its callbacks failed.
type callbackError struct{ error }

func (e *callbackError) Unwrap() error { return e.error }
