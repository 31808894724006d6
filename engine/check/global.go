package check

import (
	"maps"
	"slices"

	"github.com/yuin/gopher-lua/ast"
)

// use is one use of a global: in which block, and whether it is assigned there.
type use struct {
	in       *scope
	line     int
	assigned bool
}

// These reach globals by names that a script may compute.
var reachGlobals = []string{"getfenv", "setfenv", "load", "loadstring", "dofile"}

// missing reports globals that are used and that nothing assigns.
func (c *checker) missing() {
	if c.anyGlobalMayBe() {
		return
	}
	known := slices.Sorted(maps.Keys(c.globals))
	for _, name := range slices.Sorted(maps.Keys(c.uses)) {
		if c.globals[name] {
			continue
		}
		for _, u := range c.uses[name] {
			c.report(u.line, "global", "there is no global '%s'%s", name, meant(name, known))
		}
	}
}

// anyGlobalMayBe says whether the script assigns globals by names that it computes, or has others do it.
func (c *checker) anyGlobalMayBe() bool {
	return c.anyGlobal || c.places[anyOf("_G")] || slices.ContainsFunc(reachGlobals, func(name string) bool { return len(c.uses[name]) > 0 })
}

// assign notes that a statement assigns a variable, if that is a global.
func (c *checker) assign(target *ast.IdentExpr, s *scope) {
	if _, local := s.find(target.Value); !local {
		c.uses[target.Value] = append(c.uses[target.Value], use{in: s, line: target.Line(), assigned: true})
	}
}

// meantLocal reports globals that a block inside of a function, a loop or the like assigns before anything else, and
// that nothing outside of that block uses: tasks that run side by side overwrite them for each other.
func (c *checker) meantLocal() {
	if len(c.uses["_G"]) > 0 || c.anyGlobalMayBe() {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(c.uses)) {
		if c.elsewhere[name] {
			continue
		}
		uses := c.uses[name]
		first := uses[0]
		outside := func(u use) bool { return !u.in.within(first.in) }
		read := func(u use) bool { return !u.assigned }
		if first.assigned && first.in.above != nil && slices.ContainsFunc(uses, read) && !slices.ContainsFunc(uses, outside) {
			c.report(first.line, "global", "'%s' is a global, and used nowhere else: write local %s = …", name, name)
		}
	}
}

// within says whether a scope is another one or lies in it.
func (s *scope) within(outer *scope) bool {
	for ; s != nil; s = s.above {
		if s == outer {
			return true
		}
	}
	return false
}
