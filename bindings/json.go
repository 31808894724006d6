package bindings

import (
	lua "github.com/yuin/gopher-lua"

	"murlua/engine"
)

// maxJSONDepth bounds how deep documents and values may be nested, in both directions.
const maxJSONDepth = 200

func jsonModule() engine.Module {
	return engine.Module{
		Name: "json", Safe: true, Doc: "read and write JSON",
		Functions: map[string]engine.Function{
			"encode": jsonEncode,
			"decode": jsonDecode,
			"array":  jsonArray,
		},
		Open: func(_ *engine.Call, module *lua.LTable) error {
			module.RawSetString("null", engine.Null)
			return nil
		},
	}
}

func jsonEncode(c *engine.Call) error {
	o := c.Options(2)
	indent := ""
	if o.Bool("pretty", false) {
		indent = "  "
	}
	switch v := o.Get("indent").(type) {
	case lua.LNumber:
		n := o.Int("indent", 0)
		if n < 0 || n > 16 {
			o.Bad("indent", "0 to 16 blanks expected, got %v", v)
		}
		indent = "                "[:n]
	case lua.LString:
		indent = string(v)
	case *lua.LNilType:
	default:
		o.Bad("indent", "a text or a number of blanks expected, got %s", v.Type())
	}
	o.Done(false)
	text, err := encodeJSON(c.Get(1), indent)
	if err != nil {
		return err
	}
	return c.Return(text)
}

func jsonDecode(c *engine.Call) error {
	text := c.String(1)
	o := c.Options(2)
	dropNull := o.Bool("drop_null", false)
	o.Done(false)
	value, err := decodeJSON(c.L(), text, dropNull)
	if err != nil {
		return err
	}
	return c.Return(value)
}

func jsonArray(c *engine.Call) error {
	table := c.OptTable(1)
	if table == nil {
		table = c.L().NewTable()
	}
	if table.Metatable != lua.LNil && !engine.IsList(table) {
		c.BadArgument(1, "a table without a metatable expected")
	}
	engine.MarkList(c.L(), table)
	return c.Return(table)
}
