package check

import (
	"slices"

	"github.com/yuin/gopher-lua/ast"

	"murlua/stdlib/meta"
)

// expect notes what functions that are written in an argument will be called with, before they are looked into.
func (c *checker) expect(e ast.Expr, typ string) {
	switch x := e.(type) {
	case *ast.FunctionExpr:
		if signatures := c.Docs.Signatures(typ); len(signatures) == 1 {
			c.expected[x] = signatures[0]
		}
	case *ast.TableExpr:
		classes := c.optionClasses(x, typ)
		for _, entry := range x.Fields {
			key, named := entry.Key.(*ast.StringExpr)
			switch {
			case named:
				of, _ := c.fieldType(classes, key.Value)
				c.expect(entry.Value, of)
			case entry.Key == nil:
				for _, of := range c.Docs.Elements(typ) {
					c.expect(entry.Value, of)
				}
			}
		}
	}
}

// returns checks what a function returns that is given where a type says what it may.
func (c *checker) returns(f *ast.FunctionExpr, signature meta.Signature, at place) {
	eachReturn(f.Stmts, func(x *ast.ReturnStmt) {
		for i, e := range x.Exprs {
			if i >= len(signature.Returns) {
				return
			}
			typ := signature.Returns[i]
			for _, outcome := range outcomes(e) {
				if wrong := c.unreturnable(outcome, typ); wrong != "" {
					c.report(outcome.Line(), "return", "%s cannot return that: %s", at, wrong)
				}
			}
		}
	})
}

// unreturnable says why a function may not return a value. Any value is true or false, but a function is so by mistake.
func (c *checker) unreturnable(e ast.Expr, typ string) string {
	if slices.Contains(c.Docs.Alternatives(typ), "boolean") && !c.isCallable(e) {
		return ""
	}
	return c.misfit(e, typ, true)
}

// outcomes are the values that an expression with "and" and "or" may have, as far as they are written in it.
func outcomes(e ast.Expr) []ast.Expr {
	x, ok := e.(*ast.LogicalOpExpr)
	switch {
	case !ok:
		return []ast.Expr{e}
	case x.Operator == "and":
		return outcomes(x.Rhs)
	default:
		first := slices.DeleteFunc(outcomes(x.Lhs), isFalse) // then it is the other side
		return append(first, outcomes(x.Rhs)...)
	}
}

func isFalse(e ast.Expr) bool {
	switch e.(type) {
	case *ast.FalseExpr, *ast.NilExpr:
		return true
	}
	return false
}

// eachReturn visits the return statements of a function, not those of functions in it.
func eachReturn(block []ast.Stmt, visit func(*ast.ReturnStmt)) {
	for _, stmt := range block {
		switch s := stmt.(type) {
		case *ast.ReturnStmt:
			visit(s)
		case *ast.DoBlockStmt:
			eachReturn(s.Stmts, visit)
		case *ast.WhileStmt:
			eachReturn(s.Stmts, visit)
		case *ast.RepeatStmt:
			eachReturn(s.Stmts, visit)
		case *ast.IfStmt:
			eachReturn(s.Then, visit)
			eachReturn(s.Else, visit)
		case *ast.NumberForStmt:
			eachReturn(s.Stmts, visit)
		case *ast.GenericForStmt:
			eachReturn(s.Stmts, visit)
		}
	}
}

// returned checks what a script returns, as far as it shows what it is for: a plan is a table with members, and what
// `murlua sweep` takes is a function of an item and its life, or a table with one as its policy.
func (c *checker) returned(list []ast.Expr, s *scope) {
	typ, function := "", ""
	if len(list) > 0 {
		switch x := list[0].(type) {
		case *ast.TableExpr:
			if entryOf(x, "members") != nil {
				typ, function = "mur.Plan", launcher
			} else if policy, ok := entryOf(x, "policy").(*ast.FunctionExpr); ok && decidesOnItems(policy) {
				typ, function = "mur.SweepOptions", "mur.sweep.run"
			}
		case *ast.FunctionExpr:
			if decidesOnItems(x) {
				typ, function = "mur.SweepPolicy", "murlua sweep"
			}
		}
	}
	if typ == "" {
		c.all(list, s)
		return
	}
	c.expect(list[0], typ)
	c.all(list, s)
	at := place{function: function}
	if typ == "mur.SweepPolicy" {
		at.path = "policy"
	}
	c.given(list[0], typ, false, at)
	if function == launcher {
		c.plan(list[0].(*ast.TableExpr))
	}
}

// decidesOnItems recognises a sweep's policy by the names of its parameters.
func decidesOnItems(f *ast.FunctionExpr) bool {
	return slices.Equal(f.ParList.Names, []string{"item", "live"})
}
