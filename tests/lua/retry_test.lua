local mur = require "mur"
local t = mur.test

t.it("tries again", function()
  local n = 0
  t.expect(mur.retry.call(function(attempt) n = n + 1 if attempt < 3 then error "no" end return attempt end, { pause = 0 })):is(3)
  t.expect(n):is(3)
end)
t.it("raises the last error as it is", function()
  local err = { code = 1 }
  local ok, got = pcall(mur.retry.call, function() error(err) end, { attempts = 2, pause = 0 })
  t.expect(ok):is(false)
  t.expect(got == err):is(true)
end)
t.it("returns everything", function()
  local a, b, c = mur.retry.call(function() return 1, nil, 3 end)
  t.expect({ a, b == nil, c }):is({ 1, true, 3 })
end)
