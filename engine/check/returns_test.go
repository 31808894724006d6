package check

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhatPoliciesReturn(t *testing.T) {
	s := surface(t)
	const (
		member = "mur.formation.plan { members = { { name = 'a', command = { 'x' }, "
		items  = `is none of "prune", "stop", "kill", "remove", "end", "keep"`
		acts   = `is none of "stop", "restart", "ignore"`
	)
	for source, want := range map[string]string{
		"mur.sweep.run { policy = function(item)\nif item.age then return 'delte' end\nreturn 'prune', 'why' end }":              `2: 'policy' of 'mur.sweep.run' cannot return that: "delte" ` + items,
		"mur.sweep.run { policy = function() return 'remov' end }":                                                               `1: 'policy' of 'mur.sweep.run' cannot return that: "remov" ` + items + `; did you mean 'remove'?`,
		"mur.sweep.run { policy = function() return { action = 'remove' } end }":                                                 `1: 'policy' of 'mur.sweep.run' cannot return that: string or boolean expected, got table`,
		"mur.sweep.run { policy = function() return true end }":                                                                  `1: 'policy' of 'mur.sweep.run' cannot return that: string or boolean expected, got boolean`,
		"mur.sweep.run { policy = function(item) return item.age and 'kil' or 'keep' end }":                                      `1: 'policy' of 'mur.sweep.run' cannot return that: "kil" ` + items + `; did you mean 'kill'?`,
		"mur.sweep.run { policy = function() for _ = 1, 2 do do return 'x' end end end }":                                        `1: 'policy' of 'mur.sweep.run' cannot return that: "x" ` + items,
		"local function p() return 'x' end\nmur.sweep.run { policy = p }":                                                        `1: 'policy' of 'mur.sweep.run' cannot return that: "x" ` + items,
		"mur.sweep.run { policy = mur.sweep.first { function() return 'x' end } }":                                               `1: argument #1[1] of 'mur.sweep.first' cannot return that: "x" ` + items,
		"mur.sweep.owned_by('.', function() return 'x' end)":                                                                     `1: argument #2 of 'mur.sweep.owned_by' cannot return that: "x" ` + items,
		"return function(item, live) return 'x' end":                                                                             `1: 'policy' of 'murlua sweep' cannot return that: "x" ` + items,
		"return { policy = function(item, live) return 'x' end, over = { 'record' } }":                                           `1: 'policy' of 'mur.sweep.run' cannot return that: "x" ` + items,
		"return function(a, b) return 'x' end":                                                                                   "",
		"mur.sweep.run { policy = function(item) local f = function() return 'x' end return f() end }":                           "",
		"mur.sweep.run { policy = function(item) if item.age then return nil end return item.age == 1 and 'stop' or false end }": "",
		"local word = 'x' mur.sweep.run { policy = function() return word end }":                                                 "",

		member + "on_exit = function(exit) return exit.code == 0 and 'stpo' end } } }":           `1: 'members[1].on_exit' of 'mur.formation.plan' cannot return that: "stpo" ` + acts + `; did you mean 'stop'?`,
		member + "on_exit = function(exit) return 'restart', 'soon' end } } }":                   `1: 'members[1].on_exit' of 'mur.formation.plan' cannot return that: number expected, got string`,
		member + "on_exit = function(exit) return 'restart', 3 end } } }":                        "",
		member + "on_exit = function(exit) return exit.cod end } } }":                            "1: a mur.Exit has no 'cod'; did you mean 'code'?",
		member + "on_exit = 'restrat' } } }":                                                     `1: bad option 'members[1].on_exit' of 'mur.formation.plan': "restrat" ` + acts + `; did you mean 'restart'?`,
		member + "health = { check = print, on_unhealthy = function() return 'kill' end } } } }": `1: 'members[1].health.on_unhealthy' of 'mur.formation.plan' cannot return that: "kill" ` + acts,
		member + "ready = function(m) return m.output end } } }":                                 `1: 'members[1].ready' of 'mur.formation.plan' cannot return that: boolean expected, got a function; write m:output() to call it`,
		member + "ready = function(m) return m:output():find 'x', 'no x' end } } }":              "",
		member + "ready = function(m) return 1 end } } }":                                        "",
	} {
		if diff := cmp.Diff(want, found(s, source)); diff != "" {
			t.Errorf("%q (-want +got)\n%s", source, diff)
		}
	}
}

func TestGlobalsThatWereMeantToBeLocal(t *testing.T) {
	s := surface(t)
	for source, want := range map[string]string{
		"local function f()\ntotal = 0 return total end return f":                                        "2: 'total' is a global, and used nowhere else: write local total = …",
		"for i = 1, 2 do\nsquare = i * i print(square) end":                                              "2: 'square' is a global, and used nowhere else: write local square = …",
		"local function f() total = 0 return function() total = total + 1 return total end end return f": "1: 'total' is a global, and used nowhere else: write local total = …",
		"total = 0 print(total)":                                                 "",
		"local function f() last = 1 end return f":                               "",
		"local function f() n = (n or 0) + 1 return n end return f":              "",
		"local function f() total = 0 return total end print(total) return f":    "",
		"local function f() total = 0 return total end print(_G.total) return f": "",
		"local function f() if h then x = 1 end return x end return f":           "",
		"local function f() local total total = 0 return total end return f":     "",
	} {
		if diff := cmp.Diff(want, found(s, source)); diff != "" {
			t.Errorf("%q (-want +got)\n%s", source, diff)
		}
	}
}

func TestPlansThatNothingUses(t *testing.T) {
	s := surface(t)
	for source, want := range map[string]string{
		"\nlocal plan = { members = {} }":                                "2: nothing uses the plan 'plan': return it, or give it to mur.formation.launch",
		"local plan = { members = {} } return plan":                      "",
		"local plan = { members = {} } mur.formation.launch(plan)":       "",
		"local plan = { members = {} } plan.members[1] = { name = 'a' }": "",
	} {
		if diff := cmp.Diff(want, found(s, source)); diff != "" {
			t.Errorf("%q (-want +got)\n%s", source, diff)
		}
	}
}

func TestGlobalsOfTheScriptsOwnMaking(t *testing.T) {
	s := surface(t)
	for source, want := range map[string]string{
		"local function f() return v end setfenv(f, { v = 1 })":            "",
		"setmetatable(_G, { __index = function() return 1 end }) print(v)": "",
		"setmetatable({}, { __index = _G }) print(v)":                      "1: there is no global 'v'",
	} {
		if diff := cmp.Diff(want, found(s, source)); diff != "" {
			t.Errorf("%q (-want +got)\n%s", source, diff)
		}
	}
}
