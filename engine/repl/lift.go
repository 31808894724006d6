package repl

import "github.com/yuin/gopher-lua/ast"

// localsName is the hidden local that holds the session's locals. No script can write it: it is not a name.
const localsName = "(locals)"

// lift makes the locals that a chunk declares at its top fields of the session's table of locals, and everything
// that refers to them, or to those of earlier chunks, an access to that table. known are the names of earlier
// chunks; those the chunk adds are put into it. Declarations inside of blocks and functions stay as they are.
func lift(chunk []ast.Stmt, known map[string]bool) []ast.Stmt {
	l := lifter{known: known}
	for i, stmt := range chunk {
		if local, ok := stmt.(*ast.LocalAssignStmt); ok {
			chunk[i] = l.declare(local)
			continue
		}
		l.statement(stmt)
	}
	return chunk
}

// enclose puts the chunk into a function that is returned by one that takes the table of locals.
func enclose(chunk []ast.Stmt) []ast.Stmt {
	last := 1
	if len(chunk) > 0 {
		last = chunk[len(chunk)-1].LastLine()
	}
	function := &ast.FunctionExpr{ParList: &ast.ParList{HasVargs: true, Names: []string{}}, Stmts: chunk}
	place(function, 1, last)
	all := &ast.Comma3Expr{}
	place(all, 1, 1)
	declare := &ast.LocalAssignStmt{Names: []string{localsName}, Exprs: []ast.Expr{all}}
	place(declare, 1, 1)
	result := &ast.ReturnStmt{Exprs: []ast.Expr{function}}
	place(result, 1, last)
	return []ast.Stmt{declare, result}
}

func place(node ast.PositionHolder, line, last int) {
	node.SetLine(line)
	node.SetLastLine(last)
}

type lifter struct {
	known  map[string]bool
	scopes []map[string]bool // names of the blocks and functions we are inside of
}

// declare turns a local statement at the top into an assignment.
func (l *lifter) declare(local *ast.LocalAssignStmt) ast.Stmt {
	// In `local function f` the name is known inside, which the parser writes as a function for one name.
	if len(local.Names) == 1 && len(local.Exprs) == 1 {
		if _, ok := local.Exprs[0].(*ast.FunctionExpr); ok {
			l.known[local.Names[0]] = true
		}
	}
	l.expressions(local.Exprs)
	assign := &ast.AssignStmt{Rhs: local.Exprs}
	place(assign, local.Line(), local.LastLine())
	for _, name := range local.Names {
		l.known[name] = true
		assign.Lhs = append(assign.Lhs, field(name, local))
	}
	if len(assign.Rhs) == 0 {
		nothing := &ast.NilExpr{}
		place(nothing, local.Line(), local.LastLine())
		assign.Rhs = []ast.Expr{nothing}
	}
	return assign
}

// field is the access to a lifted local, at the place of a node.
func field(name string, at ast.PositionHolder) ast.Expr {
	table := &ast.IdentExpr{Value: localsName}
	key := &ast.StringExpr{Value: name}
	access := &ast.AttrGetExpr{Object: table, Key: key}
	for _, node := range []ast.PositionHolder{table, key, access} {
		place(node, at.Line(), at.LastLine())
	}
	return access
}

func (l *lifter) isLifted(name string) bool {
	for _, scope := range l.scopes {
		if scope[name] {
			return false
		}
	}
	return l.known[name]
}

// block walks statements with a scope of their own, in which names are declared from the start.
func (l *lifter) block(stmts []ast.Stmt, names ...string) {
	l.within(names, func() { l.statements(stmts) })
}

func (l *lifter) within(names []string, walk func()) {
	scope := map[string]bool{}
	for _, name := range names {
		scope[name] = true
	}
	l.scopes = append(l.scopes, scope)
	walk()
	l.scopes = l.scopes[:len(l.scopes)-1]
}

func (l *lifter) statements(stmts []ast.Stmt) {
	for _, stmt := range stmts {
		l.statement(stmt)
	}
}

func (l *lifter) statement(stmt ast.Stmt) {
	switch s := stmt.(type) {
	case *ast.AssignStmt:
		l.expressions(s.Lhs)
		l.expressions(s.Rhs)
	case *ast.LocalAssignStmt:
		l.localInside(s)
	case *ast.FuncCallStmt:
		l.expression(&s.Expr)
	case *ast.DoBlockStmt:
		l.block(s.Stmts)
	case *ast.WhileStmt:
		l.expression(&s.Condition)
		l.block(s.Stmts)
	case *ast.RepeatStmt: // its condition sees the locals of its block
		l.within(nil, func() {
			l.statements(s.Stmts)
			l.expression(&s.Condition)
		})
	case *ast.IfStmt:
		l.expression(&s.Condition)
		l.block(s.Then)
		l.block(s.Else)
	case *ast.NumberForStmt:
		l.expression(&s.Init)
		l.expression(&s.Limit)
		l.expression(&s.Step)
		l.block(s.Stmts, s.Name)
	case *ast.GenericForStmt:
		l.expressions(s.Exprs)
		l.block(s.Stmts, s.Names...)
	case *ast.FuncDefStmt:
		l.expression(&s.Name.Func)
		l.expression(&s.Name.Receiver)
		l.function(s.Func, s.Name.Receiver != nil)
	case *ast.ReturnStmt:
		l.expressions(s.Exprs)
	}
}

// localInside is a local statement in a block or function: its names hide lifted ones from here on.
func (l *lifter) localInside(s *ast.LocalAssignStmt) {
	scope := l.scopes[len(l.scopes)-1]
	if len(s.Names) == 1 && len(s.Exprs) == 1 {
		if _, ok := s.Exprs[0].(*ast.FunctionExpr); ok {
			scope[s.Names[0]] = true
		}
	}
	l.expressions(s.Exprs)
	for _, name := range s.Names {
		scope[name] = true
	}
}

func (l *lifter) function(f *ast.FunctionExpr, method bool) {
	names := append([]string{"arg"}, f.ParList.Names...)
	if !f.ParList.HasVargs {
		names = names[1:]
	}
	if method {
		names = append(names, "self")
	}
	l.block(f.Stmts, names...)
}

func (l *lifter) expressions(exprs []ast.Expr) {
	for i := range exprs {
		l.expression(&exprs[i])
	}
}

func (l *lifter) expression(expr *ast.Expr) {
	switch e := (*expr).(type) {
	case *ast.IdentExpr:
		if l.isLifted(e.Value) {
			*expr = field(e.Value, e)
		}
	case *ast.AttrGetExpr:
		l.expression(&e.Object)
		l.expression(&e.Key)
	case *ast.TableExpr:
		for _, field := range e.Fields {
			l.expression(&field.Key)
			l.expression(&field.Value)
		}
	case *ast.FuncCallExpr:
		l.expression(&e.Func)
		l.expression(&e.Receiver)
		l.expressions(e.Args)
	case *ast.LogicalOpExpr:
		l.expression(&e.Lhs)
		l.expression(&e.Rhs)
	case *ast.RelationalOpExpr:
		l.expression(&e.Lhs)
		l.expression(&e.Rhs)
	case *ast.StringConcatOpExpr:
		l.expression(&e.Lhs)
		l.expression(&e.Rhs)
	case *ast.ArithmeticOpExpr:
		l.expression(&e.Lhs)
		l.expression(&e.Rhs)
	case *ast.UnaryMinusOpExpr:
		l.expression(&e.Expr)
	case *ast.UnaryNotOpExpr:
		l.expression(&e.Expr)
	case *ast.UnaryLenOpExpr:
		l.expression(&e.Expr)
	case *ast.FunctionExpr:
		l.function(e, false)
	}
}
