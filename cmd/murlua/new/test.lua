-- NAME: scenarios. Run them with `murlua test NAME_test.lua`.
local mur = require "mur"
local t = mur.test

t.describe("NAME", function()
  t.it("refuses a launch whose member fails", function()
    local ok, err = pcall(mur.formation.launch, { members = { { name = "bad", command = { "false" } } } })
    t.expect(ok):is(false)
    t.expect(err.kind):is("launch_failed")
    t.expect(#mur.running.list()):is(0)
  end)
end)
