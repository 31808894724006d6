-- The HTTP client, against servers that answer as told.
local mur = require "mur"
local t = mur.test

local function url(options) return "http://" .. t.door(options).url .. "/" end

t.it("gets a page", function()
  local answer = mur.http.get(url { body = "hello" })
  t.expect(answer):includes({ status = 200, body = "hello" })
  t.expect(answer.headers["content-length"]):is("5")
end)
t.it("gives the status {status}", function(case)
  t.expect(mur.http.get(url { status = case.status, body = "x" }).status):is(case.status)
end, { each = { { status = 201 }, { status = 404 }, { status = 500 } } })
t.it("posts", function()
  local door = t.door { body = "ok" }
  t.expect(mur.http.post("http://" .. door.url .. "/path", "body").body):is("ok")
  t.expect(door.requests):is(1)
end)
t.it("gives up in time", function()
  t.expect(function() mur.http.get(url { delay = 600 }, { timeout = 0.05 }) end):fails("timeout")
end)
t.it("says that nobody answers", function()
  local door = t.door()
  door:close()
  t.expect(function() mur.http.get("http://" .. door.url) end):fails()
end)
t.it("bounds the body", function()
  t.expect(function() mur.http.get(url { body = ("x"):rep(1000) }, { max_body = 999 }) end):fails()
  t.expect(#mur.http.get(url { body = ("x"):rep(1000) }, { max_body = 1000 }).body):is(1000)
end)
t.it("asks many at once", function()
  local door = t.door { body = "x", delay = 0.02 }
  local asks = {}
  for i = 1, 20 do asks[i] = function() return mur.http.get("http://" .. door.url).status end end
  t.expect(mur.task.all(asks)):has_length(20)
  t.expect(door.requests):is(20)
end)
t.it("streams lines", function()
  local lines = {}
  for line in mur.http.stream({ url = url { body = "one\ntwo\n" } }):lines() do lines[#lines + 1] = line end
  t.expect(lines):is({ "one", "two" })
end)
