-- NAME: a formation, as a recipe. Run it with `murlua run NAME.lua`; ^C stops it.
local mur = require "mur"

local formation = mur.formation.launch {
  members = {
    -- any program; `murlua help mur.ready` lists the ways to know that it is ready
    { name = "web", command = { "python3", "-m", "http.server", "8000" }, ready = { http = "http://localhost:8000/" } },
  },
}

return formation:wait()
