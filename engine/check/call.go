package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"murlua/stdlib/meta"
)

// call checks a call: the function, and the options it is given.
func (c *checker) call(x *ast.FuncCallExpr, s *scope) value {
	var fn value
	if x.Func != nil {
		fn = c.expression(x.Func, s)
	} else {
		receiver := c.expression(x.Receiver, s)
		if receiver.kind == isObject {
			fn = c.member(receiver, x.Method, x.Line())
		} else if _, literal := x.Receiver.(*ast.StringExpr); literal {
			c.member(value{kind: isLibrary, name: "string"}, x.Method, x.Line())
		}
	}
	c.all(x.Args, s)
	switch fn.kind {
	case isRequire:
		if len(x.Args) == 1 {
			if name, ok := x.Args[0].(*ast.StringExpr); ok {
				return c.required(name)
			}
		}
	case isFunction:
		for i, arg := range x.Args {
			if i < len(fn.fn.Params) {
				c.optionTable(arg, fn.fn.Params[i].Type, fn.name, "")
			}
			if plan, ok := arg.(*ast.TableExpr); ok && i == 0 && (fn.name == launcher || fn.name == "mur.formation.plan") {
				c.plan(plan, fn.name)
			}
		}
		return c.result(fn.fn)
	}
	return value{}
}

// required is what require gives for a module of mur.
func (c *checker) required(name *ast.StringExpr) value {
	switch {
	case name.Value == "mur" || c.Docs.Module(name.Value) != nil:
		return value{kind: isModule, name: name.Value}
	case strings.HasPrefix(name.Value, "mur."):
		root := c.Docs.Module("mur")
		short := strings.TrimPrefix(name.Value, "mur.")
		if root != nil {
			c.report(name.Line(), "member", "there is no module '%s'%s", name.Value, meant(short, c.moduleMembers(root)))
		}
	case c.Libraries[name.Value] != nil:
		return value{kind: isLibrary, name: name.Value}
	}
	return value{}
}

// result is what a function returns, if that is always an object of one class.
func (c *checker) result(fn *meta.Function) value {
	if len(fn.Returns) == 0 {
		return value{}
	}
	typ := fn.Returns[0].Type
	if class := c.Docs.Class(typ); class != nil {
		return value{kind: isObject, class: class}
	}
	return value{}
}

// optionTable checks a table, or a list of tables, that is written where a type says which keys it may have.
func (c *checker) optionTable(e ast.Expr, typ, function, path string) {
	table, ok := e.(*ast.TableExpr)
	if !ok {
		return
	}
	if elements, _ := c.Docs.Tables(typ, "[]"); len(elements) > 0 {
		for i, entry := range table.Fields {
			if inner, ok := entry.Value.(*ast.TableExpr); ok && entry.Key == nil {
				c.options(inner, elements, function, fmt.Sprintf("%s[%d].", strings.TrimSuffix(path, "."), i+1))
			}
		}
	}
	classes, open := c.Docs.Tables(typ, "")
	// An object is made by some function: a table with its fields is not taken for one.
	classes = slices.DeleteFunc(classes, func(class *meta.Class) bool { return len(class.Methods) > 0 })
	if len(classes) > 0 && !open {
		c.options(table, classes, function, path)
	}
}

// options checks the keys of a table that one of some classes describes.
func (c *checker) options(table *ast.TableExpr, classes []*meta.Class, function, path string) {
	var fields []meta.Field
	for _, class := range classes {
		fields = append(fields, c.Docs.Fields(class)...)
	}
	for _, entry := range table.Fields {
		key, ok := entry.Key.(*ast.StringExpr)
		if !ok {
			continue
		}
		accepted := false
		for _, class := range classes {
			accepted = accepted || c.Docs.Accepts(class, key.Value)
		}
		if !accepted {
			c.report(key.Line(), "option", "unknown option '%s' of '%s'%s", path+key.Value, function, meant(key.Value, fieldNames(fields)))
			continue
		}
		var types []string
		for _, f := range fields {
			if f.Name == key.Value {
				types = append(types, f.Type)
			}
		}
		c.optionTable(entry.Value, strings.Join(types, "|"), function, path+key.Value+".")
	}
}

func fieldNames(fields []meta.Field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return names
}
