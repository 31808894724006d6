local t = require("mur").test

t.it("is never seen", function()
  local x = = 1
end)
