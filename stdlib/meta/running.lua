---@meta mur.running

--- Reads the records of the capsules and commands that run on this machine, murmur's and murlua's alike, and
--- signals them safely.
---
--- A record is a hint: `verify` finds out whether its process still runs and whether its door answers. No signal goes to a process
--- whose identity was not verified at that moment.
---@class mur.running
local running = {}

---@class mur.Record
---@field session_id string
---@field url? string `host:port` of its door; nil when it serves none.
---@field pid integer
---@field process_start string
---@field capsule_name string
---@field capsule_version string
---@field workdir string
---@field records_dir? string
---@field outlives_launcher boolean
---@field started_at string RFC 3339.
---@field formation_id? string
---@field formation_member? string
---@field formation_entry? boolean
---@field spawned_by? string

---@class mur.Liveness
---@field state "live"|"gone"|"unreachable"
---@field reason? string Why, when it is not live.

---@class mur.ListOptions
---@field formation? string Only the members of this formation.
---@field capsule? string Only records with this capsule name.

--- Returns the records, the newest first. What cannot be read is removed, as murmur does it.
---
--- ```lua
--- local mur = require "mur"
--- for _, r in ipairs(mur.running.list()) do print(r.session_id, r.capsule_name) end
--- ```
---@async
---@param options? mur.ListOptions
---@return mur.Record[] records
function running.list(options) end

--- Finds out whether a record's process still runs and its door answers as this session.
---
--- ```lua
--- local mur = require "mur"
--- for _, r in ipairs(mur.running.list()) do print(r.session_id, mur.running.verify(r).state) end
--- ```
---@async
---@param record mur.Record
---@return mur.Liveness liveness
function running.verify(record) end

return running
