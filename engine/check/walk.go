package check

import (
	"maps"
	"slices"

	"github.com/yuin/gopher-lua/ast"
)

// scope is the local variables of a block and what is known of their values.
type scope struct {
	above *scope
	names map[string]value
}

func (s *scope) find(name string) (value, bool) {
	for ; s != nil; s = s.above {
		if v, ok := s.names[name]; ok {
			return v, true
		}
	}
	return value{}, false
}

// declare notes which names the script assigns, before anything is checked: a function may use a global that is
// assigned further down.
func (c *checker) declare(block []ast.Stmt) {
	walkStatements(block, func(stmt ast.Stmt) {
		switch s := stmt.(type) {
		case *ast.AssignStmt:
			for _, target := range s.Lhs {
				if name, ok := target.(*ast.IdentExpr); ok {
					c.assigned[name.Value]++
					c.globals[name.Value] = true
				}
			}
		case *ast.FuncDefStmt:
			if name, ok := s.Name.Func.(*ast.IdentExpr); ok {
				c.assigned[name.Value]++
				c.globals[name.Value] = true
			}
		}
	})
}

func (c *checker) block(block []ast.Stmt, above *scope) *scope {
	s := &scope{above: above, names: map[string]value{}}
	for _, stmt := range block {
		c.statement(stmt, s)
	}
	return s
}

func (c *checker) statement(stmt ast.Stmt, s *scope) {
	switch x := stmt.(type) {
	case *ast.AssignStmt:
		c.all(x.Rhs, s)
		for _, target := range x.Lhs {
			if field, ok := target.(*ast.AttrGetExpr); ok { // what is assigned need not be there
				c.expression(field.Object, s)
				c.expression(field.Key, s)
			}
		}
	case *ast.LocalAssignStmt:
		c.local(x, s)
	case *ast.FuncCallStmt:
		c.expression(x.Expr, s)
	case *ast.DoBlockStmt:
		c.block(x.Stmts, s)
	case *ast.WhileStmt:
		c.expression(x.Condition, s)
		c.block(x.Stmts, s)
	case *ast.RepeatStmt:
		c.expression(x.Condition, c.block(x.Stmts, s))
	case *ast.IfStmt:
		c.expression(x.Condition, s)
		c.block(x.Then, s)
		c.block(x.Else, s)
	case *ast.NumberForStmt:
		c.expression(x.Init, s)
		c.expression(x.Limit, s)
		if x.Step != nil {
			c.expression(x.Step, s)
		}
		c.block(x.Stmts, s.with(x.Name))
	case *ast.GenericForStmt:
		c.all(x.Exprs, s)
		c.block(x.Stmts, s.with(x.Names...))
	case *ast.FuncDefStmt:
		self := s
		if x.Name.Receiver != nil {
			c.expression(x.Name.Receiver, s)
			self = s.with("self")
		} else if field, ok := x.Name.Func.(*ast.AttrGetExpr); ok {
			c.expression(field.Object, s)
		}
		c.function(x.Func, self)
	case *ast.ReturnStmt:
		c.all(x.Exprs, s)
		if c.functions == 0 {
			c.recipe(x.Exprs)
		}
	}
}

// with is a scope with further names, of which nothing is known.
func (s *scope) with(names ...string) *scope {
	inner := &scope{above: s, names: map[string]value{}}
	for _, name := range names {
		inner.names[name] = value{}
	}
	return inner
}

func (c *checker) local(x *ast.LocalAssignStmt, s *scope) {
	if len(x.Exprs) == 1 {
		if _, ok := x.Exprs[0].(*ast.FunctionExpr); ok && len(x.Names) == 1 {
			s.names[x.Names[0]] = value{} // it may call itself
		}
	}
	values := make([]value, len(x.Names))
	for i, expr := range x.Exprs {
		v := c.expression(expr, s)
		if i < len(values) {
			values[i] = v
		}
	}
	for i, name := range x.Names {
		if c.assigned[name] > 0 {
			values[i] = value{}
		}
		s.names[name] = values[i]
	}
}

func (c *checker) function(f *ast.FunctionExpr, s *scope) {
	names := slices.Clone(f.ParList.Names)
	if f.ParList.HasVargs {
		names = append(names, "arg")
	}
	c.functions++
	c.block(f.Stmts, s.with(names...))
	c.functions--
}

func (c *checker) all(list []ast.Expr, s *scope) {
	for _, e := range list {
		c.expression(e, s)
	}
}

// name checks a use of a variable.
func (c *checker) name(e *ast.IdentExpr, s *scope) value {
	if v, ok := s.find(e.Value); ok {
		return v
	}
	if !c.globals[e.Value] {
		known := slices.Collect(maps.Keys(c.globals))
		slices.Sort(known)
		c.report(e.Line(), "global", "there is no global '%s'%s", e.Value, meant(e.Value, known))
		return value{}
	}
	if c.assigned[e.Value] > 0 {
		return value{}
	}
	switch e.Value {
	case "require":
		return value{kind: isRequire}
	}
	if c.Libraries[e.Value] != nil {
		return value{kind: isLibrary, name: e.Value}
	}
	return value{}
}
