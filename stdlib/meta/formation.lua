---@meta mur.formation

--- Starts groups of processes all-or-nothing and ends them without leaving anything behind.
---@class mur.formation
local formation = {}

---@class mur.Member
---@field name string Lower-case letters, digits and dashes, at most 32, the first a letter.
---@field command? string[] A program and its arguments, run under a keeper.
---@field script? string A Lua capsule: path of its script.
---@field capsule? string A murmur capsule's name.
---@field version? string The murmur capsule's version.
---@field entry? boolean It starts when all others are ready, and the formation ends with it. Default false.
---@field calls? string[] Names of the members whose doors it may call.
---@field after? string[] It starts when these are ready.
---@field ready? mur.Policy When it counts as ready. Default for capsules: when its door answers; for commands: at once.
---@field ready_within? number Seconds, instead of the formation's.
---@field env? table<string, string> Added to murlua's own environment.
---@field workdir? string Where it runs. Default: a folder of its own for capsules, murlua's own folder for commands.

---@class mur.Plan
---@field members mur.Member[]
---@field task? string What the entry is given to do.
---@field ready_within? number Seconds from a member's start until it must be ready. Default 180.
---@field on_event? fun(event: table) Called for everything that happens to the formation, in order.

---@class mur.Ending
---@field code? integer The entry's exit status.
---@field signal? string The signal that ended the entry, or that murlua caught.
---@field stopped string[] The names of the members that were running when the end began.

--- Starts the members and returns when all are ready and the entry, if there is one, runs. If one fails, everything that was started is
--- stopped first.
---
--- Raises `launch_failed` when a member does not get ready; `failed` lists `{ name, reason, message, tail }`, `stopped` the names.
--- Raises `bad_option` when the plan is not one.
---
--- ```lua
--- local mur = require "mur"
--- local f = mur.formation.launch {
---   members = { { name = "sleeper", command = { "sleep", "30" } } },
--- }
--- f:stop()
--- ```
---@async
---@param plan mur.Plan
---@return mur.Formation formation
function formation.launch(plan) end

--- A formation that runs.
---@class mur.Formation
---@field id string
local Formation = {}

--- Waits for its end.
---@async
---@return mur.Ending ending
function Formation:wait() end

--- Stops every member and returns when all are gone.
---@async
---@return mur.Ending ending
function Formation:stop() end

return formation
