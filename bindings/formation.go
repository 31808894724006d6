package bindings

import (
	"context"
	"errors"

	"murlua/engine"
	"murlua/lifecycle/formation"
	"murlua/lifecycle/id"
	"murlua/platform/contain"
)

func (w *World) formationModule() engine.Module {
	return engine.Module{
		Name: "formation",
		Doc:  "start groups of processes all-or-nothing, and end them",
		Functions: map[string]engine.Function{
			"launch": w.launch, "plan": w.formationPlan, "list": w.formationList, "get": w.formationGet,
			"roster": w.formationRoster,
		},
	}
}

// errPlanShown ends a script whose plan was to be shown, not launched.
var errPlanShown = errors.New("the plan was shown")

var formationType = &engine.Type{
	Name: "formation", Class: "mur.Formation",
	Methods: map[string]engine.Function{
		"wait": formationWait, "stop": formationStop, "member": formationMember, "send": formationSend, "output": formationOutput,
	},
	Fields: map[string]func(any) any{
		"id":   func(v any) any { return string(v.(*launched).formation.ID()) },
		"name": func(v any) any { return orNil(v.(*launched).formation.Plan().Name) },
	},
	String: func(v any) string { return "formation " + string(v.(*launched).formation.ID()) },
}

// launch starts the members and the entry. It waits in a goroutine of its own, so that a stopped script comes back
// at once; what then remains of the launch is ended when the host is closed.
func (w *World) launch(c *engine.Call) error {
	p, err := w.readPlan(c)
	if err != nil {
		return err
	}
	if w.ShowPlan != nil {
		if err := p.check(); err != nil {
			return err
		}
		w.ShowPlan(p.view())
		c.Task().Stop(errPlanShown)
		return c.Block(func(ctx context.Context) error { return context.Cause(ctx) })
	}
	options := p.options
	h, err := w.home()
	if err != nil {
		return err
	}
	options.ID, options.Home, options.Environ = id.NewFormation(), h, w.Environ
	if options.ProjectDir == "" {
		options.ProjectDir = w.Workdir
	}
	options.Executable, options.MurBinary = w.Executable, w.MurBinary
	options.Keeper = w.keeperFor(c.Host())
	options.EntryStdout, options.EntryStderr = w.Stdout, w.Stderr
	options.Relay, options.Warn = w.Relay, w.Warn

	if !p.attach {
		w.refuseGuests()
	}
	r := newLaunched(w, c, p.onEvent)
	options.OnEvent = r.event
	r.start(p.plan, options)
	err = c.Block(func(ctx context.Context) error {
		select {
		case <-r.up:
			return r.launchErr
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	w.retain(c, options, p.retain)
	if err != nil {
		return toScript(err)
	}
	return c.Return(formationType.Box(r))
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
	members := map[string]any{}
	for _, m := range e.Members {
		fields := map[string]any{"pid": m.PID, "status": m.Status.String(), "code": m.Status.ExitCode(), "rung": m.Stop.Rung}
		for key, left := range map[string][]contain.Process{"escaped": m.Stop.Escaped, "killed": m.Stop.Killed, "survivors": m.Stop.Survivors} {
			if len(left) > 0 {
				fields[key] = texts(left)
			}
		}
		members[m.Name] = fields
	}
	table["processes"] = members
	return table
}

func texts(processes []contain.Process) []string {
	all := make([]string, len(processes))
	for i, p := range processes {
		all[i] = p.String()
	}
	return all
}

// EventFields is an event as scripts and JSON lines show it.
func EventFields(e formation.Event) map[string]any {
	table := map[string]any{"kind": string(e.Kind), "at": e.Seconds()}
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
	set("containment", e.Containment)
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
