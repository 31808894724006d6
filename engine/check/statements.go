package check

import "github.com/yuin/gopher-lua/ast"

// walkStatements calls visit for every statement of a block, also those inside functions.
func walkStatements(block []ast.Stmt, visit func(ast.Stmt)) {
	for _, stmt := range block {
		visit(stmt)
		switch s := stmt.(type) {
		case *ast.DoBlockStmt:
			walkStatements(s.Stmts, visit)
		case *ast.WhileStmt:
			walkExpressions(visit, s.Condition)
			walkStatements(s.Stmts, visit)
		case *ast.RepeatStmt:
			walkExpressions(visit, s.Condition)
			walkStatements(s.Stmts, visit)
		case *ast.IfStmt:
			walkExpressions(visit, s.Condition)
			walkStatements(s.Then, visit)
			walkStatements(s.Else, visit)
		case *ast.NumberForStmt:
			walkExpressions(visit, s.Init, s.Limit, s.Step)
			walkStatements(s.Stmts, visit)
		case *ast.GenericForStmt:
			walkExpressions(visit, s.Exprs...)
			walkStatements(s.Stmts, visit)
		case *ast.FuncDefStmt:
			walkStatements(s.Func.Stmts, visit)
		case *ast.AssignStmt:
			walkExpressions(visit, s.Lhs...)
			walkExpressions(visit, s.Rhs...)
		case *ast.LocalAssignStmt:
			walkExpressions(visit, s.Exprs...)
		case *ast.FuncCallStmt:
			walkExpressions(visit, s.Expr)
		case *ast.ReturnStmt:
			walkExpressions(visit, s.Exprs...)
		}
	}
}

// walkExpressions finds the functions in expressions, which hold statements.
func walkExpressions(visit func(ast.Stmt), list ...ast.Expr) {
	for _, expr := range list {
		switch e := expr.(type) {
		case *ast.FunctionExpr:
			walkStatements(e.Stmts, visit)
		case *ast.AttrGetExpr:
			walkExpressions(visit, e.Object, e.Key)
		case *ast.TableExpr:
			for _, f := range e.Fields {
				walkExpressions(visit, f.Key, f.Value)
			}
		case *ast.FuncCallExpr:
			walkExpressions(visit, e.Func, e.Receiver)
			walkExpressions(visit, e.Args...)
		case *ast.LogicalOpExpr:
			walkExpressions(visit, e.Lhs, e.Rhs)
		case *ast.RelationalOpExpr:
			walkExpressions(visit, e.Lhs, e.Rhs)
		case *ast.StringConcatOpExpr:
			walkExpressions(visit, e.Lhs, e.Rhs)
		case *ast.ArithmeticOpExpr:
			walkExpressions(visit, e.Lhs, e.Rhs)
		case *ast.UnaryMinusOpExpr:
			walkExpressions(visit, e.Expr)
		case *ast.UnaryNotOpExpr:
			walkExpressions(visit, e.Expr)
		case *ast.UnaryLenOpExpr:
			walkExpressions(visit, e.Expr)
		}
	}
}
