local mur = require "mur"
local t = mur.test

t.describe("parametrised", function()
  t.it("adds {a} and {b}", function(case, number)
    t.expect(case.a + case.b):is(case.sum)
    t.expect(number):is_a("number")
  end, { each = { { a = 1, b = 2, sum = 3 }, { a = 2, b = 2, sum = 4 } } })
  t.it("takes {1}", function(text) t.expect(text):is_a("string") end, { each = { "x", "y" } })
  t.it("is numbered", function() end, { each = { {}, {} } })
end, { tags = { "cases" } })

t.pending("written later")
t.pending("has a reason", "nobody needs it yet")
t.pending("has a body", function() error("never") end)
t.it("skips itself", function() t.skip("not on this machine") end)

t.describe("skipped as a whole", function()
  t.before_all(function() t.skip("no root") end)
  t.it("one", function() error("never") end)
end)

t.it("waits for something", function()
  local n = 0
  t.expect(t.eventually(function()
    n = n + 1
    return n == 5 and "five"
  end)):is("five")
  t.eventually(function() t.expect(1):is(1) end)
end)

t.it("expects", function()
  t.expect(1):is(1).never:is(2)
  t.expect(nil):is(nil)
  t.expect({ 1, { a = 0 / 0 } }):is({ 1, { a = 0 / 0 } })
  t.expect("a"):is_a("string").never:is_a("number")
  t.expect(0.1 + 0.2):is_near(0.3)
  t.expect(10):is_near(9, 1).never:is_near(8, 1)
  t.expect(5):is_above(4):is_below(6):is_at_least(5):is_at_most(5).never:is_above(5)
  t.expect(""):is_empty()
  t.expect({}):is_empty()
  t.expect({ x = 1 }).never:is_empty()
  t.expect("b"):is_one_of({ "a", "b" }).never:is_one_of({ "c" })
  t.expect({ 1, 2 }):has_length(2)
  t.expect("abc"):has_length(3)
  t.expect("abc"):includes("b"):matches("^a.c$").never:matches("z")
  t.expect({ 1, "x", { deep = true } }):includes("x"):includes({ { deep = true } }).never:includes("y")
  t.expect({ a = 1, b = { c = 2, d = 3 } }):includes({ b = { d = 3 } }).never:includes({ b = { d = 4 } })
  local err = t.expect(function() t.expect(1):is(2) end):fails("expectation")
  t.expect(err.kind):is("expectation")
  t.expect(err.message):is("expected 1 to be 2")
  t.expect(function() error({ code = 3 }) end):fails({ code = 3 })
  t.expect(function() error("plain text") end):fails("plain")
  t.expect(function() return 1 end).never:fails()
  t.expect(t.expect(function() return 1, 2 end):succeeds()):is(1)
  t.expect(function() error("x") end).never:succeeds()
end)

t.it("refuses what it does not know", function()
  t.expect(function() t.expect(1):equals(1) end):fails { kind = "usage", hint = "it is called 'is' here" }
  t.expect(function() t.expect(1):is_nea(1) end):fails { hint = "did you mean 'is_near'?" }
  t.expect(function() t.expect(1):whatever(1) end):fails { message = "an expectation has no 'whatever'" }
  t.expect(function() t.eventually(function() end, { withn = 1 }) end):fails("within")
end)

t.it("sees snapshots", function()
  t.expect({ name = "coder", list = { 1, 2 } }):matches_snapshot()
  t.expect("text\n== of\n\\lines"):matches_snapshot("text")
  t.expect("again"):matches_snapshot("text")
end)

t.it("has a deadline of its own", function() mur.sleep(0.01) end, { within = 5, tags = { "slow" } })
