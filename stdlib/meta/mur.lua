---@meta mur

--- The modules of murlua under one name: `local mur = require "mur"`.
---
--- Conventions, the same in every module:
---
--- - A function takes its essentials first and then one table of options. An unknown option is an error
---   that names the nearest known one.
--- - What cannot be done raises an error object with `kind`, `message`, `hint` and `where`; `pcall` gives it
---   whole. Only an outcome that a script has to expect comes back as `nil, err`: not there, not ready, gone,
---   timed out.
--- - Times are seconds, as numbers with a fraction.
--- - A function that waits blocks its own task only. Other tasks run meanwhile.
--- - Callbacks are options called `on_<event>`.
--- - Handles are userdata with methods; everything else is a plain table.
---
--- ```lua
--- local mur = require "mur"
--- print(mur.json.encode { hello = "world" })
--- ```
---@class mur
local mur = {}

--- Pauses the task. Zero lets the other tasks run and comes back at once.
---
--- Raises `cancelled` when the task is stopped meanwhile.
---
--- ```lua
--- local mur = require "mur"
--- mur.sleep(0.01)
--- ```
---@async
---@param seconds number 0 or more
function mur.sleep(seconds) end

--- Calls the function at the end of the task, or of the script when called outside tasks, whatever ended it.
--- Deferred functions run in the reverse of their order, each with a deadline of its own. They are for tidying up what the
--- script made; members and handles are ended without them.
---
--- ```lua
--- local mur = require "mur"
--- local lock = mur.fs.join(mur.fs.tempdir(), "lock")
--- mur.fs.write(lock, "")
--- mur.defer(function() mur.fs.remove(lock) end)
--- ```
---@param fn fun()
function mur.defer(fn) end

---@class mur.CapsuleOptions
---@field name string 1 to 100 of a-z, 0-9 and hyphens, none first or last.
---@field version string
---@field on_task fun(task: mur.CapsuleTask): string|number|nil Does a task and returns the answer. Tasks of several callers run side by side.

--- A task that a capsule was sent.
---@class mur.CapsuleTask
---@field id string
---@field text string What is to be done.
---@field data? any[] What was sent as JSON values, beside the text or instead of it.
---@field from? string Who sent it: a member of its formation.
---@field emit fun(text: string) Adds a piece to the answer before it is complete: those who follow the task see it at once.
---@field note fun(text: string) Says how far the work is, to those who follow the task.
---@field peers table<string, mur.Peer> The members that the capsule may call, by name.

--- Describes a capsule. Its script returns it.
---
--- ```lua
--- local mur = require "mur"
--- return mur.capsule {
---   name = "coder", version = "1.0.0",
---   on_task = function(task) return "done: " .. task.text end,
--- }
--- ```
---@param options mur.CapsuleOptions
---@return mur.Capsule capsule
function mur.capsule(options) end

--- A capsule.
---@class mur.Capsule
---@field name string
---@field version string

--- A member of the formation that the capsule may call.
---@class mur.Peer
---@field name string
local Peer = {}

--- Gives it a task and returns its answer.
---
--- Raises `task_failed` when the task ends otherwise than completed; `task` has its id and `state` how it ended.
---@async
---@param text string
---@return string answer
function Peer:send(text) end

--- What a failing function raises. It is one object however often it is caught and raised again; `tostring`
--- gives the message.
---@class mur.Error
---@field kind string The stable name of the condition, such as "not_found".
---@field message string For people; lower case, no full stop.
---@field hint? string What can be done about it.
---@field where? string File and line of the script.
---@field [string] any What else belongs to the kind.

--- Hands out a TCP port that is free, and that no other recipe is handed while this one runs.
---
--- ```lua
--- local mur = require "mur"
--- local port = mur.port()
--- assert(port > 1023 and port ~= mur.port())
--- ```
---@return integer port
function mur.port() end

return mur
