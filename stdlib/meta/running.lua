---@meta mur.running

--- Reads the records of the capsules and commands that run on this machine, murmur's and murlua's alike, and
--- signals them safely.
---
--- A record is a hint: `verify` finds out whether its process still runs and whether its door answers. No signal goes to a process
--- whose identity was not verified at that moment, and no record is pruned whose process is not proven to have ended.
---
--- Where a record is asked for, its session id does as well. The record is then read anew: what a script has changed in its table
--- counts for nothing, and tokens never get into it; `mur.door.token` gives them.
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
---@field authenticated? boolean True when its door asks for a token.
---@field formation_id? string
---@field formation_member? string
---@field formation_entry? boolean
---@field formation_lifeline? boolean True when it ends by itself with its formation.
---@field spawned_by? string
---@field unconfined? boolean
---@field containment? string The containment class of a command.

---@class mur.Liveness
---@field state "live"|"gone"|"unreachable"
---@field reason? string Why, when it is not live.

---@class mur.VerifiedRecord : mur.Liveness
---@field record mur.Record

---@class mur.ListOptions
---@field formation? string Only the members of this formation.
---@field capsule? string Only records with this capsule name.

---@class mur.UnreadableFile
---@field path string
---@field reason string

---@class mur.Scan
---@field records mur.Record[] The newest first.
---@field older string[] Files of releases of murmur before 0.7.
---@field unreadable mur.UnreadableFile[] Files that are no records.

---@class mur.SignalOutcome
---@field outcome "sent"|"gone"|"refused" "gone": the process has ended, and nothing was signalled.
---@field reason? string Why it was not sent.
---@field method? string How the process was held: "handle" or "proc directory", which no other process can slip under, or "number (race narrowed)".

---@class mur.Identity
---@field pid integer
---@field process_start string When the process started, as a text to be compared.

--- Returns the records, the newest first. Files whose content is no record are removed, as murmur does it.
---
--- ```lua
--- local mur = require "mur"
--- for _, r in ipairs(mur.running.list()) do print(r.session_id, r.capsule_name) end
--- ```
---@async
---@param options? mur.ListOptions
---@return mur.Record[] records
function running.list(options) end

--- Returns what is in the directory of records. Nothing is created, changed or removed.
---
--- ```lua
--- local mur = require "mur"
--- local scan = mur.running.scan()
--- for _, file in ipairs(scan.unreadable) do print(file.path, file.reason) end
--- ```
---@async
---@param options? mur.ListOptions For the records.
---@return mur.Scan scan
function running.scan(options) end

--- Returns the record of the session that an address names: "@1" for the newest that runs, "@2" for the one before it, a session
--- id, or an end of one, of at least four characters, that no other has. Records of what has ended are pruned on the way.
---
--- Returns `nil, err` with the kind `no_session` when it names none or several; `err.problem` is "none_runs", "ended" or "ambiguous",
--- and `err.sessions` has the ids in question.
---
--- ```lua
--- local mur = require "mur"
--- local newest, err = mur.running.get "@1"
--- print(newest and newest.capsule_name or err.message)
--- ```
---@async
---@param address string
---@return mur.Record|nil record
---@return mur.Error|nil err
function running.get(address) end

--- Finds out whether a record's process still runs and its door answers as this session. Without a door the process decides.
---
--- ```lua
--- local mur = require "mur"
--- for _, r in ipairs(mur.running.list()) do print(r.session_id, mur.running.verify(r).state) end
--- ```
---@async
---@param record mur.Record|string
---@return mur.Liveness liveness
function running.verify(record) end

--- Verifies all records, several at once, the newest first.
---
--- ```lua
--- local mur = require "mur"
--- for _, v in ipairs(mur.running.verify_all { capsule = "coder" }) do print(v.record.session_id, v.state) end
--- ```
---@async
---@param options? mur.ListOptions
---@return mur.VerifiedRecord[] verified
function running.verify_all(options) end

--- Sends a signal to a record's process, to it alone and never to its group, if it still is that process.
---
--- ```lua
--- local mur = require "mur"
--- local newest = mur.running.get "@1"
--- if newest then print(mur.running.signal(newest, "TERM").outcome) end
--- ```
---@async
---@param record mur.Record|string
---@param signal? "TERM"|"KILL"|"INT"|"HUP" Default "TERM".
---@return mur.SignalOutcome outcome
function running.signal(record, signal) end

--- Removes the record of a process that has ended, and returns true; false when there was none any more.
---
--- The evidence is taken at that moment: `nil, err` with the kind `not_gone` when the process is not proven to have ended.
---
--- ```lua
--- local mur = require "mur"
--- for _, v in ipairs(mur.running.verify_all()) do
---   if v.state == "gone" then mur.running.prune(v.record) end
--- end
--- ```
---@async
---@param record mur.Record|string
---@return boolean|nil removed
---@return mur.Error|nil err
function running.prune(record) end

--- Returns what names a process for ever, where its number alone would not; without a number of this process. `nil, err` with the
--- kind `gone` when no process has the number.
---
--- ```lua
--- local mur = require "mur"
--- print(mur.running.identity().process_start)
--- ```
---@param pid? integer
---@return mur.Identity|nil identity
---@return mur.Error|nil err
function running.identity(pid) end

---@class mur.RecordEvent
---@field kind "appeared"|"changed"|"vanished"|"caught_up" "caught_up" comes once, after the records that were there at the beginning.
---@field record? mur.Record
---@field state? "alive"|"gone"|"unverified" Of the record's process. The door is not asked.
---@field reason? string Why it is not alive.

--- Watches the records: first those that are there, then what happens to them and to their processes. Nothing is polled.
---
--- Raises `unsupported` where the system does not report changes.
---
--- ```lua
--- local mur = require "mur"
--- local watch = mur.running.watch()
--- repeat
---   local event = assert(watch:next { timeout = 5 })
---   if event.record then print(event.kind, event.record.session_id, event.state) end
--- until event.kind == "caught_up"
--- watch:close()
--- ```
---@async
---@return mur.RecordWatch watch
function running.watch() end

--- A running watch of records.
---@class mur.RecordWatch
local RecordWatch = {}

--- Waits for the next event; `nil, err` with the kind `timeout` or `closed` when none comes.
---@async
---@param options? mur.NextOptions
---@return mur.RecordEvent|nil event
---@return mur.Error|nil err
function RecordWatch:next(options) end

--- Ends the watch. A second call does nothing. The end of the script closes it too.
function RecordWatch:close() end

return running
