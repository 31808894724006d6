-- A capsule that streams, and somebody who follows the answer while it grows.
--
--   murlua run scripts/examples/streaming.lua [WORD...]
local mur = require "mur"

local text = #arg > 0 and table.concat(arg, " ") or "one two three"

local formation = mur.formation.launch {
  members = { { name = "poet", script = "streaming/poet.lua" } },
}

local poet = mur.running.list({ formation = formation.id })[1]
for event in mur.door.stream(poet, text):events() do
  if event.kind == "artifact" then
    io.write(event.artifact.text) -- a piece
  elseif event.kind == "task" then
    for _, artifact in ipairs(event.task.artifacts) do io.write(artifact.text) end -- what it had said before we listened
  elseif event.task.ended then
    print("\n" .. event.task.state)
  end
end

return formation:stop()
