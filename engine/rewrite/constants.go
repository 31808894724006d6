package rewrite

import "github.com/yuin/gopher-lua/ast"

// The library's compiler jumps to the wrong place for some conditions that are constants, and never ends for others.
// They are decided before it sees them.

// truth says whether a constant counts as true.
func truth(e ast.Expr) (holds, known bool) {
	switch e.(type) {
	case *ast.NilExpr, *ast.FalseExpr:
		return false, true
	case *ast.TrueExpr, *ast.NumberExpr, *ast.StringExpr:
		return true, true
	}
	return false, false
}

// condition makes true or false of a constant that only its truth is wanted of.
func condition(e ast.Expr) ast.Expr {
	if holds, known := truth(e); known {
		return boolean(holds, e)
	}
	return e
}

func boolean(b bool, at ast.Expr) ast.Expr {
	if b {
		return positioned(&ast.TrueExpr{}, at)
	}
	return positioned(&ast.FalseExpr{}, at)
}

// decided returns the operand that "and" or "or" gives when the first one is a constant.
func decided(e *ast.LogicalOpExpr) ast.Expr {
	holds, known := truth(e.Lhs)
	switch {
	case !known:
		return e
	case holds == (e.Operator == "or"):
		return e.Lhs
	}
	return single(e.Rhs)
}

// steady returns a loop's body that does not begin with a jump. The compiler follows jumps to jumps, and takes one
// further up, which it has already finished, for one it has not: the loop would go on somewhere else.
func steady(body []ast.Stmt, at ast.PositionHolder) []ast.Stmt {
	if !startsWithJump(body) {
		return body
	}
	return append([]ast.Stmt{nothing(at)}, body...)
}

// startsWithJump says whether the first instruction of a block is a jump.
func startsWithJump(block []ast.Stmt) bool {
	for _, stmt := range block {
		switch s := stmt.(type) {
		case *ast.BreakStmt, *ast.GotoStmt:
			return true
		case *ast.LabelStmt:
			continue
		case *ast.DoBlockStmt:
			if len(s.Stmts) == 0 {
				continue
			}
			return startsWithJump(s.Stmts)
		}
		return false
	}
	return false
}

// nothing is a statement that only takes an instruction.
func nothing(at ast.PositionHolder) ast.Stmt {
	declaration := positioned(&ast.LocalAssignStmt{Names: []string{"(nothing)"}}, at)
	return positioned(&ast.DoBlockStmt{Stmts: []ast.Stmt{declaration}}, at)
}
