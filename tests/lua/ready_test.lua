local mur = require "mur"
local t = mur.test
local ready = mur.ready

-- Nobody listens on this port: it is below those that programs get, and tests run as nobody's service.
local CLOSED = 1

t.describe("mur.ready", function()
  local dir
  t.before_each(function() dir = mur.fs.tempdir() end)
  local function path(name) return mur.fs.join(dir, name) end
  local function touch(name, text) mur.fs.write(path(name), text or "") end

  t.it("says what it waits for and why not yet: {name}", function(case)
    touch("there", "abc")
    local policy = ready.policy(case.policy)
    t.expect(tostring(policy)):is(case.clause)
    local is, why = policy:check { workdir = dir, output = function() return "first\nsecond" end }
    t.expect(is):is(false)
    t.expect(why):is("waiting " .. case.why)
  end, { each = {
    { name = "tcp", policy = { tcp = CLOSED }, clause = "port 1 accepts connections", why = "until port 1 accepts connections: connection refused" },
    {
      name = "unix", policy = { unix = "s" },
      clause = "the socket s accepts connections",
      why = "until the socket s accepts connections: no such file or directory",
    },
    { name = "file", policy = { file = "f" }, clause = "the file f exists", why = "until the file f exists: it is not there" },
    {
      name = "file with a text", policy = { file = { path = "there", contains = "x" } },
      clause = 'the file there has "x"',
      why = 'until the file there has "x": its text does not',
    },
    { name = "log", policy = { log = "third" }, clause = 'it has written "third"', why = 'until it has written "third": 2 lines so far' },
    {
      name = "log twice", policy = { log = { pattern = "first", count = 2 } },
      clause = 'it has written "first" 2 times',
      why = 'until it has written "first" 2 times: 1 times so far',
    },
    { name = "none", policy = { none = { { file = "there" } } }, clause = "not: the file there exists", why = "while the file there exists" },
    {
      name = "all", policy = { all = { { file = "there" }, { file = "f" } } },
      clause = "the file there exists and the file f exists",
      why = "until the file f exists: it is not there",
    },
    {
      name = "a short form of two", policy = { file = "f", log = "second" },
      clause = 'it has written "second" and the file f exists',
      why = "until the file f exists: it is not there",
    },
  } })

  t.it("names every address that was tried", function()
    local _, why = ready.http("http://localhost:1/"):check()
    t.expect(why):includes "127.0.0.1:1: connection refused"
    t.expect(why):includes "[::1]:1: connection refused"
  end)

  t.it("a function may say no with a reason, or with nothing", function()
    local _, why = ready.policy(function() return false, "the table is empty" end):check()
    t.expect(why):is("waiting: the table is empty")
    _, why = ready.policy(function() end):check()
    t.expect(why):matches "waiting until the function at .*ready_test.lua:%d+ says yes"
  end)

  t.it("what the world refuses may change; a fault in the policy does not", function()
    local is, why = ready.policy(function() return mur.fs.read(path "none") end):check()
    t.expect(is):is(false)
    t.expect(why):includes "no such file"
    t.expect(function() ready.policy(function() error "oops" end):check() end):fails "oops"
  end)

  t.it("a function that names another one instead of calling it is a fault", function()
    local err = t.expect(function() ready.policy(function() return mur.fs.exists end):check() end):fails "usage"
    t.expect(err.message):matches "^the policy at .*ready_test.lua:%d+ returned a function; call it with %(%)$"
  end)

  t.it("waits until it is so", function()
    mur.task.spawn(function()
      mur.sleep(0.02)
      touch "f"
    end)
    t.expect(ready.wait({ file = path "f" })):is(true)
  end)

  t.it("gives up at its time", function()
    local ok, err = ready.wait({ file = path "f" }, { within = 0.03 })
    t.expect(ok):is(nil)
    t.expect(err.kind):is("not_ready")
    t.expect(err.message):includes "it is not there"
  end)

  t.it("tells each reason once", function()
    local reasons = {}
    ready.wait({ file = path "f", after_delay = 0.02 }, { within = 0.08, on_waiting = function(why) reasons[#reasons + 1] = why end })
    t.expect(reasons):has_length(2)
  end)

  t.it("stable counts in a row", function()
    local answers, asked = { true, true, false, true, true, true }, 0
    ready.wait(ready.stable(3, function()
      asked = asked + 1
      return answers[asked]
    end))
    t.expect(asked):is(6)
  end)

  t.it("every asks no more often", function()
    local asked, began = 0, mur.time.monotonic()
    ready.wait(ready.every(0.05, function() asked = asked + 1 end), { within = 0.12 })
    -- The last one comes when the time is up; a busy machine takes longer, and asks more often meanwhile.
    t.expect(asked):is_at_most(2 + (mur.time.monotonic() - began) / 0.05)
  end)

  t.it("within has a deadline of its own inside others", function()
    local ok, err = ready.wait(ready.any { ready.within(0.03, { file = path "f" }), { file = path "g" } })
    t.expect(ok):is(nil)
    t.expect(err.message):includes "not within 0.03s"
  end)

  t.it("within asks no less often than it would be asked without", function()
    mur.task.spawn(function()
      mur.sleep(0.02)
      touch "f"
    end)
    local began = mur.time.monotonic()
    t.expect(ready.wait({ file = path "f", stable = 2, within = 25 })):is(true)
    t.expect(mur.time.monotonic() - began):is_below(20)
  end)

  t.it("a command says yes by its status and its output", function()
    touch("f", "done")
    t.expect(ready.command({ "grep", "-q", "done", "f" }):check { workdir = dir }):is(true)
    local _, why = ready.command({ "sh", "-c", "echo no table >&2; exit 3" }):check()
    t.expect(why):includes "exit status 3 (no table)"
    _, why = ready.command({ command = { "echo", "no" }, output = "yes" }):check()
    t.expect(why):includes "it printed something else"
    _, why = ready.command({ "sh", "-c", "kill -9 $$" }):check()
    t.expect(why):includes "it was ended by signal 9"
    t.expect(ready.command({ command = { "sh", "-c", "exit 3" }, status = 3 }):check()):is(true)
    t.expect(function() ready.command({ "no-such-program" }):check() end):fails "not_started"
  end)

  t.it("one policy serves several waits", function()
    local policy = ready.stable(2, function() return true end)
    t.expect(ready.wait(policy)):is(true)
    t.expect(policy:check()):is(false)
  end)

  t.it("refuses {name}", function(case)
    t.expect(case.make):fails "usage"
  end, { each = {
    { name = "a port that is none", make = function() ready.tcp(0) end },
    { name = "an unknown key", make = function() ready.policy { htpp = "x" } end },
    { name = "an empty table", make = function() ready.policy {} end },
    { name = "a number", make = function() ready.policy(6390) end },
    { name = "a malformed pattern", make = function() ready.log "[" end },
    { name = "an empty list", make = function() ready.all {} end },
  } })
end)

t.describe("readiness in a launch", function()
  local function launch(member)
    member.name = "it"
    local f = mur.formation.launch { members = { member } }
    t.finally(function() f:stop() end)
    return f
  end

  t.it("a line of output wakes its policy", function()
    launch { command = { "sh", "-c", "sleep 0.05; echo listening; exec sleep 60" }, ready = { log = "listening" } }
  end)

  t.it("a policy sees its member", function()
    local seen
    launch {
      command = { "sh", "-c", "echo hello; exec sleep 60" }, dir = mur.fs.tempdir(),
      ready = function(m)
        seen = { m.name, m.pid, m.url, m:output() }
        return m:output() ~= ""
      end,
    }
    t.expect(seen[1]):is("it")
    t.expect(seen[2]):is_a("number")
    t.expect(seen[3]):is(nil)
    t.expect(seen[4]):is("hello\n")
  end)

  t.it("a member that ends fails at once, not at the deadline", function()
    local began = mur.time.monotonic()
    local err = t.expect(function()
      launch { command = { "sh", "-c", "echo starting; exit 1" }, ready = { log = "listening" } }
    end):fails "launch_failed"
    t.expect(mur.time.monotonic() - began):is_below(20)
    t.expect(err.failed[1].reason):is("exited_before_ready")
  end)

  t.it("a policy that fails is the reason of the refusal", function()
    local err = t.expect(function()
      launch { command = { "sleep", "60" }, ready = function() error "no such thing" end }
    end):fails "launch_failed"
    t.expect(err.failed[1].reason):is("not_ready")
    t.expect(err.failed[1].message):includes "no such thing"
  end)

  t.it("the deadline says what was missing", function()
    local err = t.expect(function()
      launch { command = { "sleep", "60" }, ready = { tcp = CLOSED }, ready_within = 0.2 }
    end):fails "launch_failed"
    t.expect(err.failed[1].message):includes "waiting until port 1 accepts connections"
  end)

  t.it("events say what is missing", function()
    local reasons = {}
    pcall(mur.formation.launch, {
      members = { { name = "it", command = { "sleep", "60" }, ready = { file = "/nowhere" }, ready_within = 0.1 } },
      on_event = function(e) if e.kind == "not_ready_yet" then reasons[#reasons + 1] = e.detail end end,
    })
    t.eventually(function() return reasons[1] == "waiting until the file /nowhere exists: it is not there" end)
  end)
end)
