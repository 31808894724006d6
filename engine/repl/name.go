package repl

import (
	"cmp"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine"
)

// NameOf returns the name under which argument n of a call is described: a string is its own; functions and tables
// have the name they are found by in mur; objects have that of the class that describes them; others have none, as does nothing.
func NameOf(c *engine.Call, n int) string {
	v := c.Get(n)
	switch v := v.(type) {
	case lua.LString:
		return string(v)
	case *lua.LUserData:
		if of := engine.TypeOf(v); of != nil {
			return cmp.Or(of.Class, of.Name)
		}
	case *lua.LFunction, *lua.LTable:
		return nameInMur(c, v)
	}
	if c.Has(n) {
		return v.Type().String()
	}
	return ""
}

func nameInMur(c *engine.Call, v lua.LValue) string {
	loaded, err := c.Call(c.L().G.Global.RawGetString("require"), "mur")
	if err != nil || len(loaded) == 0 {
		return v.Type().String()
	}
	mur, ok := loaded[0].(*lua.LTable)
	if !ok || v == mur {
		return "mur"
	}
	name := ""
	mur.ForEach(func(key, member lua.LValue) {
		module, isTable := member.(*lua.LTable)
		switch {
		case member == v:
			name = "mur." + key.String()
		case isTable:
			module.ForEach(func(inner, function lua.LValue) {
				if function == v {
					name = "mur." + key.String() + "." + inner.String()
				}
			})
		}
	})
	if name == "" {
		return v.Type().String()
	}
	return name
}
