package engine

import (
	"context"
	"sort"

	lua "github.com/yuin/gopher-lua"
)

// Globals lists the globals of a script, and the members of those that are tables.
func Globals() (names []string, members map[string][]string, err error) {
	h, err := New(Options{})
	if err != nil {
		return nil, nil, err
	}
	defer h.Close(context.Background()) // nothing runs in it
	members = map[string][]string{}
	globals := h.base.G.Global
	names = globalNames(globals)
	sort.Strings(names)
	for _, name := range names {
		if table, ok := globals.RawGetString(name).(*lua.LTable); ok && name != "arg" {
			members[name] = globalNames(table)
			sort.Strings(members[name])
		}
	}
	return names, members, nil
}
