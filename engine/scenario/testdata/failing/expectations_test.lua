local t = require("mur").test

t.describe("an expectation", function()
  t.it("that is met", function()
    t.expect(1 + 1):is(2)
  end)

  t.it("of a number", function()
    t.expect(1 + 1):is(3)
  end)

  t.it("of a nested table", function()
    print("a line that is shown")
    t.expect({ name = "coder", peers = { "a", "b" }, state = { kind = "live", pid = 12 } })
      :is({ name = "coder", peers = { "a", "c", "b" }, state = { kind = "gone", pid = 12 } })
  end)

  t.it("of a part", function()
    t.expect({ name = "coder", state = { kind = "live", pid = 12 } }):includes { state = { kind = "gone" } }
  end)

  t.it("of a text of lines", function()
    t.expect("one\ntwo\nthree"):is("one\n2\nthree")
  end)

  t.it("that never comes true", function()
    local n = 0
    t.eventually(function()
      n = n + 1
      return false, "still starting"
    end, { within = 0.02 })
  end)

  t.it("inside of eventually", function()
    t.eventually(function() t.expect({ 1 }):is({ 2 }) end, { within = 0.01 })
  end)

  t.it("of an error", function()
    t.expect(function() error("another reason") end):fails("this reason")
    end)

  t.it("of a snapshot that is not there", function()
    t.expect({ 1 }):matches_snapshot()
  end)
end)
