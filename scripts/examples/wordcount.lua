-- The ten most frequent words of some files, counted by a formation of three capsules.
--
--   murlua run scripts/examples/wordcount.lua [--hold SECONDS] FILE...
--
-- Two peers count words; the entry, `lead`, splits the files between them, adds up their answers and prints
-- the result. With --hold the entry keeps the formation up for a while before it counts, so that another
-- terminal can look at it with `murlua ps`.
local mur = require "mur"

local hold, files = 0, {}
local i = 1
while i <= #arg do
  if arg[i] == "--hold" then
    hold = tonumber(arg[i + 1]) or error("--hold wants a number of seconds", 0)
    i = i + 1
  else
    files[#files + 1] = arg[i]
  end
  i = i + 1
end
if #files == 0 then error("usage: murlua run wordcount.lua [--hold SECONDS] FILE...", 0) end

local formation = mur.formation.launch {
  members = {
    { name = "counter1", script = "wordcount/counter.lua" },
    { name = "counter2", script = "wordcount/counter.lua" },
    { name = "lead", script = "wordcount/lead.lua", entry = true, calls = { "counter1", "counter2" } },
  },
  task = mur.json.encode { hold = hold, files = files },
}
return formation:wait()
