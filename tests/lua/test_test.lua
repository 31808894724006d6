-- The runner seen from inside; how it fails is tested from outside.
local mur = require "mur"
local t = mur.test
local log = {}

t.before_all(function() log[#log + 1] = "all" end)
t.before_each(function() log[#log + 1] = "each" end)

t.describe("hooks", function()
  t.it("run before a test", function() t.expect(log):is({ "all", "each" }) end)
  t.it("run before each one", function() t.expect(#log):is(3) end)
end)

t.describe("isolation", function()
  t.it("ends tasks with the test", function()
    stop_seen = nil
    mur.task.spawn(function()
      pcall(mur.sleep, 600)
      stop_seen = true
    end, { detached = true })
  end)
  t.it("before the next test runs", function() t.expect(stop_seen):is(true) end)
  t.it("removes temporary folders with the test", function() kept_path = mur.fs.tempdir() end)
  t.it("also before the next test", function() t.expect(mur.fs.exists(kept_path)):is(false) end)
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
