package rewrite

import (
	"strconv"

	"github.com/yuin/gopher-lua/ast"

	"murlua/engine/numeral"
)

// Block changes a parsed block in place.
func Block(block []ast.Stmt) {
	for i := range block {
		block[i] = statement(block[i])
	}
	for i := range block {
		if isLabel(block[i]) && i+1 < len(block) && !isLabel(block[i+1]) && startsWithJump(block[i+1:]) {
			block[i+1] = positioned(&ast.DoBlockStmt{Stmts: []ast.Stmt{nothing(block[i]), block[i+1]}}, block[i+1])
		}
	}
}

// statement returns the statement to use instead, often the same one changed in place.
func statement(stmt ast.Stmt) ast.Stmt {
	switch s := stmt.(type) {
	case *ast.AssignStmt:
		expressions(s.Lhs)
		expressions(s.Rhs)
		return assignment(s)
	case *ast.LocalAssignStmt:
		expressions(s.Exprs)
		localFunction(s)
	case *ast.FuncCallStmt:
		s.Expr = expression(s.Expr)
	case *ast.DoBlockStmt:
		Block(s.Stmts)
	case *ast.WhileStmt:
		s.Condition = condition(expression(s.Condition))
		Block(s.Stmts)
		s.Stmts = steady(s.Stmts, s)
		if holds, known := truth(s.Condition); known && !holds {
			return positioned(&ast.DoBlockStmt{}, s)
		}
	case *ast.RepeatStmt:
		s.Condition = condition(expression(s.Condition))
		Block(s.Stmts)
		s.Stmts = steady(s.Stmts, s)
	case *ast.IfStmt:
		s.Condition = condition(expression(s.Condition))
		Block(s.Then)
		Block(s.Else)
		if holds, known := truth(s.Condition); known && holds {
			return positioned(&ast.DoBlockStmt{Stmts: s.Then}, s)
		} else if known {
			return positioned(&ast.DoBlockStmt{Stmts: s.Else}, s)
		}
	case *ast.NumberForStmt:
		s.Init, s.Limit = expression(s.Init), expression(s.Limit)
		if s.Step != nil {
			s.Step = expression(s.Step)
		}
		Block(s.Stmts)
	case *ast.GenericForStmt:
		expressions(s.Exprs)
		completeIterator(s)
		Block(s.Stmts)
		s.Stmts = steady(s.Stmts, s)
	case *ast.FuncDefStmt:
		if s.Name.Func != nil {
			s.Name.Func = expression(s.Name.Func)
		}
		if s.Name.Receiver != nil {
			s.Name.Receiver = expression(s.Name.Receiver)
		}
		Block(s.Func.Stmts)
	case *ast.ReturnStmt:
		expressions(s.Exprs)
	}
	return stmt
}

func expressions(list []ast.Expr) {
	for i := range list {
		list[i] = expression(list[i])
	}
}

// expression returns the expression to use instead, often the same one changed in place.
func expression(expr ast.Expr) ast.Expr {
	switch e := expr.(type) {
	case *ast.NumberExpr:
		if f, ok := numeral.Parse(e.Value); ok {
			e.Value = strconv.FormatFloat(f, 'g', -1, 64)
		}
	case *ast.StringConcatOpExpr:
		return concatCall(e)
	case *ast.AttrGetExpr:
		e.Object, e.Key = expression(e.Object), expression(e.Key)
	case *ast.TableExpr:
		for _, field := range e.Fields {
			if field.Key != nil {
				field.Key = expression(field.Key)
			}
			field.Value = expression(field.Value)
		}
	case *ast.FuncCallExpr:
		if e.Func != nil {
			e.Func = expression(e.Func)
		}
		if e.Receiver != nil {
			e.Receiver = expression(e.Receiver)
		}
		expressions(e.Args)
	case *ast.LogicalOpExpr:
		e.Lhs, e.Rhs = expression(e.Lhs), expression(e.Rhs)
		return decided(e)
	case *ast.RelationalOpExpr:
		e.Lhs, e.Rhs = expression(e.Lhs), expression(e.Rhs)
	case *ast.ArithmeticOpExpr:
		e.Lhs, e.Rhs = expression(e.Lhs), expression(e.Rhs)
	case *ast.UnaryMinusOpExpr:
		e.Expr = expression(e.Expr)
	case *ast.UnaryNotOpExpr:
		e.Expr = expression(e.Expr)
		if holds, known := truth(e.Expr); known {
			return boolean(!holds, e)
		}
	case *ast.UnaryLenOpExpr:
		e.Expr = expression(e.Expr)
	case *ast.FunctionExpr:
		Block(e.Stmts)
	}
	return expr
}

func isLabel(stmt ast.Stmt) bool {
	_, ok := stmt.(*ast.LabelStmt)
	return ok
}
