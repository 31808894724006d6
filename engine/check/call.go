package check

import (
	"fmt"
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
			if class := c.Docs.Options(fn.fn, i); class != nil {
				c.options(arg, class, fn.name, "")
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

// options checks the keys of a table that is written where a function takes options.
func (c *checker) options(arg ast.Expr, class *meta.Class, function, path string) {
	table, ok := arg.(*ast.TableExpr)
	if !ok {
		return
	}
	fields := c.Docs.Fields(class)
	for _, entry := range table.Fields {
		key, ok := entry.Key.(*ast.StringExpr)
		if !ok {
			continue
		}
		if !c.Docs.Accepts(class, key.Value) {
			c.report(key.Line(), "option", "unknown option '%s' of '%s'%s", path+key.Value, function, meant(key.Value, fieldNames(fields)))
			continue
		}
		c.optionValue(entry.Value, fields, key.Value, function, path+key.Value)
	}
}

// optionValue looks into an option whose value is a table, or a list of tables, of known keys.
func (c *checker) optionValue(v ast.Expr, fields []meta.Field, key, function, path string) {
	for _, f := range fields {
		if f.Name != key {
			continue
		}
		table, isTable := v.(*ast.TableExpr)
		if element := c.Docs.ElementOf(f.Type); element != nil && isTable {
			for i, entry := range table.Fields {
				if entry.Key == nil {
					c.options(entry.Value, element, function, fmt.Sprintf("%s[%d].", path, i+1))
				}
			}
		} else if class := c.Docs.TableOf(f.Type); class != nil {
			c.options(v, class, function, path+".")
		}
		return
	}
}

func fieldNames(fields []meta.Field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return names
}
