-- Records, verification and signals, against processes that are hard to tell from others.
local mur = require "mur"
local t = mur.test

local session = "ses_" .. ("0"):rep(31) .. "1"

--- Writes a record as a capsule does.
local function record(fields)
  local r = {
    session_id = session, url = "localhost:1", capsule_name = "fixture", capsule_version = "1", workdir = "/", records_dir = "/",
    outlives_launcher = false, started_at = "2026-01-01T00:00:00Z",
  }
  for key, value in pairs(fields) do r[key] = value end
  local dir = mur.env.need "HOME" .. "/.murmur/running"
  mur.fs.mkdir(dir)
  local path = dir .. "/" .. r.session_id .. ".json"
  mur.fs.write(path, mur.json.encode(r), { mode = "600" })
  t.finally(function() mur.fs.remove(path) end)
  for _, found in ipairs(mur.running.list()) do
    if found.session_id == r.session_id then return found, path end
  end
  error("the record is not listed")
end

local function of(kind, more)
  local fields = t.process(kind)
  for key, value in pairs(more or {}) do fields[key] = value end
  return record(fields)
end

t.describe("a record", function()
  t.it("of a process whose door answers is live", function()
    local door = t.door { session = session }
    t.expect(mur.running.verify(of("sleeping", { url = door.url })).state):is("live")
  end)
  t.it("whose door answers for another is unreachable", function()
    local door = t.door { session = "ses_" .. ("f"):rep(32) }
    t.expect(mur.running.verify(of("sleeping", { url = door.url }))):includes({ state = "unreachable" })
  end)
  t.it("whose door says {what} is unreachable", function(case)
    local door = t.door { body = case.body, status = case.status }
    local liveness = mur.running.verify(of("sleeping", { url = door.url }))
    t.expect(liveness.state):is("unreachable")
    t.expect(liveness.reason).never:is_empty()
  end, {
    each = {
      { what = "nothing", body = "" },
      { what = "an empty object", body = "{}" },
      { what = "a page for people", body = "<html><body>hello</body></html>" },
      { what = "500", body = "{}", status = 500 },
    },
  })
  t.it("with no door is live with its process", function()
    t.expect(mur.running.verify(of("sleeping", { url = mur.json.null })).state):is("live")
  end)
  t.it("of a zombie is gone", function()
    t.expect(mur.running.verify(of("zombie"))):includes({ state = "gone" })
  end)
  t.it("of a number that was reused is gone, and nobody is signalled", function()
    local identity = t.process("reused")
    local r = record(identity)
    t.expect(mur.running.verify(r)):includes({ state = "gone" })
    local outcome = mur.running.signal(r, "KILL")
    t.expect(outcome.outcome):is("gone")
    t.expect(mur.running.identity(identity.pid)).never:is(nil)
  end)
  t.it("of another user's process is told from its own", function()
    local ok, identity = pcall(t.process, "foreign")
    if not ok then t.skip("needs root") end
    t.expect(mur.running.verify(record(identity)).state).never:is("gone")
  end)
  t.it("of nobody is gone", function()
    t.expect(mur.running.verify(record { pid = 2 ^ 22 + 1, process_start = "1" })):includes({ state = "gone" })
  end)
end)

t.describe("a signal", function()
  t.it("reaches the process of the record", function()
    local r = of("sleeping", { url = mur.json.null })
    mur.running.signal(r, "TERM")
    t.eventually(function() return mur.running.verify(r).state == "gone" end)
  end)
end)

t.describe("a list", function()
  t.it("is empty at first", function() t.expect(mur.running.list()):is({}) end)
  t.it("has records, newest id first", function()
    local identity = t.process("sleeping")
    for _, last in ipairs { "1", "3", "2" } do
      record { pid = identity.pid, process_start = identity.process_start, session_id = "ses_" .. ("0"):rep(31) .. last }
    end
    local ids = {}
    for _, r in ipairs(mur.running.list()) do ids[#ids + 1] = r.session_id:sub(-1) end
    t.expect(table.concat(ids)):is("321")
  end)
  t.it("never has a token in it", function()
    of("sleeping", { door_token = "mdt1.secret" })
    t.expect(mur.json.encode(mur.running.list())).never:includes("mdt1.secret")
  end)
  t.it("removes what is no record, and a scan leaves it", function()
    local dir = mur.env.need "HOME" .. "/.murmur/running"
    mur.fs.mkdir(dir)
    mur.fs.write(dir .. "/ses_x.json", "not a record")
    mur.running.scan()
    t.expect(mur.fs.exists(dir .. "/ses_x.json")):is(true)
    mur.running.list()
    t.expect(mur.fs.exists(dir .. "/ses_x.json")):is(false)
  end)
end)

t.describe("prune", function()
  t.it("removes the record of a process that is gone", function()
    local r, path = of("zombie")
    mur.running.prune(r)
    t.expect(mur.fs.exists(path)):is(false)
  end)
  t.it("keeps the record of one that is there", function()
    local r, path = of("sleeping")
    mur.running.prune(r)
    t.expect(mur.fs.exists(path)):is(true)
  end)
end)

t.it("an identity names one process", function()
  local identity = t.process("sleeping")
  t.expect(mur.running.identity(identity.pid)):includes({ pid = identity.pid, process_start = identity.process_start })
end)
