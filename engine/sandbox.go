package engine

import lua "github.com/yuin/gopher-lua"

// What a sandboxed script sees of the language's libraries; everything else is missing. Reading the clock is allowed,
// and so is everything that only computes.
var sandboxed = map[string][]string{
	"": {
		"_G", "_VERSION", "arg", "assert", "error", "getmetatable", "ipairs", "load", "loadstring", "next", "pairs", "pcall",
		"print", "rawequal", "rawget", "rawset", "require", "select", "setmetatable", "tonumber", "tostring", "type",
		"unpack", "xpcall", "coroutine", "math", "os", "string", "table",
	},
	"os": {"clock", "date", "difftime", "time"},
}

// Limits of a sandboxed script where the options name none.
const (
	sandboxBudget     = 2_000_000_000 // instructions; about two minutes of a busy loop
	sandboxString     = 16 << 20      // bytes
	sandboxOutput     = 16 << 20      // bytes
	sandboxTasks      = 1000
	sandboxCoroutines = 1000
)

// restrict sets a sandbox's limits.
func (o *Options) restrict() {
	if o.Budget == 0 {
		o.Budget = sandboxBudget
	}
	if o.MaxString == 0 {
		o.MaxString = sandboxString
	}
	if o.MaxOutput == 0 {
		o.MaxOutput = sandboxOutput
	}
	if o.MaxTasks == 0 {
		o.MaxTasks = sandboxTasks
	}
	if o.MaxCoroutines == 0 {
		o.MaxCoroutines = sandboxCoroutines
	}
	o.Shell = nil
	safe := o.Modules[:0:0]
	for _, m := range o.Modules {
		if m.Safe {
			safe = append(safe, m)
			continue
		}
		if o.withheld == nil {
			o.withheld = map[string]bool{}
		}
		o.withheld[m.Name] = true
	}
	o.Modules = safe
}

// confine takes away what is not on the list. The script has a VM of its own, so nothing else can be reached through
// what stays.
func (h *Host) confine(globals *lua.LTable) {
	keepOnly(globals, sandboxed[""])
	for name, keep := range sandboxed {
		if table, ok := globals.RawGetString(name).(*lua.LTable); ok {
			keepOnly(table, keep)
		}
	}
	for _, name := range []string{"io", "debug", "package"} {
		h.loaded.RawSetString(name, lua.LNil)
	}
	if meta, ok := h.base.GetMetatable(lua.LString("")).(*lua.LTable); ok {
		meta.RawSetString("__metatable", lua.LFalse)
	}
}

func keepOnly(table *lua.LTable, names []string) {
	keep := map[string]bool{}
	for _, name := range names {
		keep[name] = true
	}
	var drop []string
	table.ForEach(func(key, _ lua.LValue) {
		if name, ok := key.(lua.LString); !ok || !keep[string(name)] {
			drop = append(drop, key.String())
		}
	})
	for _, name := range drop {
		table.RawSetString(name, lua.LNil)
	}
}
