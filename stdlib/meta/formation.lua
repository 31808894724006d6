---@meta mur.formation

--- Starts groups of processes all-or-nothing and ends them without leaving anything behind.
---
--- The simplest recipe is a table: `murlua run` launches what a script returns if it is a plan, or a table with `members`, and waits
--- for it.
---@class mur.formation
local formation = {}

---@class mur.Member
---@field name string Lower-case letters, digits and dashes, at most 32, the first a letter.
---@field command? string[] A program and its arguments, run under a keeper.
---@field script? string A Lua capsule: the path of its script, from the recipe's folder.
---@field capsule? string A murmur capsule's name.
---@field version? string The capsule's version; a murmur capsule needs one.
---@field entry? boolean It starts when all others are ready, and the formation ends with it. Default false.
---@field calls? string[] Names of the members whose doors it may call.
---@field after? string[] It starts when these are ready.
---@field ready? mur.Policy When it counts as ready. Default for capsules: when its door answers; for commands: at once.
---@field ready_within? number Seconds, instead of the formation's.
---@field grace? number Seconds that it has to end, instead of the formation's.
---@field env? table<string, string> Added to murlua's own environment.
---@field dir? string Where its process runs. Default: the folder that murlua was started in.

---@class mur.Plan
---@field members mur.Member[]
---@field task? string What the entry is given to do.
---@field ready_within? number Seconds from a member's start until it must be ready. Default 180.
---@field grace? number Seconds that a member has to end after its lifeline was closed. Default 25.
---@field attach? boolean Whether `murlua attach` lets others into this script, and `murlua show` knows how it stands with it. Default true.
---@field on_event? fun(event: mur.FormationEvent) Called for everything that happens to the formation, in order.

---@alias mur.EventKind "launching"|"waiting"|"spawned"|"reported"|"door_answered"|"not_ready_yet"|"ready"|"entry_started"|"failed"|"stopping"|"exited"|"rung"|"reaped"|"ended"

--- Something that happened to a formation, or to one of its members.
---@class mur.FormationEvent
---@field kind mur.EventKind
---@field at number Seconds since the launch began.
---@field member? string Its name; nil when the event is about the whole formation.
---@field pid? integer
---@field session_id? string
---@field url? string
---@field workdir? string
---@field status? string How the process ended.
---@field reason? string Why it failed: a stable name, as in `launch_failed`.
---@field message? string Why it failed, for people.
---@field detail? string What is missing (not_ready_yet), how far the stop is (rung), why (stopping).

---@class mur.Ending
---@field code integer The exit status: the entry's, or 128 and the number of the signal that ended it or that murlua caught.
---@field signal? string The signal that ended the entry, or that murlua caught.
---@field stopped string[] The names of the members that were running when the end began.

--- Starts the members and returns when all are ready and the entry, if there is one, runs. If one fails, everything that was started is
--- stopped first. The formation ends with the script, unless the script waits for it.
---
--- Raises `launch_failed` when a member does not get ready; `failed` lists `{ name, reason, message, tail }`, `stopped` the names.
--- Raises `usage` when an option is not one.
---
--- ```lua
--- local mur = require "mur"
--- local f = mur.formation.launch {
---   members = { { name = "sleeper", command = { "sleep", "30" } } },
--- }
--- f:stop()
--- ```
---@async
---@param plan mur.Plan|mur.FormationPlan
---@return mur.Formation formation
function formation.launch(plan) end

--- Checks a plan without starting anything. `murlua run --plan` shows it.
---
--- Raises `usage` when an option is not one.
---
--- ```lua
--- local mur = require "mur"
--- local plan = mur.formation.plan {
---   members = {
---     { name = "api", command = { "sleep", "30" }, after = { "db" } },
---     { name = "db", command = { "sleep", "30" } },
---   },
--- }
--- assert(plan.order[1][1] == "db")
--- ```
---@param plan mur.Plan
---@return mur.FormationPlan plan
function formation.plan(plan) end

--- A plan that was checked.
---@class mur.FormationPlan
---@field members table[] What is known about each member.
---@field order string[][] The names in the order in which they start; those in one list start together.

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
