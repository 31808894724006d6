package check

import "github.com/yuin/gopher-lua/ast"

// declare notes what the script assigns, before anything is checked: a function may use a global that is assigned
// further down.
func (c *checker) declare(block []ast.Stmt) {
	walkStatements(block, func(stmt ast.Stmt) {
		switch s := stmt.(type) {
		case *ast.AssignStmt:
			for _, target := range s.Lhs {
				c.assigns(target)
			}
		case *ast.FuncDefStmt:
			if s.Name.Func != nil {
				c.assigns(s.Name.Func)
			}
			if s.Name.Receiver != nil {
				c.fields[s.Name.Method] = true
			}
		case *ast.FuncCallStmt:
			c.insertion(s.Expr)
		}
	})
}

func (c *checker) assigns(target ast.Expr) {
	switch x := target.(type) {
	case *ast.IdentExpr:
		c.assigned[x.Value]++
		c.globals[x.Value] = true
	case *ast.AttrGetExpr:
		c.places[written(x)] = true
		key, ok := x.Key.(*ast.StringExpr)
		if !ok {
			return
		}
		c.fields[key.Value] = true
		if object, ok := x.Object.(*ast.IdentExpr); ok && object.Value == "_G" {
			c.globals[key.Value] = true
		}
	}
}

// insertion notes a call that puts something into a table, under a key that need not be written out.
func (c *checker) insertion(e ast.Expr) {
	call, ok := e.(*ast.FuncCallExpr)
	if !ok || call.Func == nil || len(call.Args) < 2 {
		return
	}
	if name := written(call.Func); name == "table.insert" || name == "rawset" {
		c.places[anyOf(written(call.Args[0]))] = true
	}
}

// anyOf is how an element under a computed key is written.
func anyOf(table string) string { return table + "[…]" }
