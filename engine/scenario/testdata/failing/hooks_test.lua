local mur = require "mur"
local t = mur.test

t.describe("before_each", function()
  t.before_each(function() error("before_each fails") end)
  t.after_each(function() print("after_each runs") end)
  t.it("fails the first", function() print("never") end)
  t.it("fails the second", function() print("never") end)
end)

t.describe("after_each", function()
  t.after_each(function() error("after_each fails") end)
  t.it("fails a test that passed", function() end)
  t.it("adds to one that failed", function() error("it fails itself") end)
end)

t.describe("before_all", function()
  t.before_all(function() error("before_all fails") end)
  t.it("fails the first", function() print("never") end)
  t.describe("inside", function()
    t.before_all(function() print("never") end)
    t.it("fails the second", function() print("never") end)
  end)
end)

t.describe("after_all", function()
  t.after_all(function() error("after_all fails") end)
  t.it("leaves the first alone", function() end)
  t.it("fails the last", function() end)
end)

t.describe("finally", function()
  t.it("runs after a failure, the last first", function()
    t.finally(function() print("first given") end)
    t.finally(function() error("finally fails") end)
    error("the test fails")
  end)
end)

t.describe("an exit in a hook", function()
  t.before_each(function() os.exit(7) end)
  t.it("is named", function() end)
end)

t.it("runs after them", function() end)
