package check

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"murlua/lifecycle/formation"
	"murlua/stdlib/meta"
)

func surface(t *testing.T) Surface {
	t.Helper()
	docs, err := meta.Load()
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSurface(docs)
	if err != nil {
		t.Fatal(err)
	}
	s.Circle = formation.Circle
	return s
}

func TestScript(t *testing.T) {
	s := surface(t)
	for source, want := range map[string]string{
		"local x =\nlocal y":                            "x.lua:2: syntax error near 'local'",
		"for i = 1, 2 do":                               "x.lua:1: unexpected end near '<eof>'",
		"goto nowhere":                                  "x.lua:1: no visible label 'nowhere' for <goto> at line 1",
		"print(1)\npritn(2)":                            "x.lua:2: there is no global 'pritn'; did you mean 'print'?",
		"local x = 1\nprint(x + y)":                     "x.lua:2: there is no global 'y'",
		"total = 1\nprint(totl)":                        "x.lua:2: there is no global 'totl'; did you mean 'total'?",
		"function f() return g() end\nfunction g() end": "",
		"local function f(a, ...) return a, ..., arg end return f":                       "",
		"for k, v in pairs({}) do print(k, v) end print(k)":                              "x.lua:1: there is no global 'k'",
		"repeat local done = true until done":                                            "",
		"local f = function() return f end":                                              "",
		"string.fomat('%d', 1)":                                                          "x.lua:1: there is no 'string.fomat'; did you mean 'format'?",
		"print(('x'):repp(3))":                                                           "x.lua:1: there is no 'string.repp'; did you mean 'rep'?",
		"table.insrt({}, 1)":                                                             "x.lua:1: there is no 'table.insrt'; did you mean 'insert'?",
		"string = {} string.mine()":                                                      "",
		"string.mine = function() end":                                                   "",
		"local mur = require 'mur'\nmur.task.spwan(print)":                               "x.lua:2: there is no 'mur.task.spwan'; did you mean 'spawn'?",
		"local mur = require('mur')\nmur.ready.within(5, { describe = 'it is up' })":     "x.lua:2: unknown option 'describe' of 'mur.ready.within'",
		"local mur = require('mur')\nlocal p = mur.ready.tcp(1)\nmur.ready.within(5, p)": "",
		"local task = require('mur').task\ntask.spawn(print, { nam = 'x' })":             "x.lua:2: unknown option 'nam' of 'mur.task.spawn'; did you mean 'name'?",
		"local mur = require 'mur'\nlocal t = mur.task.spawn(print)\nt:joi()":            "x.lua:3: a mur.Task has no 'joi'; did you mean 'join'?",
		"local mur = require 'mur'\nmur.tsk.spawn(print)":                                "x.lua:2: there is no 'mur.tsk'; did you mean 'task'?",
		"require('mur.tsk')":                                                             "x.lua:1: there is no module 'mur.tsk'; did you mean 'task'?",
		"local mur = require 'mur'\nmur = other\nmur.anything()":                         "x.lua:2: there is no global 'other'",
		"local mur = require 'mur'\nmur.formation.launch {\n  members = {\n    { name = 'a', commnd = { 'true' } },\n  },\n  ready_withn = 3,\n}": "x.lua:4: unknown option 'members[1].commnd' of 'mur.formation.launch'; did you mean 'command'?\nx.lua:6: unknown option 'ready_withn' of 'mur.formation.launch'; did you mean 'ready_within'?",
		"local opts = { anything = 1 } require('mur').task.spawn(print, opts)":                                                                    "",
		"#!/usr/bin/env murlua\nprint(x)": "x.lua:2: there is no global 'x'",
	} {
		var lines []string
		for _, f := range Script("x.lua", source, s) {
			lines = append(lines, f.String())
		}
		if diff := cmp.Diff(want, strings.Join(lines, "\n")); diff != "" {
			t.Errorf("%q (-want +got)\n%s", source, diff)
		}
	}
}

func TestPlans(t *testing.T) {
	s := surface(t)
	for source, want := range map[string]string{
		"return { members = {\n{ name = 'a', command = { 'true' }, reday = { tcp = 1 } } } }": "x.lua:2: unknown option 'members[1].reday' of 'mur.formation.launch'; did you mean 'ready'?",
		"return { members = { { name = 'a', command = { 'true' }, ready = { tpc = 1 } } } }":  "x.lua:1: unknown option 'members[1].ready.tpc' of 'mur.formation.launch'; did you mean 'tcp'?",
		"return { member = {} }":                                                                                                          "",
		"return { members = {}, ready_witin = 1 }":                                                                                        "x.lua:1: unknown option 'ready_witin' of 'mur.formation.launch'; did you mean 'ready_within'?",
		"local function f() return { members = {}, anything = 1 } end return f":                                                           "",
		"if 1 then return { members = {}, tsk = '' } end":                                                                                 "x.lua:1: unknown option 'tsk' of 'mur.formation.launch'; did you mean 'task'?",
		"return { members = { { name = 'server' }, { name = 'b', after = { 'sever' } } } }":                                               "x.lua:1: member 'b' starts after 'sever', which is not a member; did you mean 'server'?",
		"return { members = { { name = 'a',\ncalls = { 'x' } } } }":                                                                       "x.lua:2: member 'a' calls 'x', which is not a member",
		"return { members = { { name = 'a', after = { 'x' } }, other } } other = 1":                                                       "x.lua:1: syntax error near 'other'",
		"other = {}\nreturn { members = { { name = 'a', after = { 'x' } }, other } }":                                                     "",
		"local n = 'x' return { members = { { name = 'a', after = { 'x' } }, { name = n } } }":                                            "",
		"return { members = { { name = 'a' },\n{ name = 'a' } } }":                                                                        "x.lua:2: two members are named 'a'",
		"return { members = {\n{ name = 'a', command = 'sleep 100' } } }":                                                                 `x.lua:2: bad option 'members[1].command' of 'mur.formation.launch': table expected, got string; write command = { "sleep", "100" }`,
		"return { members = { { name = 'b' }, { name = 'a', after = 'b' } } }":                                                            `x.lua:1: bad option 'members[2].after' of 'mur.formation.launch': table expected, got string; write after = { "b" }`,
		"return { members = {\n{ name = 'a', after = { 'b' } },\n{ name = 'b', after = { 'a' } } } }":                                     "x.lua:2: members wait for each other: a → b → a",
		"return { members = { { name = 'a', after = { 'a' } } } }":                                                                        "x.lua:1: members wait for each other: a → a",
		"return { members = { { name = 'a' }, { name = 'b', after = { 'a' }, calls = { 'a' } }, { name = 'c', after = { 'a', 'b' } } } }": "",
		"local mur = require 'mur'\nmur.formation.plan { members = { { name = 'a', after = { 'b' } } } }":                                 "x.lua:2: member 'a' starts after 'b', which is not a member",
	} {
		var lines []string
		for _, f := range Script("x.lua", source, s) {
			lines = append(lines, f.String())
		}
		if diff := cmp.Diff(want, strings.Join(lines, "\n")); diff != "" {
			t.Errorf("%q (-want +got)\n%s", source, diff)
		}
	}
}

// deliberate is what is found in the suites because a test is about it.
var deliberate = []string{
	"unknown option 'htpp' of 'mur.ready.policy'; did you mean 'http'?",
	"bad argument #1 to 'mur.ready.policy' (table or function expected, got number)",
}

// TestExamples: nothing is found in what comes with the program.
func TestExamples(t *testing.T) {
	s := surface(t)
	for _, pattern := range []string{
		"../../scripts/examples/*.lua", "../../scripts/examples/*/*.lua", "../../stdlib/*.lua", "../../tests/lua/*.lua", "../../cmd/murlua/*.lua",
		"../../cmd/murlua/new/*.lua",
	} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range Script(file, string(source), s) {
				if !slices.Contains(deliberate, f.Message) {
					t.Error(f)
				}
			}
		}
	}
}
