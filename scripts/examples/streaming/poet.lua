-- A capsule whose answers come in pieces.
local mur = require "mur"

return mur.capsule {
  name = "poet",
  version = "1.0.0",
  on_task = function(task)
    for word in task.text:gmatch "%S+" do
      task.emit(word:upper() .. " ")
      mur.sleep(0.01)
    end
    return "(that was all)"
  end,
}
