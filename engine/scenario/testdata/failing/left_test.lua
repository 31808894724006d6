local mur = require "mur"
local t = mur.test

t.it("leaves a process", function() mur.fake.leave("process", "pid 4711 (sleep)") end)
t.it("is not blamed for it", function() end)
t.it("leaves several things and fails", function()
  mur.fake.leave("record", "ses_1.json")
  mur.fake.leave("port", "127.0.0.1:6390")
  error("it fails itself")
end)
t.it("opens what is closed for it", function() mur.fake.open("process", "pid 4712 (member)") end)

t.describe("a suite", function()
  t.before_all(function() mur.fake.open("process", "pid 4713 (shared)") end)
  t.it("keeps what it opened", function() t.expect(mur.fake.count()):is(1) end)
  t.it("for all of its tests", function() t.expect(mur.fake.count()):is(1) end)
end)

t.describe("another suite", function()
  t.before_all(function() mur.fake.leave("directory", "/tmp/x") end)
  t.it("is blamed on its last test", function() end)
end)

t.it("starts clean", function() t.expect(mur.fake.count()):is(0) end)
