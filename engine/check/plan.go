package check

import (
	"slices"

	"github.com/yuin/gopher-lua/ast"
)

// launcher is the function that a recipe's plan is for: `murlua run` gives it the table that a recipe returns.
const launcher = "mur.formation.launch"

// named is a plan that a variable holds.
type named struct {
	name string
	line int
}

// unused reports plans that nothing is done with.
func (c *checker) unused() {
	for _, plan := range c.plans {
		if !c.read[plan.name] {
			c.report(plan.line, "plan", "nothing uses the plan '%s': return it, or give it to %s", plan.name, launcher)
		}
	}
}

// planned is a member as far as it is written literally.
type planned struct {
	name  string
	line  int
	after []string
}

// plan checks what the members of a plan say of each other. Those that a script computes may have any name.
func (c *checker) plan(table *ast.TableExpr) {
	list, ok := entryOf(table, "members").(*ast.TableExpr)
	if !ok {
		return
	}
	var members []planned
	computed := false
	tables := map[int]*ast.TableExpr{} // by the index in members
	for _, element := range list.Fields {
		member, literal := element.Value.(*ast.TableExpr)
		if element.Key != nil || !literal {
			computed = true
			continue
		}
		name, literal := entryOf(member, "name").(*ast.StringExpr)
		if !literal {
			computed = true
			name = &ast.StringExpr{}
			name.SetLine(member.Line())
		}
		tables[len(members)] = member
		members = append(members, planned{name: name.Value, line: name.Line()})
	}
	known := make([]string, 0, len(members))
	for _, m := range members {
		if m.name != "" && slices.Contains(known, m.name) {
			c.report(m.line, "plan", "two members are named '%s'", m.name)
		}
		known = append(known, m.name)
	}
	for i := range members {
		m := &members[i]
		m.after = c.others(tables[i], "after", "starts after", *m, known, computed)
		c.others(tables[i], "calls", "calls", *m, known, computed)
	}
	c.circle(members)
}

// others returns the members that a member names under a key, and reports those that are not there.
func (c *checker) others(member *ast.TableExpr, key, verb string, m planned, known []string, computed bool) (names []string) {
	list, ok := entryOf(member, key).(*ast.TableExpr)
	if !ok {
		return nil
	}
	for _, element := range list.Fields {
		name, ok := element.Value.(*ast.StringExpr)
		if !ok || element.Key != nil {
			continue
		}
		names = append(names, name.Value)
		if !computed && !slices.Contains(known, name.Value) {
			others := slices.DeleteFunc(slices.Clone(known), func(one string) bool { return one == m.name })
			c.report(name.Line(), "plan", "member '%s' %s '%s', which is not a member%s", m.name, verb, name.Value, meant(name.Value, others))
		}
	}
	return names
}

// circle reports members that start after each other, at the first of them.
func (c *checker) circle(members []planned) {
	if c.Circle == nil {
		return
	}
	at, names := map[string]planned{}, make([]string, len(members))
	for i, m := range members {
		at[m.name], names[i] = m, m.name
	}
	if first, sentence := c.Circle(names, func(name string) []string { return at[name].after }); sentence != "" {
		c.report(at[first].line, "plan", "%s", sentence)
	}
}

// entryOf returns what a table that is written down has under a key; nil when nothing certain. The last one counts.
func entryOf(table *ast.TableExpr, key string) (found ast.Expr) {
	for _, entry := range table.Fields {
		if name, ok := entry.Key.(*ast.StringExpr); ok && name.Value == key {
			found = entry.Value
		}
	}
	return found
}
