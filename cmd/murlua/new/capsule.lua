-- NAME: a capsule. A recipe starts it with { name = "NAME", script = "NAME.lua" }.
local mur = require "mur"

return mur.capsule {
  name = "NAME",
  version = "1.0.0",
  on_task = function(task)
    return "done: " .. task.text
  end,
}
