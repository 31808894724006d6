local mur = require "mur"
local t = mur.test

local capsule = [[
local mur = require "mur"
return mur.capsule {
  name = "helper", version = "1.2.3",
  on_task = function(task)
    if task.text == "wait" then
      task.emit "begun"
      mur.sleep(60)
    elseif task.text == "fail" then
      error "cannot do that"
    elseif task.data then
      return mur.json.encode(task.data)
    end
    task.note "thinking"
    for word in task.text:gmatch "%S+" do task.emit("<" .. word .. ">") end
    return "!"
  end,
}
]]

t.describe("mur.door", function()
  local f, record
  t.before_all(function()
    local path = mur.fs.join(mur.fs.tempdir(), "helper.lua")
    mur.fs.write(path, capsule)
    f = mur.formation.launch { members = { { name = "helper", script = path } } }
    record = mur.running.list({ formation = f.id })[1]
  end)
  t.after_all(function() f:stop() end)

  t.it("reads the card of a capsule", function()
    local card = mur.door.card(record)
    t.expect(card):includes { name = "helper", version = "1.2.3", session_id = record.session_id }
    t.expect(card.authenticated and card.streaming):is(true)
    t.expect("SendMessage"):is_one_of(card.methods)
  end)

  t.it("finds a capsule by its record, its session, the end of it, and its number", function()
    for _, target in ipairs { record, record.session_id, record.session_id:sub(-8), "@1" } do
      t.expect(mur.door.probe(target)):is(record.session_id)
    end
  end)

  t.it("sends a task and returns the answer", function()
    local task = mur.door.send(record, "a b")
    t.expect(task):includes { state = "completed", ended = true, text = "<a><b>!" }
    t.expect(mur.door.task(record, task.id)):is(task)
  end)

  t.it("sends values as they are", function()
    local task = mur.door.send(record, { n = { 1, 2 }, ok = true })
    t.expect(mur.json.decode(task.text)):is { { n = { 1, 2 }, ok = true } }
  end)

  t.it("returns a task that failed, with what went wrong", function()
    local task = mur.door.send(record, "fail")
    t.expect(task.state):is "failed"
    t.expect(task.note):matches "cannot do that"
  end)

  t.it("does not wait when it is told not to, and cancels", function()
    local task = mur.door.send(record, "wait", { wait = false })
    t.expect(task.ended):is(false)
    t.expect(mur.door.cancel(record, task.id).state):is "canceled"
    t.expect(function() mur.door.cancel(record, task.id) end):fails "door"
  end)

  t.it("stops waiting at its time limit; the task goes on", function()
    t.expect(function() mur.door.send(record, "wait", { timeout = 0.1 }) end):fails "timeout"
    t.expect(#mur.door.stop(record).canceled):is(1)
  end)

  t.it("follows a task from its beginning to its end", function()
    local text, last = "", nil
    for event in mur.door.stream(record, "a b c"):events() do
      if event.artifact then
        text = event.append and text .. event.artifact.text or event.artifact.text
      elseif event.kind == "task" then
        text = event.task.text
      end
      last = event.task.state
    end
    t.expect(text):is "<a><b><c>!"
    t.expect(last):is "completed"
  end)

  t.it("follows a task that another began", function()
    local task = mur.door.send(record, "wait", { wait = false })
    local stream = mur.door.watch(record, { task = task.id })
    t.expect(stream:next().task.id):is(task.id)
    mur.door.cancel(record, task.id)
    local last
    for event in stream:events() do last = event.task.state end
    t.expect(last):is "canceled"
  end)

  t.it("watches a whole session, with what was before", function()
    local task = mur.door.send(record, "x")
    local watch = mur.door.watch(record, { timeout = 20 })
    repeat local event = watch:next() until event.task.id == task.id and event.task.ended
    watch:close()
  end)

  t.it("keeps many calls apart", function()
    local calls = {}
    for i = 1, 20 do calls[i] = function() return mur.door.send(record, "n" .. i).text end end
    local answers = mur.task.all(calls)
    for i = 1, 20 do t.expect(answers[i]):is("<n" .. i .. ">!") end
  end)

  t.it("refuses strangers and says why", function()
    local ok, err = pcall(mur.door.send, record.url, "x")
    t.expect(ok):is(false)
    t.expect({ err.kind, err.status, err.code }):is { "refused", 401, "unauthenticated" }
    ok, err = pcall(mur.door.send, record.url, "x", { token = "mdt1.forged.token" })
    t.expect(ok):is(false)
    t.expect({ err.kind, err.code }):is { "refused", "invalid_token" }
    t.expect(tostring(err)).never:matches "forged"
  end)

  t.it("hands tokens out only by name, and shows them only when asked", function()
    local token = mur.door.token(record)
    t.expect(tostring(token)):is "door token [redacted]"
    t.expect(mur.door.send(record.url, "x", { token = token }).text):is "<x>!"
    t.expect(mur.door.send(record.url, "x", { token = token:reveal() }).text):is "<x>!"
    t.expect(function() mur.door.token(record, "nobody") end):fails "no_token"
    t.expect(mur.json.encode(record)).never:matches "mdt1"
  end)

  t.it("says where it knocked when nobody opens", function()
    local session, err = mur.door.probe "localhost:1"
    t.expect(session):is(nil)
    t.expect(err.kind):is "unreachable"
    t.expect(#err.addresses):is(2)
  end)
end)
