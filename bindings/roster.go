package bindings

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"murlua/engine"
	"murlua/lifecycle/formation"
	"murlua/lifecycle/roster"
	"murlua/lifecycle/sweep"
)

// formationRoster admits a murmur project's roster and returns its plan.
func (w *World) formationRoster(c *engine.Call) error {
	project, o := c.OptString(1, "."), c.Options(2)
	p := &planned{workdir: w.Workdir, ready: map[string]string{}}
	if o.Has("task") {
		task := o.String("task", "")
		p.options.Task = &task
	}
	p.options.ReadyWithin, p.options.Grace = o.Duration("ready_within", 0), o.Duration("grace", 0)
	p.onEvent, p.attach = o.Function("on_event"), o.Bool("attach", true)
	name := readName(o)
	o.Done(false)
	if !filepath.IsAbs(project) {
		project = filepath.Join(w.Workdir, project)
	}
	h, err := w.home()
	if err != nil {
		return err
	}
	var admitted *roster.Admitted
	err = c.Block(func(context.Context) (err error) {
		admitted, err = roster.Admit(project, h)
		return err
	})
	if err != nil {
		return toScript(err)
	}
	for _, warning := range admitted.Warnings {
		if w.Warn != nil {
			w.Warn(warning)
		}
	}
	p.plan, p.options.ProjectDir, p.retain = formation.PlanOf(admitted), admitted.Project, admitted.Retain
	p.plan.Name = name
	return c.Return(planType.Box(p))
}

// retain removes the directories of formations that a project does not keep, after each of its launches, whether that
// came up or not. What cannot be removed is worth a warning.
func (w *World) retain(c *engine.Call, launched formation.Options, keep *roster.Retain) {
	if keep == nil {
		return
	}
	var removed []sweep.Removed
	err := c.Block(func(ctx context.Context) (err error) {
		removed, err = sweep.Retain(ctx, launched.Home, sweep.Retention{
			Project: launched.ProjectDir, Current: launched.ID, MaxSessions: keep.MaxSessions, MaxAge: keep.MaxAge,
		})
		return err
	})
	for _, r := range removed {
		if w.Relay != nil {
			_, _ = fmt.Fprintf(w.Relay, "[murlua] retention: removed formation %s (%s)\n", r.Formation, r.Reason)
		}
	}
	if err != nil && w.Warn != nil {
		w.Warn(fmt.Sprintf("retention: %v", err))
	}
}

// rosterError gives the refusal of a roster its kind and its code.
func rosterError(err error) error {
	refusal, ok := errors.AsType[*roster.Refusal](err)
	if !ok {
		return err
	}
	return &engine.Error{Kind: "roster", Message: refusal.Error(), Hint: refusal.Hint(), Cause: err, Fields: map[string]any{"code": refusal.Code()}}
}
