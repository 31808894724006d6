-- Formations of all kinds of members, and what goes wrong while they start.
local mur = require "mur"
local t = mur.test

local function capsule(kind, more)
  local member = { name = kind, capsule = kind, version = "1.0.0" }
  for key, value in pairs(more or {}) do member[key] = value end
  return member
end

local function launch(...) return mur.formation.launch { members = { ... }, ready_within = 60, grace = 20 } end

--- Launches members of which one fails, and returns the error. Only what is told by its deadline has a short one.
local function refused(...)
  local members = { ... }
  local late = members[1].name == "silent" or members[1].name == "impostor"
  return t.expect(function()
    mur.formation.launch { members = members, ready_within = late and 3 or 60, grace = 5 }
  end):fails("launch_failed")
end

t.describe("a formation that starts", function()
  t.it("has its members among the running records", function()
    local f = launch(capsule("honest"))
    t.expect(f.id):matches("^frm_%x+$")
    local records = mur.running.list()
    t.expect(#records):is(0) -- a stand-in writes none
    t.expect(f:stop().stopped):is({ "honest" })
  end)
  t.it("waits for a slow member", function()
    local began = mur.time.monotonic()
    launch(capsule("slow"), capsule("honest"))
    t.expect(mur.time.monotonic() - began):is_at_least(0.3)
  end)
  t.it("runs commands under a keeper", function()
    local f = launch({ name = "sleeper", command = { "sleep", "600" } })
    local record = mur.running.list()[1]
    t.expect(record):includes({ formation_id = f.id, formation_member = "sleeper" })
    t.expect(mur.running.verify(record).state):is("live")
    f:stop()
    t.expect(#mur.running.list()):is(0)
  end)
  t.it("ends with the test that launched it, {1}", function()
    t.expect(#mur.running.list()):is(0) -- whichever of these two runs second
    launch({ name = "sleeper", command = { "sleep", "600" } })
    t.expect(#mur.running.list()):is(1)
  end, { each = { "once", "again" } })
  t.it("tells what happens, in order", function()
    local kinds = {}
    local f = mur.formation.launch {
      members = { capsule("honest") },
      on_event = function(e) if e.member == "honest" then kinds[#kinds + 1] = e.kind end end,
    }
    f:stop()
    t.eventually(function() return kinds[#kinds] == "reaped" end)
    local order = {}
    for i, kind in ipairs(kinds) do order[kind] = i end
    t.expect(order.spawned):is_below(order.reported)
    t.expect(order.reported):is_below(order.door_answered)
    t.expect(order.door_answered):is_below(order.ready)
    t.expect(order.ready):is_below(order.stopping)
    t.expect(order.exited):is_below(order.reaped)
  end)
  t.it("starts dependents after what they need", function()
    local order = {}
    mur.formation.launch {
      members = { capsule("honest", { after = { "slow" } }), capsule("slow") },
      on_event = function(e) if e.kind == "ready" and e.member then order[#order + 1] = e.member end end,
    }
    t.eventually(function() return #order == 2 end)
    t.expect(order):is({ "slow", "honest" })
  end)
  t.it("two at once do not mix", function()
    local a, b = launch(capsule("honest")), launch(capsule("honest"))
    t.expect(a.id).never:is(b.id)
    a:stop()
    t.expect(b:stop().stopped):is({ "honest" })
  end)
end)

t.describe("a formation with a name", function()
  local function named(name, member)
    return mur.formation.launch { name = name, members = { member or { name = "sleeper", command = { "sleep", "600" } } } }
  end
  t.it("is found by it", function()
    local f = named("dev")
    t.expect(f.name):is("dev")
    t.expect(mur.formation.get("dev").id):is(f.id)
    t.expect(mur.formation.list()[1].name):is("dev")
    t.expect(launch({ name = "sleeper", command = { "sleep", "600" } }).name):is(nil)
    f:stop()
    local found, err = mur.formation.get("dev")
    t.expect(found):is(nil)
    t.expect(err.kind):is("not_running")
  end)
  t.it("runs once at a time", function()
    local f, events = named("dev"), 0
    local err = t.expect(function()
      mur.formation.launch {
        name = "dev", members = { { name = "b", command = { "sleep", "600" } } }, on_event = function() events = events + 1 end,
      }
    end):fails("already_running")
    t.expect(err.name):is("dev")
    t.expect(err.formation_id):is(f.id)
    t.expect(err.started_at):matches("^%d%d%d%d%-%d%d%-%d%dT%d%d:%d%d:%d%dZ$")
    t.expect(err.message):includes('cannot launch formation "dev": it is running already, as ' .. f.id .. " in process " .. err.pid)
    t.expect(err.hint):includes("stop that one first")
    t.expect(events):is(0)
    t.expect(#mur.running.list()):is(1)
    named("dev2")
    f:stop()
    named("dev")
  end)
  t.it("gives it back when it could not be launched", function()
    t.expect(function() named("dev", capsule("crashing")) end):fails("launch_failed")
    named("dev")
  end)
  t.it("gives it back before the last event", function()
    local again
    local f = mur.formation.launch {
      name = "dev", members = { { name = "a", command = { "sleep", "600" } } },
      on_event = function(e) if e.kind == "ended" and not again then again = named("dev") end end,
    }
    f:stop()
    t.eventually(function() return again ~= nil end)
    t.expect(again.name):is("dev")
  end)
  t.it("{1} is no name", function(name)
    t.expect(function() mur.formation.plan { name = name, members = { { name = "a", command = { "true" } } } } end):fails("usage")
  end, { each = { "../x", "/tmp/x", "Dev", "", "a.b", ("a"):rep(33) } })
  t.it("has it in its plan", function()
    local plan = mur.formation.plan { name = "dev", members = { { name = "a", command = { "true" } } } }
    t.expect(plan.name):is("dev")
    t.expect(mur.formation.launch(plan).name):is("dev")
  end)
end)

t.describe("a member that does not start", function()
  t.it("{kind} is {reason}", function(case)
    local err = refused(capsule(case.kind))
    t.expect(err.failed):has_length(1)
    t.expect(err.failed[1]):includes({ name = case.kind, reason = case.reason })
    if case.says then t.expect(err.message):includes(case.says) end
  end, {
    each = {
      { kind = "silent", reason = "did_not_report" },
      { kind = "garbled", reason = "unreadable_report", says = "its first line is not a readiness line" },
      { kind = "lying", reason = "wrong_formation", says = "it reported formation frm_" },
      { kind = "doorless", reason = "reported_no_door", says = "it reported no door" },
      { kind = "impostor", reason = "door_did_not_answer", says = "did not answer as session" },
      { kind = "fleeting", reason = "exited_before_door_answered", says = "reported and then exited with status 4" },
      { kind = "crashing", reason = "exited_before_reporting", says = "exited with status 3 before reporting" },
    },
  })
  t.it("a crash is told with its last lines", function()
    t.expect(refused(capsule("crashing")).message):includes("this capsule crashes")
  end)
  t.it("a crash fails the launch at once, not at the deadline", function()
    local began = mur.time.monotonic()
    t.expect(function() mur.formation.launch { members = { capsule("crashing") }, ready_within = 60 } end):fails("launch_failed")
    t.expect(mur.time.monotonic() - began):is_below(30)
  end)
  t.it("takes the others down", function()
    local err = refused(capsule("honest"), capsule("crashing", { after = { "honest" } }))
    t.expect(err.stopped):is({ "honest" })
  end)
  t.it("keeps what needs it from starting", function()
    local started = {}
    t.expect(function()
      mur.formation.launch {
        members = { capsule("crashing"), capsule("honest", { after = { "crashing" } }) },
        on_event = function(e) if e.kind == "spawned" then started[e.member] = true end end,
      }
    end):fails("launch_failed")
    t.expect(started.honest):is(nil)
  end)
  t.it("a program that is not there", function()
    local err = refused({ name = "missing", command = { "/no/such/program" } })
    t.expect(err.failed[1].reason):is("not_started")
  end)
  t.it("a command that exits before it is ready", function()
    local err = refused({ name = "short", command = { "sh", "-c", "echo starting; exit 1" }, ready = { log = "listening" } })
    t.expect(err.message):includes("status 1")
  end)
  t.it("leaves no record", function()
    refused({ name = "sleeper", command = { "sleep", "600" } }, capsule("crashing"))
    t.expect(#mur.running.list()):is(0)
  end)
end)

t.describe("a member that does not end", function()
  t.it("is killed when the grace is over", function()
    local f = mur.formation.launch { members = { capsule("deaf") }, grace = 0.1 }
    t.expect(f:stop().stopped):is({ "deaf" })
  end)
  t.it("is killed with what it started", function()
    local pidfile = mur.fs.tempdir() .. "/pid"
    local f = mur.formation.launch {
      members = { { name = "parent", command = { "sh", "-c", "trap '' TERM; setsid sh -c 'echo $$ > " .. pidfile .. "; exec sleep 600' & sleep 600" }, grace = 0.1 } },
    }
    local pid = t.eventually(function() return mur.fs.exists(pidfile) and tonumber(mur.fs.read(pidfile)) end)
    t.expect(mur.running.identity(pid)).never:is(nil)
    f:stop()
    t.expect(mur.running.identity(pid)):is(nil)
  end)
end)

t.describe("a plan", function()
  t.it("refuses {what}", function(case) t.expect(function() mur.formation.launch(case.plan) end):fails(case.says) end, {
    each = {
      { what = "no members", plan = {}, says = "members" },
      { what = "two of a name", plan = { members = { { name = "a", command = { "true" } }, { name = "a", command = { "true" } } } }, says = "a" },
      { what = "a name that is none", plan = { members = { { name = "A b", command = { "true" } } } }, says = "A b" },
      { what = "an unknown dependency", plan = { members = { { name = "a", command = { "true" }, after = { "b" } } } }, says = "b" },
      {
        what = "a cycle",
        plan = { members = { { name = "a", command = { "true" }, after = { "b" } }, { name = "b", command = { "true" }, after = { "a" } } } },
        says = "a",
      },
      { what = "an unknown key", plan = { members = { { name = "a", comand = { "true" } } } }, says = "comand" },
    },
  })
  t.it("is checked without starting anything", function()
    local plan = mur.formation.plan { members = { { name = "a", command = { "true" }, after = { "b" } }, { name = "b", command = { "true" } } } }
    t.expect(tostring(plan)):includes("2 members")
    t.expect(#mur.running.list()):is(0)
  end)
end)
