-- The traps of hosting Lua, seen from a script.
local mur = require "mur"
local t = mur.test

t.describe("protected calls", function()
  t.it("leave captured variables alone", function()
    local n = 0
    local function inc() n = n + 1 end
    pcall(error, "x")
    inc()
    pcall(function() inc() error("y") end)
    inc()
    t.expect(n):is(3)
  end)
  t.it("keep an error object whole", function()
    local ok, err = pcall(function() mur.json.decode("{") end)
    t.expect(ok):is(false)
    t.expect(err.kind):is("bad_json")
    local again = select(2, pcall(error, err))
    t.expect(again == err):is(true)
    t.expect(tostring(err)):includes("language_test.lua")
  end)
  t.it("keep tables", function()
    local mine = { code = 7 }
    t.expect(select(2, pcall(error, mine)) == mine):is(true)
  end)
  t.it("xpcall passes arguments", function()
    local ok, sum = xpcall(function(a, b) return a + b end, debug and debug.traceback or tostring, 1, 2)
    t.expect({ ok, sum }):is({ true, 3 })
  end)
  t.it("let blocking calls through", function()
    t.expect(pcall(function() mur.sleep(0.001) end)):is(true)
  end)
end)

t.describe("coroutines", function()
  t.it("yield across pcall", function()
    local co = coroutine.wrap(function()
      local ok, v = pcall(function() return coroutine.yield(1) + 1 end)
      return ok, v
    end)
    t.expect(co()):is(1)
    local ok, v = co(41)
    t.expect({ ok, v }):is({ true, 42 })
  end)
  t.it("yield across iterators and sort", function()
    local seen = {}
    local co = coroutine.wrap(function()
      for v in function(_, last) return coroutine.yield(last) end do seen[#seen + 1] = v end
      return "done"
    end)
    co()
    co("a")
    co("b")
    t.expect(co(nil)):is("done")
    t.expect(seen):is({ "a", "b" })
  end)
  t.it("may sleep", function()
    local co = coroutine.wrap(function() mur.sleep(0.001) return "woke" end)
    t.expect(co()):is("woke")
  end)
  t.it("refuse to be resumed by themselves", function()
    local co
    co = coroutine.create(function() return coroutine.resume(co) end)
    local ok, inner = coroutine.resume(co)
    t.expect(ok):is(true)
    t.expect(inner):is(false)
  end)
end)

t.describe("the language", function()
  t.it("{1} is what it should be", function(case) t.expect(loadstring("return " .. case[1])()):is(case[2]) end, {
    each = {
      { 'tonumber("1e3")', 1000 },
      { 'tonumber("0x10")', 16 },
      { 'tonumber("10", 2)', 2 },
      { "math.huge == 1/0", true },
      { 'string.format("%5.2f|%d|%x|%q", 1.234, 42, 255, "a\\n")', ' 1.23|42|ff|"a\\\n"' },
      { '("a,b,c"):gsub(",", ";")', "a;b;c" },
      { '("THE (quick) fox"):find("%((%a+)%)")', 5 },
      { 'select("#", nil, nil)', 2 },
      { "#{1, 2, 3}", 3 },
      { "2 ^ 10 % 7", 2 },
      { '"a" .. 1', "a1" },
    },
  })
  t.it("a stack overflow is an error", function()
    local function f() return 1 + f() end
    t.expect(f):fails("stack overflow")
  end)
  t.it("errors have file and line", function()
    local _, message = pcall(function() error("here") end)
    t.expect(message):matches("language_test.lua:%d+: here")
  end)
  t.it("an unknown module of mur names the nearest", function()
    t.expect(function() return mur.formatoin end):fails("formation")
  end)
  t.it("a syntax error is returned by load", function()
    local fn, err = loadstring("x = = 1")
    t.expect(fn):is(nil)
    t.expect(tostring(err)):includes("=")
  end)
end)
