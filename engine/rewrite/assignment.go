package rewrite

import (
	"fmt"

	"github.com/yuin/gopher-lua/ast"
)

// assignment makes an assignment read everything before it writes anything. The library's compiler computes a
// value right into a local variable that it is for, so that a later value, or a table or key on the left, already sees
// it: "a, b = b, a" gives b twice. With temporary variables it does not:
//
//	do local o, k = t, i; local x, y = b, a; o[k] = y; a = x end    -- for "a, t[i] = b, a"
func assignment(s *ast.AssignStmt) ast.Stmt {
	if list := poppedList(s); list != nil {
		mark := positioned(&ast.StringExpr{Value: PopMark}, s)
		call := positioned(&ast.FuncCallExpr{Func: mark, Args: []ast.Expr{list}}, s)
		return positioned(&ast.FuncCallStmt{Expr: call}, s)
	}
	if len(s.Lhs) == 1 {
		if call, ok := s.Rhs[0].(*ast.FuncCallExpr); ok && len(s.Rhs) == 1 {
			call.AdjustRet = false // one value is wanted anyway, and this way it goes through a register of its own
		}
		// The compiler forgets to move a false first operand into a variable that "and" is for.
		if _, logical := s.Rhs[0].(*ast.LogicalOpExpr); !logical || !assignsVariable(s.Lhs) {
			return s
		}
	}
	if !assignsVariable(s.Lhs) {
		return s
	}
	r := rewriter{at: s}
	block := &ast.DoBlockStmt{}
	targets := make([]ast.Expr, len(s.Lhs))
	for i, target := range s.Lhs {
		targets[i] = target
		if field, ok := target.(*ast.AttrGetExpr); ok {
			copied := &ast.AttrGetExpr{Object: r.temporary(block, field.Object), Key: field.Key}
			if !isConstant(field.Key) {
				copied.Key = r.temporary(block, field.Key)
			}
			targets[i] = positioned(copied, target)
		}
	}
	values := &ast.LocalAssignStmt{Exprs: s.Rhs}
	for range s.Lhs {
		values.Names = append(values.Names, r.name())
	}
	block.Stmts = append(block.Stmts, positioned(values, s))
	for i := len(targets) - 1; i >= 0; i-- { // from the right, as C Lua does
		value := positioned(&ast.IdentExpr{Value: values.Names[i]}, s)
		one := &ast.AssignStmt{Lhs: []ast.Expr{targets[i]}, Rhs: []ast.Expr{value}}
		block.Stmts = append(block.Stmts, positioned(one, s))
	}
	return positioned(block, s)
}

// poppedList returns t when the assignment is "t[#t] = nil".
func poppedList(s *ast.AssignStmt) ast.Expr {
	if len(s.Lhs) != 1 || len(s.Rhs) != 1 {
		return nil
	}
	target, ok := s.Lhs[0].(*ast.AttrGetExpr)
	if _, isNil := s.Rhs[0].(*ast.NilExpr); !ok || !isNil {
		return nil
	}
	length, ok := target.Key.(*ast.UnaryLenOpExpr)
	if !ok {
		return nil
	}
	list, ok := target.Object.(*ast.IdentExpr)
	if of, same := length.Expr.(*ast.IdentExpr); !ok || !same || of.Value != list.Value {
		return nil
	}
	return list
}

// assignsVariable says whether a name is among the targets. Whether it is a local variable is not known here.
func assignsVariable(targets []ast.Expr) bool {
	for _, target := range targets {
		if _, ok := target.(*ast.IdentExpr); ok {
			return true
		}
	}
	return false
}

func isConstant(e ast.Expr) bool {
	_, ok := e.(ast.ConstExpr)
	return ok
}

// rewriter makes temporary variables. Their names are not identifiers, so they hide nothing.
type rewriter struct {
	at ast.PositionHolder
	n  int
}

func (r *rewriter) name() string {
	r.n++
	return fmt.Sprintf("(temporary %d)", r.n)
}

// temporary adds a variable for a value and returns a use of it.
func (r *rewriter) temporary(block *ast.DoBlockStmt, value ast.Expr) ast.Expr {
	name := r.name()
	declaration := &ast.LocalAssignStmt{Names: []string{name}, Exprs: []ast.Expr{single(value)}}
	block.Stmts = append(block.Stmts, positioned(declaration, r.at))
	return positioned(&ast.IdentExpr{Value: name}, r.at)
}

// positioned gives a new node the lines of another.
func positioned[N ast.PositionHolder](node N, at ast.PositionHolder) N {
	node.SetLine(at.Line())
	node.SetLastLine(at.LastLine())
	return node
}

// localFunction keeps the name of "local f = function() ... end" out of its own function; the library's compiler takes
// it for "local function f". Only that form has a last line.
func localFunction(s *ast.LocalAssignStmt) {
	if len(s.Names) != 1 || len(s.Exprs) != 1 || s.LastLine() != 0 {
		return
	}
	if _, ok := s.Exprs[0].(*ast.FunctionExpr); ok {
		s.Exprs = append(s.Exprs, positioned(&ast.NilExpr{}, s))
	}
}

// completeIterator gives a generic for its three values: the library's compiler leaves what is missing to chance, and
// drops values when there are fewer names.
func completeIterator(s *ast.GenericForStmt) {
	switch last := s.Exprs[len(s.Exprs)-1].(type) {
	case *ast.FuncCallExpr:
		if !last.AdjustRet && len(s.Exprs) <= 3 {
			for len(s.Names) < len(s.Exprs) {
				s.Names = append(s.Names, fmt.Sprintf("(unused %d)", len(s.Names)))
			}
			return
		}
	case *ast.Comma3Expr:
		if !last.AdjustRet && len(s.Exprs) <= 3 {
			for len(s.Names) < len(s.Exprs) {
				s.Names = append(s.Names, fmt.Sprintf("(unused %d)", len(s.Names)))
			}
			return
		}
	}
	for len(s.Exprs) < 3 {
		s.Exprs = append(s.Exprs, positioned(&ast.NilExpr{}, s))
	}
}
