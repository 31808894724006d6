-- NAME: scenarios. Run them with `murlua test NAME_test.lua`.
local mur = require "mur"
local t = mur.test

t.describe("NAME", function()
  t.it("refuses a launch whose member fails", function()
    local err = t.expect(function()
      mur.formation.launch {
        members = { { name = "bad", command = { "sh", "-c", "exit 3" }, ready = { log = "listening" } } },
      }
    end):fails "launch_failed"
    t.expect(err.failed[1].message):includes "status 3"
    t.expect(#mur.running.list()):is(0)
  end)
end)
