package bindings

import (
	"context"
	"errors"
	"path/filepath"

	"murlua/engine"
	"murlua/lifecycle/formation"
	"murlua/lifecycle/roster"
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
	p.plan, p.options.ProjectDir = formation.PlanOf(admitted), admitted.Project
	return c.Return(planType.Box(p))
}

// rosterError gives the refusal of a roster its kind and its code.
func rosterError(err error) error {
	refusal, ok := errors.AsType[*roster.Refusal](err)
	if !ok {
		return err
	}
	return &engine.Error{Kind: "roster", Message: refusal.Error(), Hint: refusal.Hint(), Cause: err, Fields: map[string]any{"code": refusal.Code()}}
}
