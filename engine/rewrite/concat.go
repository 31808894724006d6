package rewrite

import "github.com/yuin/gopher-lua/ast"

// Marks are string constants in the place of functions, which whoever compiles the chunk puts there. No script can write
// one by accident: it would have to be a whole string constant.
const (
	// ConcatMark is called with two or more operands and returns what ".." makes of them.
	ConcatMark = "\x00\x01murlua concat\x01\x00"
	// PopMark is called with a list and takes its last element off.
	PopMark = "\x00\x01murlua pop\x01\x00"
)

// maxOperands bounds the operands of one call of concat; each needs a register.
const maxOperands = 100

// concatCall makes a call of concat for a chain of "..", which is right-associative.
func concatCall(e *ast.StringConcatOpExpr) ast.Expr {
	var operands []ast.Expr
	var current ast.Expr = e
	for len(operands) < maxOperands {
		chain, ok := current.(*ast.StringConcatOpExpr)
		if !ok {
			break
		}
		operands = append(operands, single(expression(chain.Lhs)))
		current = chain.Rhs
	}
	operands = append(operands, single(expression(current)))
	mark := positioned(&ast.StringExpr{Value: ConcatMark}, e)
	return positioned(&ast.FuncCallExpr{Func: mark, Args: operands, AdjustRet: true}, e)
}

// single makes an operand one value also where it stands last among arguments.
func single(e ast.Expr) ast.Expr {
	switch x := e.(type) {
	case *ast.FuncCallExpr:
		x.AdjustRet = true
	case *ast.Comma3Expr:
		x.AdjustRet = true
	}
	return e
}
