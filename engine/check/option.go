package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"murlua/engine"
	"murlua/stdlib/meta"
)

// place is where a value is given: an argument of a function, or something in a table there.
type place struct {
	function string
	argument int    // from 0
	path     string // in that argument: "members[1].ready"
}

func (p place) key(name string) place {
	if p.path != "" {
		name = p.path + "." + name
	}
	return place{p.function, p.argument, name}
}

func (p place) index(i int) place {
	return place{p.function, p.argument, fmt.Sprintf("%s[%d]", p.path, i)}
}

func (p place) String() string {
	if p.path == "" || p.path[0] == '[' {
		return fmt.Sprintf("argument #%d%s of '%s'", p.argument+1, p.path, p.function)
	}
	return fmt.Sprintf("'%s' of '%s'", p.path, p.function)
}

// argument checks one argument against its parameter.
func (c *checker) argument(e ast.Expr, param meta.Param, i int, function string) {
	c.given(e, param.Type, param.Optional, place{function: function, argument: i})
}

// given checks a value that is written where a type says what it may be.
func (c *checker) given(e ast.Expr, typ string, optional bool, at place) {
	if wrong := c.misfit(e, typ, optional); wrong != "" {
		switch {
		case at.path == "":
			c.report(e.Line(), "argument", "bad argument #%d to '%s' (%s)", at.argument+1, at.function, wrong)
		default:
			if text, ok := e.(*ast.StringExpr); ok && len(c.Docs.Elements(typ)) > 0 {
				key := at.path[strings.LastIndex(at.path, ".")+1:]
				wrong += fmt.Sprintf("; write %s = %s", key, engine.AsList(key, text.Value))
			}
			c.report(e.Line(), "option", "bad option '%s' of '%s': %s", at.path, at.function, wrong)
		}
		return
	}
	if table, ok := e.(*ast.TableExpr); ok {
		c.table(table, typ, at)
	}
	if f := c.known[e].written; f != nil {
		if signatures := c.Docs.Signatures(typ); len(signatures) == 1 {
			c.returns(f, signatures[0], at)
		}
	}
}

// table checks a table, or a list of tables, that is written where a type says what it may hold.
func (c *checker) table(table *ast.TableExpr, typ string, at place) {
	if elements := strings.Join(c.Docs.Elements(typ), "|"); elements != "" {
		for i, entry := range table.Fields {
			if entry.Key == nil {
				c.given(entry.Value, elements, false, at.index(i+1))
			} else if key, ok := entry.Key.(*ast.StringExpr); ok && c.onlyLists(typ) {
				c.report(key.Line(), "option", "bad option '%s' of '%s': it is a list and has no '%s'", at.path, at.function, key.Value)
			}
		}
	}
	if held := strings.Join(c.Docs.Values(typ), "|"); held != "" {
		for _, entry := range table.Fields {
			if key, ok := entry.Key.(*ast.StringExpr); ok {
				c.given(entry.Value, held, false, at.key(key.Value))
			}
		}
	}
	if classes := c.optionClasses(table, typ); len(classes) > 0 {
		c.options(table, classes, at)
	}
}

// onlyLists says that a table of a type is a list.
func (c *checker) onlyLists(typ string) bool {
	return !slices.ContainsFunc(c.Docs.Alternatives(typ), func(one string) bool {
		return luaTypeOf(one, c) == "" && one[0] != '"' || luaTypeOf(one, c) == "table" && !strings.HasSuffix(one, "[]")
	})
}

// optionClasses are those that say which keys a table may have; none when it may have any. Of several it is one that has
// nothing which the table lacks, if there is one.
func (c *checker) optionClasses(table *ast.TableExpr, typ string) []*meta.Class {
	classes, open := c.Docs.Tables(typ, "")
	if open {
		return nil
	}
	// An object is made by some function: a table with its fields is not taken for one.
	classes = slices.DeleteFunc(classes, func(class *meta.Class) bool { return len(class.Methods) > 0 })
	complete := slices.DeleteFunc(slices.Clone(classes), func(class *meta.Class) bool {
		return slices.ContainsFunc(c.Docs.Fields(class), func(f meta.Field) bool {
			return needed(f) && entryOf(table, f.Name) == nil
		})
	})
	if len(complete) > 0 {
		return complete
	}
	return classes
}

func needed(f meta.Field) bool { return !f.Optional && !strings.HasPrefix(f.Name, "[") }

// options checks the keys of a table that one of some classes describes.
func (c *checker) options(table *ast.TableExpr, classes []*meta.Class, at place) {
	var names []string
	for _, class := range classes {
		for _, f := range c.Docs.Fields(class) {
			names = append(names, f.Name)
		}
	}
	certain := true // all keys are known
	for _, entry := range table.Fields {
		key, ok := entry.Key.(*ast.StringExpr)
		if _, list := entry.Value.(*ast.TableExpr); !ok && (entry.Key != nil || !list) { // { "http://…", status = 200 }
			certain = false
		}
		if !ok {
			continue
		}
		if !slices.ContainsFunc(classes, func(class *meta.Class) bool { return c.Docs.Accepts(class, key.Value) }) {
			c.report(key.Line(), "option", "unknown option '%s' of '%s'%s", at.key(key.Value).path, at.function, meant(key.Value, names))
			certain = false // it may stand for one that is missing
			continue
		}
		typ, optional := c.fieldType(classes, key.Value)
		c.given(entry.Value, typ, optional, at.key(key.Value))
	}
	if !certain {
		return
	}
	for _, f := range c.Docs.Fields(classes[0]) {
		if c.allNeed(classes, f.Name) && entryOf(table, f.Name) == nil {
			c.report(table.Line(), "option", "bad option '%s' of '%s': it is required", at.key(f.Name).path, at.function)
		}
	}
}

// fieldType is what a key may be in any of some classes.
func (c *checker) fieldType(classes []*meta.Class, name string) (typ string, optional bool) {
	var types []string
	for _, class := range classes {
		for _, f := range c.Docs.Fields(class) {
			if f.Name == name {
				types = append(types, f.Type)
				optional = optional || f.Optional
			}
		}
	}
	return strings.Join(types, "|"), optional
}

// allNeed says whether each of some classes has a field that cannot be left out.
func (c *checker) allNeed(classes []*meta.Class, name string) bool {
	return !slices.ContainsFunc(classes, func(class *meta.Class) bool {
		return !slices.ContainsFunc(c.Docs.Fields(class), func(f meta.Field) bool { return f.Name == name && needed(f) })
	})
}
