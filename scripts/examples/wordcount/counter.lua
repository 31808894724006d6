-- Counts the words of the text it is sent: runs of ASCII letters, in lower case.
local mur = require "mur"

return mur.capsule {
  name = "counter",
  version = "1.0.0",
  on_task = function(task)
    local counts = {}
    for word in task.text:gmatch("%a+") do
      word = word:lower()
      counts[word] = (counts[word] or 0) + 1
    end
    return mur.json.encode(counts)
  end,
}
