package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

// callable says whether a value certainly is a function.
func (v value) callable() bool { return v.kind == isFunction || v.written != nil }

// isCallable says of an expression that it names a function, as opposed to being one.
func (c *checker) isCallable(e ast.Expr) bool {
	_, is := e.(*ast.FunctionExpr)
	return !is && c.known[e].callable()
}

// operand checks an expression of which something is made that nothing can be made of a function, such as a sum. A
// function there was meant to be called.
func (c *checker) operand(e ast.Expr, s *scope) value {
	v := c.expression(e, s)
	if c.isCallable(e) {
		c.uncalled(e)
	}
	return v
}

// condition checks what is only asked whether it is true: an object's method always is. Whether a module has a function,
// and whether a variable holds one, may be asked in earnest.
func (c *checker) condition(e ast.Expr, s *scope) {
	if x, ok := e.(*ast.LogicalOpExpr); ok {
		c.condition(x.Lhs, s)
		c.condition(x.Rhs, s)
		return
	}
	if v := c.expression(e, s); strings.Contains(v.name, ":") {
		c.uncalled(e)
	}
	c.asks(e)
}

// asks notes that a script asks whether a library has something: another version of the language may.
func (c *checker) asks(e ast.Expr) {
	if field, ok := e.(*ast.AttrGetExpr); ok && c.known[field.Object].kind == isLibrary {
		if key, ok := field.Key.(*ast.StringExpr); ok {
			c.asked[c.known[field.Object].name+"."+key.Value] = true
		}
	}
}

// comparison checks the two sides of a comparison.
func (c *checker) comparison(x *ast.RelationalOpExpr, s *scope) {
	if x.Operator != "==" && x.Operator != "~=" {
		c.operand(x.Lhs, s)
		c.operand(x.Rhs, s)
		return
	}
	c.expression(x.Lhs, s)
	c.expression(x.Rhs, s)
	c.compared(x.Lhs, x.Rhs)
	c.compared(x.Rhs, x.Lhs)
}

// compared checks a value that is compared with what is written out: a function is not equal to that, nor is one of
// certain words to another one.
func (c *checker) compared(e, literal ast.Expr) {
	switch x := literal.(type) {
	case *ast.NumberExpr, *ast.TrueExpr, *ast.FalseExpr:
	case *ast.NilExpr:
		c.asks(e)
		return
	case *ast.StringExpr:
		if v := c.known[e]; v.kind == isWord {
			if words := c.words(v.typ); !slices.Contains(words, x.Value) {
				c.report(x.Line(), "value", "'%s' is never %q; it is one of %s%s", written(e), x.Value, quoted(words), meant(x.Value, words))
			}
		}
	default:
		return
	}
	if c.isCallable(e) {
		c.uncalled(e)
	}
}

func (c *checker) uncalled(e ast.Expr) {
	what := "function"
	if strings.Contains(c.known[e].name, ":") {
		what = "method"
	}
	c.report(e.Line(), "call", "'%s' is a %s, which is not called here; write %s", written(e), what, c.asCall(e))
}

// asCall writes an expression that names a function as its call.
func (c *checker) asCall(e ast.Expr) string {
	v := c.known[e]
	some := false
	if v.fn != nil {
		some = len(v.fn.Params) > 0 && !v.fn.Params[0].Optional
	} else if v.written != nil {
		some = len(v.written.ParList.Names) > 0
	}
	field, ok := e.(*ast.AttrGetExpr)
	if !ok || !strings.Contains(v.name, ":") {
		return fmt.Sprintf("%s(%s)", written(e), dots(some))
	}
	return fmt.Sprintf("%s:%s(%s)", written(field.Object), v.name[strings.LastIndex(v.name, ":")+1:], dots(some))
}

// written is an expression as it stands in the script, as far as it is made of names.
func written(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.IdentExpr:
		return x.Value
	case *ast.AttrGetExpr:
		if key, ok := x.Key.(*ast.StringExpr); ok {
			return written(x.Object) + "." + key.Value
		}
		return written(x.Object) + "[…]"
	case *ast.FuncCallExpr:
		if x.Func != nil {
			return written(x.Func) + "(" + dots(len(x.Args) > 0) + ")"
		}
		return written(x.Receiver) + ":" + x.Method + "(" + dots(len(x.Args) > 0) + ")"
	}
	return "…"
}

// plainCall checks a call of one of the language's own functions, as far as something is known of it.
func (c *checker) plainCall(name string, x *ast.FuncCallExpr, args []value) value {
	if len(args) == 0 {
		return value{}
	}
	switch name {
	case "print", "string.format":
		for i, arg := range x.Args {
			if args[i].kind == isFunction { // the script's own may well be meant
				c.uncalled(arg)
			}
		}
	case "io.write":
		for _, arg := range x.Args {
			if c.isCallable(arg) {
				c.uncalled(arg)
			}
		}
	case "type":
		c.asks(x.Args[0])
	case "assert": // as in a condition
		c.asks(x.Args[0])
		if strings.Contains(args[0].name, ":") {
			c.uncalled(x.Args[0])
		}
	case "tostring":
		if args[0].kind == isFunction {
			c.uncalled(x.Args[0])
		}
	case "ipairs", "pairs", "tonumber", "string.find", "string.match", "string.gmatch", "string.gsub":
		if c.isCallable(x.Args[0]) {
			c.uncalled(x.Args[0])
		}
	}
	switch {
	case name == "setmetatable" && args[0].name == "_G":
		c.anyGlobal = true
	case name == "assert":
		return args[0]
	case name == "pcall" && args[0].kind == isRequire:
		c.mayRequire(x.Args[1:])
	case (name == "ipairs" || name == "pairs") && (args[0].kind == isList || args[0].kind == isMap) && !c.places[anyOf(written(x.Args[0]))]:
		return value{kind: isPairs, typ: args[0].typ}
	}
	return value{}
}
