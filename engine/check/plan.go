package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"murlua/engine"
)

// launcher is the function that a recipe's plan is for: `murlua run` gives it the table that a recipe returns.
const launcher = "mur.formation.launch"

// recipe checks what a script returns, if that is a plan: a table with members, written as such.
func (c *checker) recipe(returned []ast.Expr) {
	if len(returned) == 0 {
		return
	}
	if table, ok := returned[0].(*ast.TableExpr); ok && entryOf(table, "members") != nil {
		c.optionTable(table, "mur.Plan", launcher, "")
		c.plan(table, launcher)
	}
}

// written is a member as far as it is written literally.
type written struct {
	name, place string
	line        int
	after       []string
}

// plan checks what the members of a plan say of each other. Those that a script computes may have any name.
func (c *checker) plan(table *ast.TableExpr, function string) {
	list, ok := entryOf(table, "members").(*ast.TableExpr)
	if !ok {
		return
	}
	var members []written
	computed := false
	tables := map[int]*ast.TableExpr{} // by the index in members
	for i, element := range list.Fields {
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
		members = append(members, written{name: name.Value, place: fmt.Sprintf("members[%d]", i+1), line: name.Line()})
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
		c.lists(tables[i], m.place, function)
		m.after = c.others(tables[i], "after", "starts after", *m, known, computed)
		c.others(tables[i], "calls", "calls", *m, known, computed)
	}
	c.cycle(members)
}

// lists reports the lists of a member that are written as one string.
func (c *checker) lists(member *ast.TableExpr, place, function string) {
	for _, key := range []string{"command", "after", "calls", "unset"} {
		if text, ok := entryOf(member, key).(*ast.StringExpr); ok {
			c.report(text.Line(), "option", "bad option '%s.%s' of '%s': table expected, got string; write %s = %s",
				place, key, function, key, engine.AsList(key, text.Value))
		}
	}
}

// others returns the members that a member names under a key, and reports those that are not there.
func (c *checker) others(member *ast.TableExpr, key, verb string, m written, known []string, computed bool) (names []string) {
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

// cycle reports members that start after each other, at the first of them.
func (c *checker) cycle(members []written) {
	at := map[string]written{}
	for _, m := range members {
		at[m.name] = m
	}
	left := map[string]bool{}
	var visit func(name string, path []string) bool
	visit = func(name string, path []string) bool {
		if i := slices.Index(path, name); i >= 0 {
			c.report(at[name].line, "plan", "members wait for each other: %s", strings.Join(append(path[i:], name), " → "))
			return true
		}
		if left[name] {
			return false
		}
		left[name] = true
		for _, before := range at[name].after {
			if visit(before, append(slices.Clone(path), name)) {
				return true
			}
		}
		return false
	}
	for _, m := range members {
		if visit(m.name, nil) {
			return
		}
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
