package bindings

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"murlua/engine"
	"murlua/lifecycle/claim"
	"murlua/lifecycle/door"
	"murlua/lifecycle/formation"
	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/lifecycle/running"
	"murlua/lifecycle/stop"
	"murlua/platform/process"
)

// formationMember is f:member(name): what is known about one member now.
func formationMember(c *engine.Call) error {
	r := c.Self().(*launched)
	fields, err := memberFields(r.formation, c.String(1))
	if err != nil {
		return err
	}
	return c.Return(fields)
}

// memberFields never holds a token: what calls a door goes through f:send or mur.door.
func memberFields(f *formation.Formation, name string) (map[string]any, error) {
	plan := f.Plan()
	m, ok := plan.Member(name)
	if !ok {
		return nil, noMember(plan, name)
	}
	fields := map[string]any{"name": name, "entry": m.Entry}
	pid, alive := f.Running(name)
	fields["running"] = alive
	if pid != 0 {
		fields["pid"] = pid
	}
	if peer, ok := f.Peer(name); ok {
		for key, value := range map[string]string{
			"session_id": peer.Session, "url": peer.URL, "workdir": peer.Workdir, "containment": peer.Containment,
		} {
			if value != "" {
				fields[key] = value
			}
		}
	}
	return fields, nil
}

func noMember(plan formation.Plan, name string) error {
	names := make([]string, len(plan.Members))
	for i, m := range plan.Members {
		names[i] = m.Name
	}
	return &engine.Error{
		Kind: engine.KindUsage, Message: fmt.Sprintf("the formation has no member %q", name),
		Hint: "its members are " + strings.Join(names, ", "),
	}
}

// formationOutput is f:output(name): the latest lines that a member wrote.
func formationOutput(c *engine.Call) error {
	r := c.Self().(*launched)
	name := c.String(1)
	if _, ok := r.formation.Plan().Member(name); !ok {
		return noMember(r.formation.Plan(), name)
	}
	var text strings.Builder
	if log := r.formation.Log(name); log != nil {
		lines, _, _ := log.Since(0)
		for _, line := range lines {
			text.WriteString(line.Line + "\n")
		}
	}
	return c.Return(text.String())
}

// formationSend is f:send(name, text): gives a member a task and returns its answer.
func formationSend(c *engine.Call) error {
	r := c.Self().(*launched)
	name, text := c.String(1), c.String(2)
	peer, ok := r.formation.Peer(name)
	switch {
	case !ok:
		return noMember(r.formation.Plan(), name)
	case peer.URL == "":
		return &engine.Error{Kind: engine.KindUsage, Message: fmt.Sprintf("member %q is a command and has no door", name)}
	}
	client := &door.Client{URL: peer.URL, Token: peer.Token}
	var answer door.Task
	err := c.Block(func(ctx context.Context) (err error) {
		answer, err = client.Send(ctx, door.Message{Text: text})
		return err
	})
	if err != nil {
		return toScript(fmt.Errorf("cannot send a task to %q: %w", name, err))
	}
	if answer.State != door.Completed {
		return &engine.Error{
			Kind: "task_failed", Message: fmt.Sprintf("the task sent to %q ended as %s: %s", name, answer.State, answer.Text()),
			Fields: map[string]any{"task": answer.ID, "state": string(answer.State)},
		}
	}
	return c.Return(answer.Text())
}

// known is a formation of this machine, whoever launched it.
type known struct {
	id      id.Formation
	name    string // empty for none
	records []running.Record
	home    home.Home
}

var knownType = &engine.Type{
	Name: "formation", Class: "mur.KnownFormation",
	Methods: map[string]engine.Function{"stop": knownStop},
	Fields: map[string]func(any) any{
		"id":       func(v any) any { return string(v.(*known).id) },
		"name":     func(v any) any { return orNil(v.(*known).name) },
		"members":  func(v any) any { return v.(*known).members() },
		"launcher": func(v any) any { return v.(*known).launcher() },
	},
	String: func(v any) string { return "formation " + string(v.(*known).id) },
}

func (k *known) members() []map[string]any {
	return recordList(k.records, func(running.Record) bool { return true })
}

// launcher is the process that its members record as theirs; nil if none does.
func (k *known) launcher() any {
	for _, r := range k.records {
		if launcher, ok := r.Launcher(); ok {
			state := process.Inspect(launcher)
			fields := map[string]any{"pid": launcher.PID, "state": state.Kind.String()}
			if state.Reason != "" {
				fields["reason"] = state.Reason
			}
			return fields
		}
	}
	return nil
}

// knownFormations finds what runs on this machine, the newest formation first. Members that have gone do not count.
func (w *World) knownFormations() ([]*known, error) {
	h, err := w.home()
	if err != nil {
		return nil, err
	}
	records, err := running.List(h)
	if err != nil {
		return nil, err
	}
	holders, err := claim.Holders(h)
	if err != nil {
		return nil, err
	}
	names := map[id.Formation]string{}
	for _, holder := range holders {
		names[holder.Formation] = holder.Name
	}
	byID := map[id.Formation]*known{}
	var all []*known
	for _, r := range records {
		if r.FormationID == "" || running.ProcessState(r).Kind == process.Gone {
			continue
		}
		k := byID[r.FormationID]
		if k == nil {
			k = &known{id: r.FormationID, name: names[r.FormationID], home: h}
			byID[r.FormationID] = k
			all = append(all, k)
		}
		k.records = append(k.records, r)
	}
	slices.SortFunc(all, func(a, b *known) int { return strings.Compare(string(b.id), string(a.id)) })
	for _, k := range all {
		slices.SortFunc(k.records, func(a, b running.Record) int { return strings.Compare(string(a.SessionID), string(b.SessionID)) })
	}
	return all, nil
}

func (w *World) formationList(c *engine.Call) error {
	var all []*known
	err := c.Block(func(context.Context) (err error) {
		all, err = w.knownFormations()
		return err
	})
	if err != nil {
		return err
	}
	boxed := []any{}
	for _, k := range all {
		boxed = append(boxed, knownType.Box(k))
	}
	return c.Return(boxed)
}

// formationGet returns nothing for a formation of which nothing runs.
func (w *World) formationGet(c *engine.Call) error {
	wanted := c.String(1)
	if _, err := id.ParseFormation(wanted); err != nil && !id.ValidMember(wanted) {
		c.BadArgument(1, "%v, and it is no name", err)
	}
	var found *known
	err := c.Block(func(context.Context) error {
		all, err := w.knownFormations()
		for _, k := range all {
			if string(k.id) == wanted || k.name == wanted {
				found = k
			}
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case found == nil:
		return c.Return(nil, &engine.Error{Kind: "not_running", Message: fmt.Sprintf("nothing of %s is running", wanted)})
	}
	return c.Return(knownType.Box(found))
}

// knownStop stops a formation through its launcher, as `murlua stop` does.
func knownStop(c *engine.Call) error {
	k := c.Self().(*known)
	o := c.Options(1)
	grace := o.Duration("timeout", 10*time.Second)
	o.Done(false)
	var report stop.FormationReport
	err := c.Block(func(ctx context.Context) (err error) {
		report, err = stop.Formation(ctx, stop.Options{Home: k.home, Grace: grace}, k.id)
		return err
	})
	if err != nil {
		return toScript(err)
	}
	members := []map[string]any{}
	for _, m := range report.Members {
		members = append(members, map[string]any{"session_id": m.Session, "capsule": m.Capsule, "ending": m.Ending})
	}
	return c.Return(map[string]any{"formation_id": string(k.id), "signal": string(report.Launcher.Signal), "members": members})
}
