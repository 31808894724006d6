-- Everything that could end a run silently, each followed by a test that runs all the same.
local mur = require "mur"
local t = mur.test

t.it("calls os.exit", function()
  print("before the exit")
  os.exit(0)
end)

t.it("runs after the exit", function() end)

t.it("hangs in Lua", function()
  while true do end
end, { within = 0.05 })

t.it("hangs in Lua and catches everything", function()
  while true do
    pcall(function() while true do end end)
  end
end, { within = 0.05 })

t.it("hangs in a call", function()
  mur.sleep(600)
end, { within = 0.05 })

t.it("hangs in a call that nothing wakes", function()
  mur.fake.stuck()
end, { within = 0.05 })

t.it("runs after the hangs", function()
  t.expect(t.count):is(nil)
end)

t.it("meets a panic", function()
  mur.fake.panic()
end)

t.it("runs after the panic", function() end)

t.it("catches the exit", function()
  pcall(os.exit, 3)
end)

t.it("raises a table", function()
  error { code = 4 }
end)

t.it("recurses without end", function()
  local function f() return 1 + f() end
  f()
end)

t.it("describes while it runs", function()
  t.describe("inside", function() end)
end)

t.it("is the last", function() end)
