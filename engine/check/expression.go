package check

import (
	"slices"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"murlua/stdlib/meta"
)

type kind int

const (
	unknown    kind = iota
	isRequire       // the function require
	isLibrary       // a library of the language
	isPlain         // a function of the language: "print", "string.format"
	isModule        // a module of mur: "mur", "mur.task"
	isFunction      // a function of a module, or a method: "mur.Handle:stop"
	isObject        // a table or handle that a class describes
	isList          // a list of values of a type
	isMap           // a table of values of a type under any keys
	isIterator      // a function that gives one value of a type after the other
	isPairs         // what pairs and ipairs give for a table of values of a type
	isWord          // one of the words that a type lists
)

// value is what is known of a value.
type value struct {
	kind  kind
	name  string
	typ   string
	class *meta.Class
	fn    *meta.Function

	written *ast.FunctionExpr // the function that it is, if it stands in the script
}

// expression checks an expression, and notes what is known of its value.
func (c *checker) expression(e ast.Expr, s *scope) value {
	v := c.evaluate(e, s)
	if v != (value{}) {
		c.known[e] = v
	}
	return v
}

func (c *checker) evaluate(e ast.Expr, s *scope) value {
	switch x := e.(type) {
	case *ast.IdentExpr:
		return c.name(x, s)
	case *ast.AttrGetExpr:
		return c.field(x, s)
	case *ast.FuncCallExpr:
		return c.call(x, s)
	case *ast.FunctionExpr:
		c.function(x, s)
		return value{written: x}
	case *ast.TableExpr:
		for _, f := range x.Fields {
			if f.Key != nil {
				c.expression(f.Key, s)
			}
			c.expression(f.Value, s)
		}
	case *ast.LogicalOpExpr:
		c.expression(x.Lhs, s)
		c.asks(x.Lhs)
		c.expression(x.Rhs, s)
	case *ast.RelationalOpExpr:
		c.comparison(x, s)
	case *ast.StringConcatOpExpr:
		c.operand(x.Lhs, s)
		c.operand(x.Rhs, s)
	case *ast.ArithmeticOpExpr:
		c.operand(x.Lhs, s)
		c.operand(x.Rhs, s)
	case *ast.UnaryMinusOpExpr:
		c.operand(x.Expr, s)
	case *ast.UnaryNotOpExpr:
		c.condition(x.Expr, s)
	case *ast.UnaryLenOpExpr:
		c.operand(x.Expr, s)
	}
	return value{}
}

// field checks object.key.
func (c *checker) field(x *ast.AttrGetExpr, s *scope) value {
	object := c.operand(x.Object, s)
	key, ok := x.Key.(*ast.StringExpr)
	if !ok {
		c.expression(x.Key, s)
		if (object.kind == isList || object.kind == isMap) && !c.places[written(x)] {
			return c.typed(object.typ)
		}
		return value{}
	}
	if c.places[written(x)] || c.places[anyOf(written(x.Object))] {
		return value{} // the script has put it there
	}
	return c.member(object, key.Value, x.Line())
}

func (c *checker) member(object value, key string, line int) value {
	switch object.kind {
	case isLibrary:
		members := c.Libraries[object.name]
		switch {
		case object.name == "_G" || object.name == "package" || c.fields[key] || c.places[anyOf(object.name)]:
		case !slices.Contains(members, key):
			c.report(line, "member", "there is no '%s.%s'%s", object.name, key, meant(key, members))
			c.findings[len(c.findings)-1].about = object.name + "." + key
		default:
			return value{kind: isPlain, name: object.name + "." + key}
		}
	case isMap:
		return c.typed(object.typ)
	case isModule:
		return c.moduleMember(object, key, line)
	case isObject:
		return c.objectMember(object.class, key, line)
	}
	return value{}
}

func (c *checker) moduleMember(object value, key string, line int) value {
	full := object.name + "." + key
	if object.name == "mur" {
		if c.Docs.Module(full) != nil {
			return value{kind: isModule, name: full}
		}
	}
	module := c.Docs.Module(object.name)
	if module == nil {
		return value{}
	}
	if fn := c.Docs.Function(full); fn != nil {
		return value{kind: isFunction, name: full, fn: fn}
	}
	members := c.moduleMembers(module)
	if !slices.Contains(members, key) && !c.fields[key] {
		c.report(line, "member", "there is no '%s'%s", full, meant(key, members))
	}
	return value{}
}

func (c *checker) moduleMembers(module *meta.Module) []string {
	var members []string
	for _, fn := range module.Functions {
		members = append(members, fn.Name[strings.LastIndexAny(fn.Name, ".:")+1:])
	}
	for _, field := range module.Values {
		members = append(members, field.Name)
	}
	if module.Name == "mur" {
		for _, other := range c.Docs.Modules {
			if short, ok := strings.CutPrefix(other.Name, "mur."); ok {
				members = append(members, short)
			}
		}
	}
	return members
}

// objectMember checks object.key and object:key of what a class describes.
func (c *checker) objectMember(class *meta.Class, key string, line int) value {
	var members []string
	for _, f := range c.Docs.Fields(class) {
		if f.Name == key {
			if c.fields[key] && len(class.Methods) == 0 { // no handle: the script may have put another value there
				return value{}
			}
			return c.typed(f.Type)
		}
		if strings.HasPrefix(f.Name, "[") {
			return value{}
		}
		members = append(members, f.Name)
	}
	for of := class; of != nil; of = c.parent(of) {
		for _, fn := range of.Methods {
			name := fn.Name[strings.LastIndexAny(fn.Name, ".:")+1:]
			if name == key {
				return value{kind: isFunction, name: fn.Name, fn: fn}
			}
			members = append(members, name)
		}
	}
	if c.fields[key] {
		return value{}
	}
	c.report(line, "member", "a %s has no '%s'%s", class.Name, key, meant(key, members))
	return value{}
}

func (c *checker) parent(class *meta.Class) *meta.Class {
	if len(class.Parents) == 0 {
		return nil
	}
	return c.Docs.Class(class.Parents[0])
}
