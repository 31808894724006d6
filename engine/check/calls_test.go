package check

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// found is what is found in a script, without the name of the file. It starts with `local mur = require "mur"` and a
// handle h, on line 1.
func found(s Surface, source string) string {
	var lines []string
	for _, f := range Script("x.lua", `local mur = require "mur" local h = mur.handle.start { command = { "x" } } `+source, s) {
		lines = append(lines, strings.TrimPrefix(f.String(), "x.lua:"))
	}
	return strings.Join(lines, "\n")
}

func TestWhatIsNotCalled(t *testing.T) {
	s := surface(t)
	const poll = "'h.poll' is a method, which is not called here; write h:poll()"
	for source, want := range map[string]string{
		"\nlocal x = h.poll:find 'x' return x":                      "2: " + poll,
		"\nlocal x = h.poll .. 'x' return x":                        "2: " + poll,
		"print(#h.poll)":                                            "1: " + poll,
		"print(h.poll + 1)":                                         "1: " + poll,
		"print(h.poll == 'x')":                                      "1: " + poll,
		"print(h.poll < h.code)":                                    "1: " + poll,
		"print(h.poll.x)":                                           "1: " + poll,
		"h.poll.x = 1":                                              "1: " + poll,
		"print(h.poll)":                                             "1: " + poll,
		"if h.poll then print 'x' end":                              "1: " + poll,
		"while not h.poll do print 'x' end":                         "1: " + poll,
		"repeat until h.state == 'exited' or h.poll":                "1: " + poll,
		"assert(h.poll)":                                            "1: " + poll,
		"assert(h).poll()":                                          "1: 'poll' is a method of a mur.Handle, called with ':': write assert(…):poll()",
		"local out = h.poll print(out:find 'x')":                    "1: 'out' is a method, which is not called here; write out()",
		"mur.fs.write('x', h.poll)":                                 "1: bad argument #2 to 'mur.fs.write' (string expected, got a function; write h:poll() to call it)",
		"mur.process.run { command = { 'x', '--port', mur.port } }": "1: bad option 'command[3]' of 'mur.process.run': string expected, got a function; write mur.port() to call it",
		"print('http://localhost:' .. mur.port)":                    "1: 'mur.port' is a function, which is not called here; write mur.port()",
		"print(h.signal .. 1)":                                      "1: 'h.signal' is a method, which is not called here; write h:signal(…)",
		"for e in mur.task.queue().each do print(e) end":            "1: 'mur.task.queue().each' is a method, which is not called here; write mur.task.queue():each()",
		"local function f() end print(f .. 1)":                      "1: 'f' is a function, which is not called here; write f()",
		"mur.retry.call(function() return h.poll end)":              "",
		"mur.defer(h.stop) mur.task.spawn(h.kill) local f = h.wait return f, h.stop": "",
		"local t = { stop = h.stop, [h.kill] = h.poll } pcall(h.stop, h) return t":   "",
		"print(h.stop == nil, h.stop == h.kill, type(h.stop), h.stop ~= print)":      "",
		"if mur.port then print 'new' end local f = h.x and h.stop return f":         "1: a mur.Handle has no 'x'",
		"local hook = function() end if hook then hook() end":                        "",
		"local h = other h = 1 other = h.poll .. 'x'":                                "",
	} {
		if diff := cmp.Diff(want, found(s, source)); diff != "" {
			t.Errorf("%q (-want +got)\n%s", source, diff)
		}
	}
}

func TestDotsAndColons(t *testing.T) {
	s := surface(t)
	for source, want := range map[string]string{
		"h.stop()":                               "1: 'stop' is a method of a mur.Handle, called with ':': write h:stop()",
		"h.signal('TERM')":                       "1: 'signal' is a method of a mur.Handle, called with ':': write h:signal(…)",
		"h.stop { grace = 1 }":                   "1: 'stop' is a method of a mur.Handle, called with ':': write h:stop(…)",
		"h.stop(h) local k = h h.stop(k)":        "",
		"mur.json:encode {}":                     "1: 'mur.json.encode' is a function of a module and takes no object: write mur.json.encode(…)",
		"print(string:rep(3))":                   "1: 'string.rep' is a function of a library and takes no object: write string.rep(…)",
		"print(('x'):rep(3), io.stdout:write())": "",
		"mur.test.expect(1).is(2)":               "1: 'is' is a method of a mur.Expectation, called with ':': write mur.test.expect(…):is(…)",
		"mur.test.expect(1).never:is(2)":         "",
		"mur.capsule { name = 'x', version = '1', on_task = function(task) return task.peers.a.send('x') end }": "1: 'send' is a method of a mur.Peer, called with ':': write task.peers.a:send(…)",
	} {
		if diff := cmp.Diff(want, found(s, source)); diff != "" {
			t.Errorf("%q (-want +got)\n%s", source, diff)
		}
	}
}

func TestArguments(t *testing.T) {
	s := surface(t)
	for source, want := range map[string]string{
		"mur.sleep()":       "1: bad argument #1 to 'mur.sleep' (number expected, got no value)",
		"mur.sleep('soon')": "1: bad argument #1 to 'mur.sleep' (number expected, got string)",
		"mur.sleep('1') mur.sleep(mur.port()) mur.env.get(1)":                          "",
		"local function f(...) mur.fs.write(...) mur.fs.write('x', ...) end f()":       "",
		"mur.formation.launch {}":                                                      "1: bad option 'members' of 'mur.formation.launch': it is required",
		"mur.formation.launch { { name = 'a' } }":                                      "1: bad option 'members' of 'mur.formation.launch': it is required",
		"mur.formation.launch(mur.formation.plan { members = {} })":                    "",
		"mur.formation.plan { members = { web = {} } }":                                "1: bad option 'members' of 'mur.formation.plan': it is a list and has no 'web'",
		"mur.capsule { name = 'x' }":                                                   "1: bad option 'version' of 'mur.capsule': it is required\n1: bad option 'on_task' of 'mur.capsule': it is required",
		"mur.ready.http { 'http://localhost:1', status = 200 }":                        "",
		"mur.ready.http { status = 200 }":                                              "1: bad option 'url' of 'mur.ready.http': it is required",
		"mur.handle.start { command = { 'x' }, containment = 'cgruop' }":               "1: bad option 'containment' of 'mur.handle.start': \"cgruop\" is none of \"group\", \"tracked\", \"cgroup\", \"sealed\", \"job\"; did you mean 'cgroup'?",
		"mur.handle.start { command = { 'x' }, grace = '10s', pty = 1 }":               "1: bad option 'grace' of 'mur.handle.start': number expected, got string\n1: bad option 'pty' of 'mur.handle.start': boolean or table expected, got number",
		"mur.handle.start { command = { 'x' }, grace = nil, env = { A = 1, B = {} } }": "1: bad option 'env.B' of 'mur.handle.start': string expected, got table",
		"mur.sweep.find { over = { 'recrod' } }":                                       "1: bad option 'over[1]' of 'mur.sweep.find': \"recrod\" is none of \"record\", \"unreadable\", \"formation\", \"cgroup\", \"tracked\", \"scratch\"; did you mean 'record'?",
		"mur.test.expect(function() mur.sleep('soon') end):fails 'usage'":              "",
		"mur.test.expect(function() mur.sleep('soon') end):succeeds()":                 "1: bad argument #1 to 'mur.sleep' (number expected, got string)",
		"mur.test.expect(function() mur.sleep(zzzzzz) end):fails()":                    "1: there is no global 'zzzzzz'",
	} {
		if diff := cmp.Diff(want, found(s, source)); diff != "" {
			t.Errorf("%q (-want +got)\n%s", source, diff)
		}
	}
}

func TestWhatIsKnownOfValues(t *testing.T) {
	s := surface(t)
	for source, want := range map[string]string{
		"local f = mur.formation.launch { members = {} } local e = f:wait() print(e.cod, e.processes.a.cod, e.processes.a.code)": "1: a mur.Ending has no 'cod'; did you mean 'code'?\n1: a mur.MemberEnding has no 'cod'; did you mean 'code'?",
		"for _, r in ipairs(mur.running.list()) do print(r.capsul_name, r.pid) end":                                              "1: a mur.Record has no 'capsul_name'; did you mean 'capsule_name'?",
		"print(mur.running.list()[1].capsul_name)":                                                                               "1: a mur.Record has no 'capsul_name'; did you mean 'capsule_name'?",
		"print(mur.formation.get('x').lauchner)":                                                                                 "1: a mur.KnownFormation has no 'lauchner'; did you mean 'launcher'?",
		"mur.formation.launch { members = {}, on_event = function(e) print(e.membr, e.kind) end }":                               "1: a mur.FormationEvent has no 'membr'; did you mean 'member'?",
		"mur.formation.launch { members = {}, on_event = function(e) e.membr = 1 print(e.membr) end }":                           "",
		"mur.formation.launch { members = {}, on_event = function(e) e = {} print(e.membr) end }":                                "",
		"print(h.state == 'runing', h.state == 'running', 'killd' ~= h.state)":                                                   "1: 'h.state' is never \"runing\"; it is one of \"running\", \"exited\", \"killed\", \"orphaned\"; did you mean 'running'?\n1: 'h.state' is never \"killd\"; it is one of \"running\", \"exited\", \"killed\", \"orphaned\"; did you mean 'killed'?",
		"string.mine = print string.mine()":                                                                                      "",
	} {
		if diff := cmp.Diff(want, found(s, source)); diff != "" {
			t.Errorf("%q (-want +got)\n%s", source, diff)
		}
	}
}
