package bindings

import (
	"context"
	"slices"
	"time"

	"murlua/engine"
	"murlua/lifecycle/home"
	"murlua/lifecycle/sweep"
)

// sweepModule holds what stdlib/sweep.lua needs of the system; scripts see only what that offers.
func (w *World) sweepModule() engine.Module {
	return engine.Module{
		Name: "sweep", Doc: "end and remove what was left behind",
		Functions: map[string]engine.Function{
			"find": w.sweepFind, "act": w.sweepAct, "actions": sweepActions, "check": checkOptions, "error": newError, "canonical": w.canonical,
			"where": whereOf, "columns": columnsOf,
		},
	}
}

// found is what one sweep looks at. Scripts get tables that describe the items; what is done is done to these.
type found struct {
	home  home.Home
	items []sweep.Item
}

var foundType = &engine.Type{Name: "found items"}

// sweepFind is find(kinds): what was found, and the tables that describe it.
func (w *World) sweepFind(c *engine.Call) error {
	var kinds []sweep.Kind
	for _, name := range c.Strings(1) {
		kind := sweep.Kind(name)
		if !slices.Contains(sweep.Kinds, kind) {
			c.BadArgument(1, "one of %v expected, got %q", sweep.Kinds, name)
		}
		kinds = append(kinds, kind)
	}
	h, err := w.home()
	if err != nil {
		return err
	}
	f := &found{home: h}
	err = c.Block(func(ctx context.Context) (err error) {
		others := slices.DeleteFunc(slices.Clone(kinds), func(kind sweep.Kind) bool { return kind == sweep.Scratch })
		if len(kinds) == 0 || len(others) > 0 {
			if f.items, err = sweep.Find(ctx, h, others); err != nil {
				return err
			}
		}
		if len(kinds) == 0 || len(others) < len(kinds) {
			var folders []sweep.Item
			folders, err = sweep.FindScratch(w.temp())
			f.items = append(f.items, folders...)
		}
		return err
	})
	if err != nil {
		return err
	}
	w.sweeping(false)
	tables := make([]map[string]any, len(f.items))
	for i, item := range f.items {
		tables[i] = itemFields(item)
	}
	return c.Return(foundType.Box(f), tables)
}

func (w *World) sweeping(acts bool) {
	if w.OnSweep != nil {
		w.OnSweep(acts)
	}
}

// itemFields is an item as scripts see it.
func itemFields(item sweep.Item) map[string]any {
	fields := map[string]any{}
	if item.Kind == sweep.Record {
		fields = RecordFields(item.Record)
	}
	fields["kind"], fields["id"], fields["path"] = string(item.Kind), item.ID, item.Path
	live := map[string]any{"state": string(item.State)}
	if item.Reason != "" {
		live["reason"] = item.Reason
	}
	fields["live"] = live
	if item.Name != "" {
		fields["name"] = item.Name
	}
	if !item.Since.IsZero() {
		fields["age"] = time.Since(item.Since).Seconds()
	}
	switch item.Kind {
	case sweep.Formation:
		fields["formation_id"] = item.ID
		fields["members"] = append([]string{}, item.Members...)
		if item.Marker.ProjectDir != "" {
			fields["project_dir"], fields["launcher_pid"], fields["rank"] = item.Marker.ProjectDir, item.Marker.LauncherPID, item.Rank
		}
	case sweep.Cgroup, sweep.Tracked:
		pids := make([]int, len(item.Procs))
		for i, p := range item.Procs {
			pids[i] = p.PID
		}
		fields["pids"], fields["processes"] = pids, processList(item.Procs)
	}
	return fields
}

// sweepActions is actions(kind).
func sweepActions(c *engine.Call) error {
	names := []string{}
	for _, action := range sweep.Actions(sweep.Kind(c.String(1))) {
		names = append(names, string(action))
	}
	return c.Return(names)
}

// sweepAct is act(found, index, action, grace): what came of it.
func (w *World) sweepAct(c *engine.Call) error {
	f := c.Object(1, foundType).(*found)
	index, action, grace := c.Int(2), sweep.Action(c.String(3)), c.OptDuration(4, sweep.DefaultGrace)
	if index < 1 || index > len(f.items) {
		c.BadArgument(2, "there is no item %d", index)
	}
	w.sweeping(true)
	did := ""
	err := c.Block(func(ctx context.Context) (err error) {
		did, err = sweep.Act(ctx, f.home, f.items[index-1], action, grace)
		return err
	})
	if err != nil {
		return err
	}
	return c.Return(did)
}

// canonical is canonical(path): the one form in which project folders are compared.
func (w *World) canonical(c *engine.Call) error {
	path := w.path(c.String(1))
	err := c.Block(func(context.Context) error {
		path = canonicalPath(path)
		return nil
	})
	if err != nil {
		return err
	}
	return c.Return(path)
}
