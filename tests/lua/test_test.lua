-- The runner seen from inside; how it fails is tested from outside.
local mur = require "mur"
local t = mur.test

t.describe("hooks", function()
  local all, each, ran = 0, 0, 0
  t.before_all(function() all = all + 1 end)
  t.before_each(function() each = each + 1 end)
  t.it("run before the test {1}", function()
    ran = ran + 1
    t.expect(all):is(1)
    t.expect(each):is(ran)
  end, { each = { "once", "twice", "three times" } })
end)

-- Whichever of two tests runs second sees what became of what the first one started.
t.describe("isolation", function()
  local stopped, folder
  t.it("ends tasks with the test, {1}", function()
    t.expect(stopped).never:is(false)
    stopped = false
    mur.task.spawn(function()
      pcall(mur.sleep, 600)
      stopped = true
    end, { detached = true })
    mur.task.yield()
  end, { each = { "once", "again" } })
  t.it("removes temporary folders with the test, {1}", function()
    if folder then t.expect(mur.fs.exists(folder)):is(false) end
    folder = mur.fs.tempdir()
  end, { each = { "once", "again" } })
end)

t.describe("expectations", function()
  t.it("say what is wrong: {1}", function(case)
    local err = t.expect(case[2]):fails("expectation")
    t.expect(err.message):includes(case[1])
    t.expect(err.where):matches("test_test.lua:%d+$")
  end, {
    each = {
      { "expected 1 to be 2", function() t.expect(1):is(2) end },
      { 'expected "a" to be a number, not a string', function() t.expect("a"):is_a("number") end },
      { "expected 3 to be above 4", function() t.expect(3):is_above(4) end },
      { "expected { 1 } to have the length 2, not 1", function() t.expect({ 1 }):has_length(2) end },
      { 'expected "abc" to match "x"', function() t.expect("abc"):matches("x") end },
      { "expected 1 never to be 1", function() t.expect(1).never:is(1) end },
      { "expected the function to fail", function() t.expect(function() end):fails() end },
    },
  })
  t.it("have a diff", function()
    local err = t.expect(function() t.expect({ a = 1, b = 2 }):is({ a = 1, b = 3 }) end):fails()
    t.expect(err.diff):includes("-   b = 3"):includes("+   b = 2")
  end)
  t.it("compare tables that contain themselves", function()
    local a, b = { 1 }, { 1 }
    a.me, b.me = a, b
    t.expect(a):is(b)
  end)
end)

t.it("eventually waits and gives what came", function()
  local n = 0
  t.expect(t.eventually(function() n = n + 1 return n > 3 and n end)):is(4)
end)
t.it("eventually says what it saw last", function()
  t.expect(function() t.eventually(function() return false, "still starting" end, { within = 0.005 }) end):fails("still starting")
end)
t.it("approved values", function() t.expect({ name = "coder", tags = { "a", "b" } }):matches_snapshot() end)
