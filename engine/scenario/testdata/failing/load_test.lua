local t = require("mur").test

t.it("is never run", function() end)
print("loading")
t.describe("a suite", function()
  error("the file fails")
end)
