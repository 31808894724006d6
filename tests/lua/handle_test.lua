local mur = require "mur"
local t = mur.test

t.describe("a handle", function()
  t.it("reads what its process writes", function()
    local h = mur.handle.start { command = { "sh", "-c", "echo one; echo two; exit 3" } }
    t.expect(h:read_line()):is("one")
    t.expect(h:read_line()):is("two")
    t.expect(h:wait().code):is(3)
    t.expect(h.state):is("exited")
  end)
  t.it("polls what is new", function()
    local h = mur.handle.start { command = { "sh", "-c", "echo first; read x; echo second" }, stdin = true }
    local seen = ""
    t.eventually(function() seen = seen .. h:poll() return seen == "first\n" end)
    h:write("go\n")
    t.eventually(function() seen = seen .. h:poll() return seen == "first\nsecond\n" end)
  end)
  t.it("is killed with all it started", function()
    local h = mur.handle.start { command = { "sh", "-c", "trap '' TERM; setsid sleep 600 & echo $!; sleep 600" } }
    local pid = tonumber(h:read_line())
    h:kill()
    t.eventually(function() return mur.running.identity(pid) == nil end)
    t.expect(h.state):is("killed")
  end)
  t.it("runs a pipeline", function()
    local h = mur.handle.start { line = "printf 'b\\na\\n' | sort" }
    h:wait()
    t.expect(h:poll()):is("a\nb\n")
  end)
  t.it("of a program that is not there is refused", function()
    t.expect(function() mur.handle.start { command = { "/no/such/program" } } end):fails("not_started")
  end)
  t.it("over the cap is refused", function()
    for _ = 1, 8 do mur.handle.start { command = { "sleep", "600" } } end
    t.expect(function() mur.handle.start { command = { "sleep", "600" } } end):fails("cap is 8")
    t.expect(mur.handle.kill_all()):is(8)
  end)
  local pid -- of whichever of these two runs first
  t.it("is ended with the test, {1}", function()
    if pid then t.expect(mur.running.identity(pid)):is(nil) end
    pid = mur.handle.start({ command = { "sleep", "600" } }).pids[1]
  end, { each = { "once", "again" } })
end)

t.describe("process.run", function()
  t.it("gives output and status", function()
    local result = mur.process.run { command = { "sh", "-c", "echo out; echo err >&2; exit 4" } }
    t.expect(result):includes({ code = 4, ok = false })
    t.expect(result.stdout):is("out\n")
    t.expect(result.stderr):is("err\n")
  end)
  t.it("gives input", function()
    t.expect(mur.process.run({ command = { "cat" }, input = "through" }).stdout):is("through")
  end)
  t.it("gives up in time", function()
    t.expect(function() mur.process.run { command = { "sleep", "600" }, timeout = 0.05 } end):fails("timeout")
  end)
  t.it("loses no line", function()
    local result = mur.process.run { command = { "sh", "-c", "i=0; while [ $i -lt 2000 ]; do echo $i; i=$((i+1)); done" } }
    local lines = select(2, result.stdout:gsub("\n", ""))
    t.expect(lines):is(2000)
  end)
end)
