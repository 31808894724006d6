local mur = require "mur"
local t = mur.test
local log = {}
local function note(text)
  return function() log[#log + 1] = text end
end

t.before_all(note "file before_all")
t.before_each(note "file before_each")
t.after_each(note "file after_each")

t.describe("outer", function()
  t.before_all(note "outer before_all")
  t.before_each(note "outer before_each")
  t.after_each(note "outer after_each")
  t.after_all(note "outer after_all")

  t.it("one", function()
    t.finally(note "finally one")
    log[#log + 1] = "one"
  end)

  t.describe("inner", function()
    t.before_each(note "inner before_each")
    t.it("two", note "two")
  end)
end)

t.it("the order was right", function()
  t.expect(log):is {
    "file before_all", "outer before_all",
    "file before_each", "outer before_each", "one", "finally one", "outer after_each", "file after_each",
    "file before_each", "outer before_each", "inner before_each", "two", "outer after_each", "file after_each",
    "outer after_all",
    "file before_each",
  }
end)
