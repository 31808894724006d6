-- Scenarios that break things: what is left when a member dies, lies or will not end?
--
--   murlua test scripts/examples/chaos_test.lua
local mur = require "mur"
local t = mur.test

local function sleeper(name, options)
  local member = { name = name, command = { "sleep", "600" } }
  for key, value in pairs(options or {}) do member[key] = value end
  return member
end

t.describe("chaos", function()
  t.it("a member that dies while starting takes the launch with it, and nothing is left", function()
    local ok, err = pcall(mur.formation.launch, {
      members = {
        sleeper "bystander",
        { name = "broken", command = { "sh", "-c", "echo 'no such table' >&2; exit 3" }, ready = { tcp = 1 } },
      },
    })
    t.expect(ok):is(false)
    t.expect(err.kind):is("launch_failed")
    t.expect(err.failed[1].name):is("broken")
    t.expect(err.failed[1].message):matches("status 3")
    t.expect(err.failed[1].tail[1]):is("no such table")
    t.expect(mur.running.list()):is_empty()
  end)

  t.it("readiness that never comes ends at its deadline and says what was missing", function()
    local ok, err = pcall(mur.formation.launch, {
      members = { sleeper("slow", { ready = { file = "/nowhere/flag" }, ready_within = 0.1 }) },
    })
    t.expect(ok):is(false)
    t.expect(err.failed[1].reason):is("not_ready")
    t.expect(err.failed[1].message):matches("the file /nowhere/flag exists: it is not there")
  end)

  t.it("a member that is killed from outside is noticed", function()
    local events = {}
    local f = mur.formation.launch {
      members = { sleeper "victim", sleeper "other" },
      on_event = function(e) events[#events + 1] = e end,
    }
    local victim
    for _, record in ipairs(mur.running.list { formation = f.id }) do
      if record.formation_member == "victim" then victim = record end
    end
    t.expect(mur.running.signal(victim, "KILL").outcome):is("sent")
    f:wait() -- without an entry, the end of a member is the end of all
    t.eventually(function()
      for _, e in ipairs(events) do
        if e.kind == "exited" and e.member == "victim" then return true end
      end
    end)
    t.expect(mur.running.list()):is_empty()
  end)

  t.it("a member that will not end is killed after its grace", function()
    local f = mur.formation.launch {
      members = {
        {
          name = "deaf", grace = 0.1, ready = { log = "up" },
          command = { "sh", "-c", "trap '' TERM; echo up; while :; do sleep 1; done" },
        },
      },
    }
    f:stop()
    t.expect(mur.running.list()):is_empty()
  end)
end)
