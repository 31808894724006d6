package check

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"murlua/stdlib"
	"murlua/stdlib/meta"
)

// call checks a call: the function, what it is given, and whether a dot or a colon belongs before its name.
func (c *checker) call(x *ast.FuncCallExpr, s *scope) value {
	before := len(c.findings)
	fn := c.called(x, s)
	if x.Func == nil && fn.name == expectFailure {
		c.forgive(before)
	}
	if fn.kind == isFunction {
		for i, arg := range x.Args {
			if i < len(fn.fn.Params) {
				c.expect(arg, fn.fn.Params[i].Type)
			}
		}
	}
	values := make([]value, len(x.Args))
	for i, arg := range x.Args {
		values[i] = c.expression(arg, s)
	}
	switch fn.kind {
	case isRequire:
		if len(x.Args) > 0 {
			if name, ok := x.Args[0].(*ast.StringExpr); ok {
				return c.required(name)
			}
		}
		c.anyGlobal = true // that module's
	case isPlain:
		if x.Func == nil {
			c.report(x.Line(), "call", "'%s' is a function of a library and takes no object: write %s(…)", fn.name, fn.name)
			return value{}
		}
		return c.plainCall(fn.name, x, values)
	case isFunction:
		if c.sign(x, fn, values) {
			c.arguments(x, fn)
		}
		return c.result(fn.fn)
	}
	return value{}
}

// called finds what a call calls.
func (c *checker) called(x *ast.FuncCallExpr, s *scope) value {
	if x.Func != nil {
		return c.expression(x.Func, s)
	}
	receiver := c.operand(x.Receiver, s)
	switch receiver.kind {
	case isObject, isModule, isLibrary:
		return c.member(receiver, x.Method, x.Line())
	}
	if _, literal := x.Receiver.(*ast.StringExpr); literal {
		c.member(value{kind: isLibrary, name: "string"}, x.Method, x.Line())
	}
	return value{}
}

// sign reports a dot where a method is called, and a colon where a module's function is.
func (c *checker) sign(x *ast.FuncCallExpr, fn value, args []value) bool {
	own := fn.name[strings.LastIndexAny(fn.name, ".:")+1:]
	method := strings.Contains(fn.name, ":")
	switch {
	case x.Func == nil && !method:
		c.report(x.Line(), "call", "'%s' is a function of a module and takes no object: write %s(…)", fn.name, fn.name)
		return false
	case x.Func != nil && method:
		object := "object"
		if field, ok := x.Func.(*ast.AttrGetExpr); ok {
			object = written(field.Object)
		}
		if len(x.Args) == 0 || notObject(x.Args[0], args[0]) {
			c.report(x.Line(), "call", "'%s' is a method of a %s, called with ':': write %s:%s(%s)",
				own, fn.name[:strings.LastIndex(fn.name, ":")], object, own, dots(len(x.Args) > 0))
		}
		return false
	}
	return true
}

// notObject says of an argument that it is certainly no object with methods.
func notObject(e ast.Expr, v value) bool {
	switch e.(type) {
	case *ast.StringExpr, *ast.NumberExpr, *ast.TrueExpr, *ast.FalseExpr, *ast.NilExpr, *ast.TableExpr, *ast.FunctionExpr:
		return true
	}
	return v.kind == isFunction || v.kind == isModule
}

func dots(some bool) string {
	if some {
		return "…"
	}
	return ""
}

// arguments checks what a function of a module, or a method, is given.
func (c *checker) arguments(x *ast.FuncCallExpr, fn value) {
	params := fn.fn.Params
	for i, arg := range x.Args {
		if i < len(params) {
			c.argument(arg, params[i], i, fn.name)
		}
		if plan, ok := arg.(*ast.TableExpr); ok && i == 0 && (fn.name == launcher || fn.name == "mur.formation.plan") {
			c.plan(plan)
		}
	}
	if n := len(x.Args); n > 0 {
		switch x.Args[n-1].(type) {
		case *ast.FuncCallExpr, *ast.Comma3Expr: // which may be any number of values
			return
		}
	}
	for i := len(x.Args); i < len(params); i++ {
		if p := params[i]; !p.Optional && p.Name != "..." && !slices.ContainsFunc(c.Docs.Alternatives(p.Type), mayBeAbsent) {
			c.report(x.Line(), "argument", "bad argument #%d to '%s' (%s expected, got no value)", i+1, fn.name, c.wanted(p.Type))
			return
		}
	}
}

func mayBeAbsent(typ string) bool { return typ == "nil" || typ == "any" }

// required is what require gives for a module of mur.
func (c *checker) required(name *ast.StringExpr) value {
	switch {
	case name.Value == "mur" || c.Docs.Module(name.Value) != nil:
		return value{kind: isModule, name: name.Value}
	case strings.HasPrefix(name.Value, "mur."):
		root := c.Docs.Module("mur")
		short := strings.TrimPrefix(name.Value, "mur.")
		if root != nil && !c.ownPart(short) {
			c.report(name.Line(), "member", "there is no module '%s'%s", name.Value, meant(short, c.moduleMembers(root)))
		}
	case c.Libraries[name.Value] != nil:
		return value{kind: isLibrary, name: name.Value}
	default:
		c.requiresOwn(name.Value)
	}
	return value{}
}

// ownPart says whether a module is a part of the one that is checked, a module of the standard library: no others may
// require it.
func (c *checker) ownPart(name string) bool {
	of := strings.TrimSuffix(filepath.Base(c.file), ".lua")
	_, err := fs.Stat(stdlib.Files, name+".lua")
	return err == nil && strings.HasPrefix(name, of+"-")
}

// result is what a function returns, as far as its first value is always of one type.
func (c *checker) result(fn *meta.Function) value {
	return c.typed(fn.Returned())
}

// expectFailure takes a function that has to fail: what is wrong in there is so by intention.
const expectFailure = "mur.Expectation:fails"

// forgive takes back what was found since, except what is not a call's own: names that are not there.
func (c *checker) forgive(since int) {
	kept := slices.DeleteFunc(slices.Clone(c.findings[since:]), func(f Finding) bool { return f.Kind != "global" })
	c.findings = append(c.findings[:since], kept...)
}
