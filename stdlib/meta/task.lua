---@meta mur.task

--- Does several things at once. A task is a function that runs beside the others of the script; tasks take turns
--- at calls that wait, so a script needs no locks.
---
--- A task that is not `detached` belongs to the one that started it: that one does not end before it, and its error is not lost.
---@class mur.task
local task = {}

---@class mur.SpawnOptions
---@field name? string Shown in errors and tracebacks.
---@field detached? boolean Let it outlive the task that starts it, though never the script. Default false.

--- Starts a function as a task.
---
--- ```lua
--- local mur = require "mur"
--- local answer = mur.task.spawn(function() mur.sleep(0.01) return 42 end)
--- assert(answer:join() == 42)
--- ```
---@param fn fun(): any
---@param options? mur.SpawnOptions
---@return mur.Task task
function task.spawn(fn, options) end

--- Runs functions at once and waits for all; their first results come back as a list. When one fails, the others are cancelled.
---
--- Raises `tasks_failed` when one failed; the field `errors` lists every error.
---
--- ```lua
--- local mur = require "mur"
--- local both = mur.task.all { function() return 1 end, function() return 2 end }
--- assert(both[1] + both[2] == 3)
--- ```
---@async
---@param fns (fun(): any)[]
---@return any[] results
function task.all(fns) end

--- Runs functions at once and returns what the first that succeeds returned. The others are cancelled.
---
--- Raises `tasks_failed` when every one failed.
---
--- ```lua
--- local mur = require "mur"
--- assert(mur.task.any { function() error "no" end, function() return "yes" end } == "yes")
--- ```
---@async
---@param fns (fun(): any)[]
---@return any result
function task.any(fns) end

--- Runs functions at once and returns, or raises, what the first to end did. The others are cancelled.
---
--- ```lua
--- local mur = require "mur"
--- assert(mur.task.race { function() mur.sleep(5) end, function() return "first" end } == "first")
--- ```
---@async
---@param fns (fun(): any)[]
---@return any result
function task.race(fns) end

--- Runs a function and returns what it returns; `nil, err` with the kind `timeout` when it takes longer, after stopping it.
---
--- ```lua
--- local mur = require "mur"
--- local result, err = mur.task.timeout(0.01, function() mur.sleep(5) end)
--- assert(result == nil and err.kind == "timeout")
--- ```
---@async
---@param seconds number
---@param fn fun(): any
---@return any result
---@return mur.Error|nil err
function task.timeout(seconds, fn) end

--- Lets the other tasks run.
---
--- ```lua
--- local mur = require "mur"
--- mur.task.yield()
--- ```
---@async
function task.yield() end

return task
