package check

import (
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
			switch x := target.(type) {
			case *ast.IdentExpr:
				c.assign(x, s)
			case *ast.AttrGetExpr: // what is assigned need not be there
				c.operand(x.Object, s)
				c.expression(x.Key, s)
			}
		}
	case *ast.LocalAssignStmt:
		c.local(x, s)
	case *ast.FuncCallStmt:
		c.expression(x.Expr, s)
	case *ast.DoBlockStmt:
		c.block(x.Stmts, s)
	case *ast.WhileStmt:
		c.condition(x.Condition, s)
		c.block(x.Stmts, s)
	case *ast.RepeatStmt:
		c.condition(x.Condition, c.block(x.Stmts, s))
	case *ast.IfStmt:
		c.condition(x.Condition, s)
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
		c.block(x.Stmts, c.loop(x, s))
	case *ast.FuncDefStmt:
		self := s
		if x.Name.Receiver != nil {
			c.expression(x.Name.Receiver, s)
			self = s.with("self")
		}
		switch name := x.Name.Func.(type) {
		case *ast.IdentExpr:
			c.assign(name, s)
		case *ast.AttrGetExpr:
			c.expression(name.Object, s)
		}
		c.function(x.Func, self)
	case *ast.ReturnStmt:
		if c.functions == 0 {
			c.returned(x.Exprs, s)
		} else {
			c.all(x.Exprs, s)
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
			if table, ok := expr.(*ast.TableExpr); ok && entryOf(table, "members") != nil {
				c.plans = append(c.plans, named{x.Names[i], table.Line()})
			}
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
	inner := s.with(names...)
	for i, param := range c.expected[f].Params {
		if i < len(f.ParList.Names) && c.assigned[names[i]] == 0 {
			inner.names[names[i]] = c.typed(param.Type)
		}
	}
	c.functions++
	c.block(f.Stmts, inner)
	c.functions--
}

// loop checks what a loop goes over, and is the scope of its variables.
func (c *checker) loop(x *ast.GenericForStmt, s *scope) *scope {
	inner := s.with(x.Names...)
	for i, e := range x.Exprs {
		v := c.expression(e, s)
		at := 0
		switch {
		case i > 0:
			continue
		case v.kind == isFunction && len(c.Docs.Signatures(v.fn.Returned())) > 0:
			c.uncalled(e) // it makes the iterator
		case v.kind == isPairs:
			at = 1
			fallthrough
		case v.kind == isIterator:
			if at < len(x.Names) && c.assigned[x.Names[at]] == 0 {
				inner.names[x.Names[at]] = c.typed(v.typ)
			}
		}
	}
	return inner
}

func (c *checker) all(list []ast.Expr, s *scope) {
	for _, e := range list {
		c.expression(e, s)
	}
}

// name checks a use of a variable.
func (c *checker) name(e *ast.IdentExpr, s *scope) value {
	if v, ok := s.find(e.Value); ok {
		c.read[e.Value] = true
		return v
	}
	c.uses[e.Value] = append(c.uses[e.Value], use{in: s, line: e.Line()})
	if !c.globals[e.Value] || c.assigned[e.Value] > 0 {
		return value{}
	}
	switch e.Value {
	case "require":
		return value{kind: isRequire}
	}
	if c.Libraries[e.Value] != nil {
		return value{kind: isLibrary, name: e.Value}
	}
	return value{kind: isPlain, name: e.Value}
}
