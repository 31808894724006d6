---@meta mur.process

--- Runs commands to their end. Whatever a command leaves behind is killed when it has ended.
---
--- A failure raises `not_started` (with `program`), `containment` (with `class` and `available`), `timeout` or `limit` (with
--- the `stdout` and `stderr` until then).
---@class mur.process
local process = {}

---@class mur.RunOptions
---@field command? string[] A program and its arguments. Either this or `line`.
---@field line? string A command line: words, quotes and `|` between stages. No shell reads it.
---@field input? string What it reads. Default: nothing.
---@field env? table<string, string> Variables to set beside those of this process.
---@field cwd? string The working directory.
---@field timeout? number Seconds after which it is killed. Default: no limit.
---@field max_output? integer Bytes of each stream after which it is killed. Default 16 MiB.
---@field check? boolean Raise `failed` when it does not end with 0. Default false.
---@field containment? "group"|"tracked"|"cgroup"|"sealed"|"job" Demand a class; without it the best there is is taken.

---@class mur.RunResult
---@field ok boolean Whether the last stage exited with 0.
---@field code? integer
---@field signal? integer The number of the signal that ended it.
---@field stdout string
---@field stderr string
---@field leftovers mur.ProcessName[] Processes that it had left behind, and that were killed.

--- Runs a command, or a line of several stages, and waits for it.
---
--- Raises `failed`, with the fields of the result, when `check` is set and it does not end with 0.
---
--- ```lua
--- local mur = require "mur"
--- local result = mur.process.run { command = { "sort" }, input = "b\na\n", timeout = 10 }
--- assert(result.ok and result.stdout == "a\nb\n")
--- ```
---@async
---@param options mur.RunOptions
---@return mur.RunResult result
function process.run(options) end
