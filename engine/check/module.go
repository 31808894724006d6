package check

import (
	"maps"
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

// requiresOwn adds the globals that a module of the script's own assigns.
func (c *checker) requiresOwn(name string) {
	if c.own[name] {
		return
	}
	c.own[name] = true
	source, found := "", false
	if c.Module != nil {
		source, found = c.Module(name)
	}
	module := newChecker(name, c.Surface)
	module.own = c.own
	if !found || module.walk(source) != nil || module.anyGlobalMayBe() {
		c.anyGlobal = true
	}
	maps.Copy(c.globals, module.globals)
	maps.Copy(c.elsewhere, module.elsewhere)
	for used := range module.uses {
		c.elsewhere[used] = true
	}
}

// mayRequire is for a require that may fail: nothing is known of what it gives.
func (c *checker) mayRequire(args []ast.Expr) {
	var name *ast.StringExpr
	if len(args) > 0 {
		name, _ = args[0].(*ast.StringExpr)
	}
	switch {
	case name == nil:
		c.anyGlobal = true
	case name.Value == "mur", strings.HasPrefix(name.Value, "mur."), c.Libraries[name.Value] != nil:
	default:
		c.requiresOwn(name.Value)
	}
}
