local mur = require "mur"
local t = mur.test
local task = mur.task

t.describe("spawn and join", function()
  t.it("give the results", function()
    local one = task.spawn(function() mur.sleep(0.001) return 1, "x" end)
    local a, b = one:join()
    t.expect({ a, b }):is({ 1, "x" })
    t.expect(one.done):is(true)
  end)
  t.it("raise what the task raised", function()
    local bad = task.spawn(function() error("wrong") end)
    t.expect(function() bad:join() end):fails("wrong")
  end)
  t.it("run side by side", function()
    local order = {}
    local a = task.spawn(function() order[#order + 1] = "a1" mur.task.yield() order[#order + 1] = "a2" end)
    local b = task.spawn(function() order[#order + 1] = "b1" mur.task.yield() order[#order + 1] = "b2" end)
    a:join()
    b:join()
    t.expect(#order):is(4)
    t.expect(order[3]):matches("2$")
  end)
  t.it("a parent stops its children", function()
    local stopped = false
    task.spawn(function()
      task.spawn(function()
        pcall(mur.sleep, 600)
        stopped = true
      end)
      mur.task.yield()
    end):join()
    t.expect(stopped):is(true)
  end)
  t.it("cancel", function()
    local sleeper = task.spawn(function() mur.sleep(600) end)
    sleeper:cancel()
    t.expect(function() sleeper:join() end):fails("cancelled")
  end)
  t.it("a deadline stops it", function()
    local sleeper = task.spawn(function() mur.sleep(600) end, { deadline = 0.005 })
    t.expect(function() sleeper:join() end):fails("timeout")
  end)
end)

t.describe("groups", function()
  t.it("all waits for all", function()
    t.expect(task.all { function() mur.sleep(0.002) return 1 end, function() return 2 end }):is({ 1, 2 })
  end)
  t.it("all stops the others when one fails", function()
    local ended = false
    local err = t.expect(function()
      task.all {
        function() error("first") end,
        function() pcall(mur.sleep, 600) ended = true end,
      }
    end):fails("tasks")
    t.expect(#err.errors):is_at_least(1)
    t.expect(ended):is(true)
  end)
  t.it("any takes the first success", function()
    t.expect(task.any { function() error("no") end, function() mur.sleep(0.001) return "yes" end }):is("yes")
  end)
  t.it("race takes the first", function()
    t.expect(task.race { function() mur.sleep(600) end, function() return "first" end }):is("first")
  end)
  t.it("timeout gives up", function()
    t.expect(function() task.timeout(0.005, function() mur.sleep(600) end) end):fails("timeout")
    t.expect(task.timeout(5, function() return 7 end)):is(7)
  end)
end)

t.describe("queues", function()
  t.it("hand values over in order", function()
    local q = task.queue()
    task.spawn(function() for i = 1, 3 do q:push(i) end q:close() end)
    local got = {}
    for v in q:each() do got[#got + 1] = v end
    t.expect(got):is({ 1, 2, 3 })
  end)
  t.it("make a fast producer wait", function()
    local q, pushed = task.queue(1), 0
    local producer = task.spawn(function() for i = 1, 3 do q:push(i) pushed = pushed + 1 end end)
    task.yield()
    t.expect(pushed):is_at_most(2)
    for _ = 1, 3 do q:pop() end
    producer:join()
    t.expect(pushed):is(3)
  end)
  t.it("pop gives up in time", function()
    local v, why = task.queue():pop(0.002)
    t.expect(v):is(nil)
    t.expect(why).never:is(nil)
  end)
end)

t.it("a thousand tasks", function()
  local sum, tasks = 0, {}
  for i = 1, 1000 do tasks[i] = task.spawn(function() mur.sleep(0.001) sum = sum + i end) end
  for _, one in ipairs(tasks) do one:join() end
  t.expect(sum):is(500500)
end)

t.it("defer runs after the task, the last first", function()
  local log = {}
  task.spawn(function()
    mur.defer(function() log[#log + 1] = "first given" end)
    mur.defer(function() log[#log + 1] = "last given" end)
    log[#log + 1] = "body"
  end):join()
  t.expect(log):is({ "body", "last given", "first given" })
end)

-- What a failure does that nobody joins is seen by whoever joins the parent.
t.describe("a failure that nobody joins", function()
  local function parent(fn) return task.spawn(fn, { name = "parent" }) end
  t.it("is the parent's, even when the parent ends at once", function()
    local err = t.expect(function() parent(function() task.spawn(function() error("lost") end) end):join() end):fails("lost")
    t.expect(tostring(err)):matches("task_test.lua:%d+: lost$")
  end)
  t.it("is one of several", function()
    local err = t.expect(function()
      parent(function()
        for i = 1, 3 do task.spawn(function() error("number " .. i, 0) end) end
      end):join()
    end):fails("tasks")
    t.expect(err.errors):is({ "number 1", "number 2", "number 3" })
    t.expect(err.message):matches("^3 tasks failed and nobody joined them: ")
  end)
  t.it("is none when somebody joined it", function()
    parent(function()
      local bad = task.spawn(function() error("joined") end)
      pcall(bad.join, bad)
    end):join()
  end)
  t.it("is none when it was stopped", function()
    parent(function()
      task.spawn(function() mur.sleep(600) end)
      task.spawn(function() mur.sleep(600) end):cancel()
    end):join()
  end)
end)
