---@meta mur.task

--- Does several things at once. A task is a function that runs beside the others of the script; tasks take turns
--- at calls that wait, so a script needs no locks.
---
--- A task belongs to the one that started it: that one stops it where it ends, and does not end before it.
--- A task that failed and that nobody joined fails its parent; a detached one fails the script.
---@class mur.task
local task = {}

---@class mur.SpawnOptions
---@field name? string Shown in errors and tracebacks. Default: where its function stands.
---@field detached? boolean Let it outlive the task that starts it, though never the script. Default false.
---@field deadline? number Seconds after which it is stopped. Default: none.

--- Starts a function as a task, which runs at least until it first waits.
---
--- When it fails and nobody joins it, the task that started it fails with that error when it ends. A second after the
--- failure that is a warning on standard error, unless somebody has joined it by then.
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

--- Waits for a task and returns what its function returned.
---
--- Raises what the task raised.
---
--- ```lua
--- local mur = require "mur"
--- local t = mur.task.spawn(function() return "a", "b" end)
--- local a, b = mur.task.join(t)
--- assert(a == "a" and b == "b")
--- ```
---@async
---@param task mur.Task
---@return any ...
function task.join(task) end

--- Runs functions and tasks side by side and waits for all; their first results come back as a list. When one fails, the others are
--- cancelled.
---
--- Raises `tasks` when one failed; the field `errors` lists every error.
---
--- ```lua
--- local mur = require "mur"
--- local both = mur.task.all { function() return 1 end, function() return 2 end }
--- assert(both[1] + both[2] == 3)
--- ```
---@async
---@param fns (fun(): any|mur.Task)[]
---@return any[] results
function task.all(fns) end

--- Runs functions and tasks side by side and returns what the first that succeeds returned. The others are cancelled.
---
--- Raises `tasks` when every one failed.
---
--- ```lua
--- local mur = require "mur"
--- assert(mur.task.any { function() error "no" end, function() return "yes" end } == "yes")
--- ```
---@async
---@param fns (fun(): any|mur.Task)[]
---@return any ...
function task.any(fns) end

--- Runs functions and tasks side by side and returns, or raises, what the first to end did. The others are cancelled.
---
--- ```lua
--- local mur = require "mur"
--- assert(mur.task.race { function() mur.sleep(5) end, function() return "first" end } == "first")
--- ```
---@async
---@param fns (fun(): any|mur.Task)[]
---@return any ...
function task.race(fns) end

--- Runs a function and returns what it returns, within a time.
---
--- Raises `timeout` when it takes longer, after stopping it.
---
--- ```lua
--- local mur = require "mur"
--- local ok, err = pcall(mur.task.timeout, 0.01, function() mur.sleep(5) end)
--- assert(not ok and err.kind == "timeout")
--- ```
---@async
---@param seconds number
---@param fn fun(): any
---@return any ...
function task.timeout(seconds, fn) end

--- Pauses the task: the same as `mur.sleep`.
---
--- ```lua
--- local mur = require "mur"
--- mur.task.sleep(0.01)
--- ```
---@async
---@param seconds number
function task.sleep(seconds) end

--- Lets the other tasks run.
---
--- ```lua
--- local mur = require "mur"
--- mur.task.yield()
--- ```
---@async
function task.yield() end

--- Returns the task that calls.
---
--- ```lua
--- local mur = require "mur"
--- assert(mur.task.current().done == false)
--- ```
---@return mur.Task task
function task.current() end

--- Makes a queue between tasks: first in, first out.
---
--- ```lua
--- local mur = require "mur"
--- local jobs = mur.task.queue()
--- mur.task.spawn(function()
---   for i = 1, 3 do jobs:push(i) end
---   jobs:close()
--- end)
--- local sum = 0
--- for job in jobs:each() do sum = sum + job end
--- assert(sum == 6)
--- ```
---@param capacity? integer How many values it holds before `push` waits. Default 0: no bound.
---@return mur.Queue queue
function task.queue(capacity) end

--- A task.
---@class mur.Task
---@field name string
---@field done boolean Whether it has ended.
local Task = {}

--- Waits for its end and returns what its function returned.
---
--- Raises what the task raised.
---@async
---@return any ...
function Task:join() end

--- Asks it to end: what it waits for raises `cancelled` there. It returns at once.
function Task:cancel() end

--- Waits for its end, whichever it is, and tells whether it came.
---@async
---@param seconds? number Default: no limit.
---@return boolean ended
function Task:wait(seconds) end

--- A queue.
---@class mur.Queue
---@field length integer How many values wait in it.
---@field closed boolean
local Queue = {}

--- Adds a value; waits while the queue is full.
---
--- Raises `closed` when the queue is closed.
---@async
---@param value any Not nil.
function Queue:push(value) end

--- Takes the oldest value; nil and "closed" or "timeout" when none comes.
---@async
---@param seconds? number Default: no limit.
---@return any value
---@return string|nil why
function Queue:pop(seconds) end

--- Returns an iterator that takes values until the queue is closed and empty.
---@return fun(): any
function Queue:each() end

--- Ends the queue: what is in it can still be taken. A second call does nothing.
function Queue:close() end

return task
