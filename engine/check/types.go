package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

// typed is what is known of a value of a type: something when it is always of one, or nil.
func (c *checker) typed(typ string) value {
	if len(c.words(typ)) > 0 {
		return value{kind: isWord, typ: typ}
	}
	only := ""
	for _, one := range c.Docs.Alternatives(typ) {
		if one == "nil" {
			continue
		}
		if only != "" {
			return value{}
		}
		only = one
	}
	if class := c.Docs.Class(only); class != nil {
		return value{kind: isObject, class: class}
	}
	if elements := c.Docs.Elements(only); len(elements) == 1 {
		return value{kind: isList, typ: elements[0]}
	}
	if held := c.Docs.Values(only); len(held) == 1 {
		return value{kind: isMap, typ: held[0]}
	}
	if made := c.Docs.Signatures(only); len(made) == 1 && len(made[0].Params) == 0 && len(made[0].Returns) > 0 {
		return value{kind: isIterator, typ: made[0].Returns[0]}
	}
	return value{}
}

// words are those of which a value of a type is one; none when it may be anything else, other than nil.
func (c *checker) words(typ string) (words []string) {
	for _, one := range c.Docs.Alternatives(typ) {
		switch {
		case strings.HasPrefix(one, `"`):
			words = append(words, strings.Trim(one, `"`))
		case one != "nil":
			return nil
		}
	}
	return words
}

// misfit says why a value cannot be of a type: "number expected, got string". Empty: it can, or nothing is certain.
func (c *checker) misfit(e ast.Expr, typ string, optional bool) string {
	got := c.luaType(e)
	if got == "" || optional && got == "nil" {
		return ""
	}
	var words []string
	for _, one := range c.Docs.Alternatives(typ) {
		if strings.HasPrefix(one, `"`) {
			words = append(words, strings.Trim(one, `"`))
			continue
		}
		expected := luaTypeOf(one, c)
		text, isText := e.(*ast.StringExpr)
		switch {
		case one == "false" && got == "boolean":
			if _, is := e.(*ast.FalseExpr); is {
				return ""
			}
		case expected == "" || expected == got:
			return ""
		case expected == "string" && got == "number":
			return ""
		case expected == "number" && isText && isNumber(text.Value):
			return ""
		}
	}
	if text, ok := e.(*ast.StringExpr); ok && len(words) > 0 {
		if slices.Contains(words, text.Value) {
			return ""
		}
		return fmt.Sprintf("%q is none of %s%s", text.Value, quoted(words), meant(text.Value, words))
	}
	if c.isCallable(e) {
		return fmt.Sprintf("%s expected, got a function; write %s to call it", c.wanted(typ), c.asCall(e))
	}
	return fmt.Sprintf("%s expected, got %s", c.wanted(typ), got)
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	_, whole := strconv.ParseInt(strings.TrimSpace(text), 0, 64)
	return err == nil || whole == nil
}

func quoted(words []string) string {
	list := make([]string, len(words))
	for i, word := range words {
		list[i] = strconv.Quote(word)
	}
	return strings.Join(list, ", ")
}

// luaType is the type that an expression certainly has, or "".
func (c *checker) luaType(e ast.Expr) string {
	switch e.(type) {
	case *ast.StringExpr:
		return "string"
	case *ast.NumberExpr:
		return "number"
	case *ast.TrueExpr, *ast.FalseExpr:
		return "boolean"
	case *ast.NilExpr:
		return "nil"
	case *ast.TableExpr:
		return "table"
	case *ast.FunctionExpr:
		return "function"
	}
	if c.known[e].callable() {
		return "function"
	}
	return ""
}

// luaTypeOf is the type of Lua that a type of the stubs is, or "" when it may be several.
func luaTypeOf(typ string, c *checker) string {
	switch {
	case typ == "integer":
		return "number"
	case typ == "false":
		return "boolean"
	case slices.Contains([]string{"string", "number", "boolean", "nil", "function"}, typ):
		return typ
	case strings.HasPrefix(typ, "fun("):
		return "function"
	case strings.HasPrefix(typ, "table") || strings.HasPrefix(typ, "{") || strings.HasSuffix(typ, "[]") || c.Docs.Class(typ) != nil:
		return "table"
	}
	return ""
}

// wanted names the types of Lua that a type stands for.
func (c *checker) wanted(typ string) string {
	var names []string
	for _, one := range c.Docs.Alternatives(typ) {
		name := luaTypeOf(one, c)
		if strings.HasPrefix(one, `"`) {
			name = "string"
		}
		if name != "" && name != "nil" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}
