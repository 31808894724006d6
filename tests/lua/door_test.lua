local mur = require "mur"
local t = mur.test

local session = "ses_" .. ("0"):rep(31) .. "a"

t.describe("a probe", function()
  t.it("tells which session answers", function()
    local door = t.door { session = session }
    t.expect(mur.door.probe(door.url)):is(session)
    t.expect(door.requests):is(1)
  end)
  t.it("says why there is no answer", function()
    local door = t.door { session = session }
    door:close()
    local found, err = mur.door.probe(door.url)
    t.expect(found):is(nil)
    t.expect(tostring(err)).never:is_empty()
  end)
  t.it("of {what} finds no session", function(case)
    local found = mur.door.probe(t.door(case.options).url)
    t.expect(found):is(nil)
  end, {
    each = {
      { what = "an empty card", options = { body = "{}" } },
      { what = "a page", options = { body = "<html></html>" } },
      { what = "404", options = { session = session, status = 404 } },
    },
  })
  t.it("gives up in time", function()
    local found = mur.door.probe(t.door({ session = session, delay = 600 }).url, { timeout = 0.05 })
    t.expect(found):is(nil)
  end)
end)

t.describe("a Lua capsule", function()
  local address
  t.before_all(function()
    local script = mur.fs.tempdir() .. "/echo.lua"
    mur.fs.write(script, [[
      local mur = require "mur"
      return mur.capsule {
        name = "echo", version = "1.2.3",
        on_task = function(task)
          if task.text == "fail" then error("as asked") end
          if task.text == "wait" then mur.sleep(600) end
          return "heard: " .. task.text
        end,
      }]])
    mur.formation.launch { members = { { name = "echo", script = script } } }
    address = mur.running.list()[1].session_id -- its token is found by its session
  end)
  t.it("has a card", function() t.expect(mur.door.card(address)):includes({ name = "echo", version = "1.2.3" }) end)
  t.it("answers a task", function()
    local task = mur.door.send(address, "hello")
    t.expect(task):includes({ state = "completed", ended = true })
    t.expect(task.text):is("heard: hello")
  end)
  t.it("keeps a task to be read again", function()
    local task = mur.door.send(address, "again")
    t.expect(mur.door.task(address, task.id).text):is("heard: again")
  end)
  t.it("tells of a task that failed", function()
    t.expect(mur.door.send(address, "fail").state):is("failed")
  end)
  t.it("has a task canceled", function()
    local task = mur.door.send(address, "wait", { wait = false })
    t.expect(mur.door.cancel(address, task.id).state):is("canceled")
  end)
  t.it("streams an answer", function()
    local last
    for event in mur.door.stream(address, "streamed"):events() do last = event end
    t.expect(last.task.state):is("completed")
  end)
  t.it("answers twenty at once", function()
    local asks = {}
    for i = 1, 20 do asks[i] = function() return mur.door.send(address, tostring(i)).text end end
    local answers = mur.task.all(asks)
    t.expect(answers[7]):is("heard: 7")
    t.expect(#answers):is(20)
  end)
  t.it("does not know a task that nobody sent", function()
    t.expect(function() mur.door.task(address, "tsk_nothing") end):fails("door")
  end)
end)
