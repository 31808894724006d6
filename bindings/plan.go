package bindings

import (
	"path/filepath"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine"
	"murlua/lifecycle/formation"
	"murlua/lifecycle/id"
	"murlua/lifecycle/roster"
)

// planned is a plan as a script wrote it: what is to be launched, how, and what only the script knows.
type planned struct {
	plan    formation.Plan
	options formation.Options
	onEvent *lua.LFunction
	attach  bool              // whether others may attach to the script
	workdir string            // the command's
	ready   map[string]string // what each member's own policy waits for, in words
	retain  *roster.Retain    // which ended formations of the project are kept; nil keeps all
}

var planType = &engine.Type{
	Name: "plan", Class: "mur.FormationPlan",
	Fields: map[string]func(any) any{
		"name":    func(v any) any { return orNil(v.(*planned).plan.Name) },
		"members": func(v any) any { return v.(*planned).view().Members },
		"order":   func(v any) any { return v.(*planned).view().Order },
	},
	String: func(v any) string { return "plan of " + plural(len(v.(*planned).plan.Members), "member") },
}

// formationPlan checks a plan without starting anything.
func (w *World) formationPlan(c *engine.Call) error {
	p, err := w.readPlan(c)
	if err != nil {
		return err
	}
	if err := p.plan.Check(); err != nil {
		return err
	}
	return c.Return(planType.Box(p))
}

// readPlan reads the first argument, a plan or the table that describes one, and makes the choice of members that
// the command line asks for.
func (w *World) readPlan(c *engine.Call) (*planned, error) {
	p, ok := engine.Unbox(c.Get(1), planType)
	read, _ := p.(*planned)
	if !ok {
		read = w.readPlanTable(c)
	}
	chosen, err := read.plan.Select(w.Only, w.Except)
	if err != nil {
		return nil, err
	}
	choice := *read
	choice.plan = chosen
	return &choice, nil
}

func (w *World) readPlanTable(c *engine.Call) *planned {
	o := c.Options(1)
	o.Required("members")
	p := &planned{workdir: w.Workdir, ready: map[string]string{}}
	p.plan.Name = readName(o)
	if o.Has("task") {
		task := o.String("task", "")
		p.options.Task = &task
	}
	p.options.ReadyWithin = o.Duration("ready_within", 0)
	p.options.Grace = o.Duration("grace", 0)
	p.onEvent = o.Function("on_event")
	p.attach = o.Bool("attach", true)
	members := c.Options(1).Nested("members", o.Table("members"))
	o.Done(false)
	if table := o.Table("members"); table != nil {
		table.ForEach(func(key, _ lua.LValue) {
			if name, ok := key.(lua.LString); ok {
				o.Bad("members", "it is a list and has no '%s'; write members = { { name = %q, … } }", string(name), string(name))
			}
		})
	}
	for i := 1; i <= members.Len(); i++ {
		table, ok := members.At(i).(*lua.LTable)
		if !ok {
			o.Bad("members", "element %d is not a table", i)
		}
		p.plan.Members = append(p.plan.Members, w.readMember(c, p, o.Nested("members["+lua.LNumber(i).String()+"]", table)))
	}
	return p
}

// readName is the formation's name, "" when none is given.
func readName(o *engine.OptionTable) string {
	name := o.String("name", "")
	if o.Has("name") && !id.ValidMember(name) {
		o.Bad("name", "%q is not a lower-case letter and up to 31 more of a-z, 0-9 and -", name)
	}
	return name
}

// orNil is a text that scripts see as nil when there is none.
func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func (w *World) readMember(c *engine.Call, p *planned, o *engine.OptionTable) formation.Member {
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
	w.readSupervision(c, o, &m)
	policy, describe, err := w.readyPolicy(c, o.Get("ready"))
	if err != nil {
		o.Bad("ready", "%s", withoutPlace(err))
	}
	if policy != nil {
		m.Ready, p.ready[m.Name] = policy, describe
	}
	o.Done(false)
	return m
}
