package check

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNothingIsSaidOfWhatIsNotCertain: these scripts are right.
func TestNothingIsSaidOfWhatIsNotCertain(t *testing.T) {
	s := surface(t)
	s.Module = func(name string) (string, bool) {
		source, found := map[string]string{
			"lib":  "function helper() return shared end require 'deep' require 'lib'",
			"deep": "deepest = 1",
			"wild": "loadstring 'x = 1' ()",
		}[name]
		return source, found
	}
	for source, want := range map[string]string{
		// what the script puts into a table of ours
		"mur.formation.launch { members = {}, on_event = function(e) e.kind = 'mine' print(e.kind == 'mine') end }":                  "",
		"mur.formation.launch { members = {}, on_event = function(e) local k = e k.kind = 'mine' print(e.kind == 'mine') end }":      "",
		"local list = mur.running.list() list[#list + 1] = { mine = 1 } for _, r in ipairs(list) do print(r.mine, list[1].mine) end": "",
		"local list = mur.running.list() table.insert(list, { mine = 1 }) for _, r in ipairs(list) do print(r.mine) end":             "",
		"mur.http.get = function() return 1 end print(mur.http.get())":                                                               "",
		"function mur.http.get() return 1 end print(mur.http.get())":                                                                 "",
		"for name, f in pairs(other) do mur.fs[name] = f end print(mur.fs.mine()) other = 1":                                         "",
		"for name, f in pairs(other) do string[name] = f end print(('x'):mine(), string.mine) other = 1":                             "",
		"rawset(string, 'mine', print) print(('x'):mine())":                                                                          "",
		"self = { state = 'x' } self.state = 'y' print(h.state == 'y')":                                                              "1: 'h.state' is never \"y\"; it is one of \"running\", \"exited\", \"killed\", \"orphaned\"",
		// functions that are values
		"local function f() end print(f, tostring(f)) assert(f, 'none') assert(mur.retry.call, 'too old')": "",
		"print(tostring(mur.port))": "1: 'mur.port' is a function, which is not called here; write mur.port()",
		// the left side of 'or' is not what comes out when it is false
		"mur.sweep.run { policy = function(item) return item.age and false or 'keep' end }": "",
		"mur.ready.policy(function(m) return nil or true end)":                              "",
		// what another version of the language has
		"local t = math.type and math.type(1) or 'number' print(t) if string.pack then print(string.pack('z')) end":        "",
		"local move = table.move or print print(move, utf8 == nil, coroutine.isyieldable == nil, type(math.ult)) utf8 = 1": "",
		"assert(string.pack, 'too old') print(string.pack(1), string.pakc)":                                                "1: there is no 'string.pakc'",
		// globals that somebody else assigns
		"_G.mine = 1 print(mine)":                                                           "",
		"for _, n in ipairs { 'a' } do _G[n] = n end print(mine)":                           "",
		"rawset(_G, 'mine', 1) print(mine)":                                                 "",
		"loadstring 'mine = 1' () print(mine)":                                              "",
		"dofile 'x.lua' print(mine)":                                                        "",
		"require 'lib' print(helper(), deepest, mine)":                                      "1: there is no global 'mine'",
		"pcall(require, 'lib') print(helper(), mine)":                                       "1: there is no global 'mine'",
		"require 'wild' print(mine)":                                                        "",
		"require 'nowhere' print(mine)":                                                     "",
		"require(mur.env.get 'X') print(mine)":                                              "",
		"pcall(require, mur.env.get 'X') print(mine)":                                       "",
		"pcall(require, 'mur.x') print(mine)":                                               "1: there is no global 'mine'",
		"require 'lib' local function f() shared = 1 return shared + helper() end return f": "",
	} {
		if diff := cmp.Diff(want, found(s, source)); diff != "" {
			t.Errorf("%q (-want +got)\n%s", source, diff)
		}
	}
}
