local mur = require "mur"
local t = mur.test

-- A capsule's door is an HTTP server: its card is at a known path, and everything else is refused.
t.describe("mur.http", function()
  local url, token

  t.before_each(function()
    local script = mur.fs.join(mur.fs.tempdir(), "served.lua")
    mur.fs.write(script, [[
      local mur = require "mur"
      return mur.capsule { name = "served", version = "1.0.0", on_task = function(task) return task.text end }
    ]])
    local formation = mur.formation.launch { members = { { name = "served", script = script } } }
    t.finally(function() formation:stop() end)
    local record = mur.running.list({ formation = formation.id })[1]
    url = "http://" .. record.url
    token = mur.door.token(record):reveal()
  end)

  t.it("gets what a server answers", function()
    local response = mur.http.get(url .. "/.well-known/agent-card.json")
    t.expect(response):includes { status = 200, reason = "OK" }
    t.expect(response.headers["content-type"]):includes "json"
    t.expect(mur.json.decode(response.body).name):is("served")
    t.expect(response.took):is_at_least(0)
  end)

  t.it("a refusal is an answer", function()
    local response = mur.http.get(url .. "/nothing")
    t.expect(response.status):is(401)
    t.expect(response.headers["www-authenticate"]):includes "Bearer"
    t.expect(mur.http.get(url .. "/nothing", { headers = { Authorization = "Bearer " .. token } }).status):is(404)
  end)

  t.it("posts a value as JSON", function()
    local response = mur.http.post(url .. "/", { jsonrpc = "2.0", id = 1, method = "no_such_method" },
      { headers = { Authorization = "Bearer " .. token } })
    t.expect(mur.json.decode(response.body)):includes { id = 1, error = { code = -32601 } }
  end)

  t.it("reads an answer piece by piece", function()
    local stream = mur.http.stream { url = url .. "/.well-known/agent-card.json" }
    t.expect(stream.status):is(200)
    local text = ""
    for line in stream:lines() do text = text .. line .. "\n" end
    t.expect(mur.json.decode(text).name):is("served")
    t.expect(stream:read()):is(nil)
    stream:close()
  end)

  t.it("refuses a body that is too long", function()
    t.expect(function() mur.http.get(url .. "/.well-known/agent-card.json", { max_body = 10 }) end):fails "too_large"
  end)

  t.it("asks many at once", function()
    local asks = {}
    for i = 1, 20 do
      asks[i] = function() return mur.http.get(url .. "/.well-known/agent-card.json").status end
    end
    for _, status in ipairs(mur.task.all(asks)) do t.expect(status):is(200) end
  end)

  t.it("is ready as a policy says", function()
    local policy = mur.ready.http { url = url .. "/.well-known/agent-card.json", status = 200, json = { name = "served" } }
    t.expect(policy:check()):is(true)
    local is, why = mur.ready.http({ url = url .. "/.well-known/agent-card.json", json = { name = "other" } }):check()
    t.expect(is):is(false)
    t.expect(why):includes 'name is "served", not "other"'
  end)
end)

t.describe("mur.http without a server", function()
  t.it("names every address of localhost", function()
    local err = t.expect(function() mur.http.get "http://localhost:1/" end):fails "unreachable"
    t.expect(err.addresses):is {
      { address = "127.0.0.1:1", error = "connection refused" }, { address = "[::1]:1", error = "connection refused" },
    }
  end)

  t.it("refuses {1}", function(case)
    t.expect(function() mur.http.request(case[2]) end):fails(case[3])
  end, { each = {
    { "another scheme", { url = "ftp://localhost/" }, "bad_url" },
    { "no host", { url = "http:///x" }, "bad_url" },
    { "no url", { method = "GET" }, "usage" },
    { "an unknown option", { url = "http://localhost:1", tiemout = 1 }, "usage" },
    { "a body twice", { url = "http://localhost:1", body = "x", json = {} }, "usage" },
    { "what JSON does not have", { url = "http://localhost:1", json = { print } }, "bad_value" },
    { "a socket that is not there", { url = "http://x/", unix = "/nowhere/socket" }, "unreachable" },
  } })
end)
