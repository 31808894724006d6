package engine

import (
	"strconv"

	"github.com/yuin/gopher-lua/ast"
)

// rewriteBlock changes a parsed block in place; see [CompileChunk].
func rewriteBlock(block []ast.Stmt) {
	for i := range block {
		block[i] = rewriteStmt(block[i])
	}
	for i := range block {
		if isLabel(block[i]) && i+1 < len(block) && !isLabel(block[i+1]) && startsWithJump(block[i+1:]) {
			block[i+1] = positioned(&ast.DoBlockStmt{Stmts: []ast.Stmt{nothing(block[i]), block[i+1]}}, block[i+1])
		}
	}
}

// rewriteStmt returns the statement to use instead, often the same one changed in place.
func rewriteStmt(stmt ast.Stmt) ast.Stmt {
	switch s := stmt.(type) {
	case *ast.AssignStmt:
		rewriteAll(s.Lhs)
		rewriteAll(s.Rhs)
		return rewriteAssignment(s)
	case *ast.LocalAssignStmt:
		rewriteAll(s.Exprs)
		rewriteLocal(s)
	case *ast.FuncCallStmt:
		s.Expr = rewriteExpr(s.Expr)
	case *ast.DoBlockStmt:
		rewriteBlock(s.Stmts)
	case *ast.WhileStmt:
		s.Condition = condition(rewriteExpr(s.Condition))
		rewriteBlock(s.Stmts)
		s.Stmts = steady(s.Stmts, s)
		if holds, known := truth(s.Condition); known && !holds {
			return positioned(&ast.DoBlockStmt{}, s)
		}
	case *ast.RepeatStmt:
		s.Condition = condition(rewriteExpr(s.Condition))
		rewriteBlock(s.Stmts)
		s.Stmts = steady(s.Stmts, s)
	case *ast.IfStmt:
		s.Condition = condition(rewriteExpr(s.Condition))
		rewriteBlock(s.Then)
		rewriteBlock(s.Else)
		if holds, known := truth(s.Condition); known && holds {
			return positioned(&ast.DoBlockStmt{Stmts: s.Then}, s)
		} else if known {
			return positioned(&ast.DoBlockStmt{Stmts: s.Else}, s)
		}
	case *ast.NumberForStmt:
		s.Init, s.Limit = rewriteExpr(s.Init), rewriteExpr(s.Limit)
		if s.Step != nil {
			s.Step = rewriteExpr(s.Step)
		}
		rewriteBlock(s.Stmts)
	case *ast.GenericForStmt:
		rewriteAll(s.Exprs)
		completeIterator(s)
		rewriteBlock(s.Stmts)
		s.Stmts = steady(s.Stmts, s)
	case *ast.FuncDefStmt:
		if s.Name.Func != nil {
			s.Name.Func = rewriteExpr(s.Name.Func)
		}
		if s.Name.Receiver != nil {
			s.Name.Receiver = rewriteExpr(s.Name.Receiver)
		}
		rewriteBlock(s.Func.Stmts)
	case *ast.ReturnStmt:
		rewriteAll(s.Exprs)
	}
	return stmt
}

func rewriteAll(list []ast.Expr) {
	for i := range list {
		list[i] = rewriteExpr(list[i])
	}
}

// rewriteExpr returns the expression to use instead, often the same one changed in place.
func rewriteExpr(expr ast.Expr) ast.Expr {
	switch e := expr.(type) {
	case *ast.NumberExpr:
		if f, ok := parseNumber(e.Value); ok {
			e.Value = strconv.FormatFloat(f, 'g', -1, 64)
		}
	case *ast.StringConcatOpExpr:
		return concatCall(e)
	case *ast.AttrGetExpr:
		e.Object, e.Key = rewriteExpr(e.Object), rewriteExpr(e.Key)
	case *ast.TableExpr:
		for _, field := range e.Fields {
			if field.Key != nil {
				field.Key = rewriteExpr(field.Key)
			}
			field.Value = rewriteExpr(field.Value)
		}
	case *ast.FuncCallExpr:
		if e.Func != nil {
			e.Func = rewriteExpr(e.Func)
		}
		if e.Receiver != nil {
			e.Receiver = rewriteExpr(e.Receiver)
		}
		rewriteAll(e.Args)
	case *ast.LogicalOpExpr:
		e.Lhs, e.Rhs = rewriteExpr(e.Lhs), rewriteExpr(e.Rhs)
		return decided(e)
	case *ast.RelationalOpExpr:
		e.Lhs, e.Rhs = rewriteExpr(e.Lhs), rewriteExpr(e.Rhs)
	case *ast.ArithmeticOpExpr:
		e.Lhs, e.Rhs = rewriteExpr(e.Lhs), rewriteExpr(e.Rhs)
	case *ast.UnaryMinusOpExpr:
		e.Expr = rewriteExpr(e.Expr)
	case *ast.UnaryNotOpExpr:
		e.Expr = rewriteExpr(e.Expr)
		if holds, known := truth(e.Expr); known {
			return boolean(!holds, e)
		}
	case *ast.UnaryLenOpExpr:
		e.Expr = rewriteExpr(e.Expr)
	case *ast.FunctionExpr:
		rewriteBlock(e.Stmts)
	}
	return expr
}

func isLabel(stmt ast.Stmt) bool {
	_, ok := stmt.(*ast.LabelStmt)
	return ok
}
