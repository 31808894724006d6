---@meta mur.handle

--- Starts long-running processes that outlive the call, reads what they write, and ends them with everything they
--- started. What still runs when the script ends, however it ends, is ended with it.
---
--- A failure raises `not_started` (with `program`), `containment` (a demanded class that cannot be had, with `class` and
--- `available`), `too_many` (with `live` and `cap`) or `orphaned`.
---
--- ```lua
--- local mur = require "mur"
--- mur.handle.start { command = { "sleep", "60" } }
--- for _, h in ipairs(mur.handle.list()) do print(h.id, h.state, h.line) end
--- assert(mur.handle.get(1).state == "running")
--- assert(mur.handle.kill_all() == 1)
--- ```
---@class mur.handle
local handle = {}

---@class mur.Terminal
---@field rows? integer Default 24.
---@field columns? integer Default 80.

---@class mur.HandleOptions
---@field command? string[] A program and its arguments. Either this or `line`.
---@field line? string A command line: words, quotes and `|` between stages. No shell reads it.
---@field cap? integer Refuse the start when so many handles live already. Default 8.
---@field env? table<string, string> Variables to set beside those of this process.
---@field cwd? string The working directory.
---@field containment? "group"|"tracked"|"cgroup"|"sealed"|"job" Demand a class; without it the best there is is taken.
---@field grace? number Seconds to end in when asked. Default 10.
---@field stdin? boolean Give it a standard input to write to. Default false: it is empty.
---@field pty? boolean|mur.Terminal Give it a terminal as all three streams.
---@field keep_leftovers? boolean Let processes run on that outlive the command, until the script ends. Default false.

--- Starts a command, or a line of several stages. Output of both streams goes to a private file that is removed with
--- the script.
---
--- ```lua
--- local mur = require "mur"
--- local server = mur.handle.start { command = { "sh", "-c", "echo listening; exec sleep 60" } }
--- assert(server:read_line { timeout = 10 } == "listening")
--- print(server, server.containment)
--- server:stop()
--- ```
---@async
---@param options mur.HandleOptions
---@return mur.Handle handle
function handle.start(options) end

--- Returns all handles of the script in the order of their ids, ended ones too.
---@return mur.Handle[] handles
function handle.list() end

--- Returns a handle by its id; `nil, err` with the kind `not_found` when there is none.
---@param id integer
---@return mur.Handle|nil handle
---@return mur.Error|nil err
function handle.get(id) end

--- Kills every handle that runs, and returns how many there were.
---@async
---@return integer count
function handle.kill_all() end

--- Records the script's handles in a file, so that a later run of the script can list them when this one was killed.
--- Returns how many handles of an earlier run are listed as orphans. It is called before anything else of this module.
---
--- An orphan is never signalled, because its number may be somebody else's by now, and its id is not given again.
---
--- ```lua
--- local mur = require "mur"
--- local orphans = mur.handle.store(mur.fs.tempdir() .. "/handles.json")
--- assert(orphans == 0)
--- ```
---@param path string
---@return integer orphans
function handle.store(path) end

--- Takes an orphan back, where the system proves beyond doubt that its process is the one that was started; `nil, err`
--- with the kind `orphaned` elsewhere. How it ends cannot be known then.
---@param id integer
---@return mur.Handle|nil handle
---@return mur.Error|nil err
function handle.readopt(id) end

--- A started line.
---@class mur.Handle
---@field id integer Its number in this script.
---@field line string The command line.
---@field state "running"|"exited"|"killed"|"orphaned"
---@field code integer|nil The exit code of the last stage when it has exited.
---@field pids integer[] The stages' processes, for reports.
---@field containment string The class that its processes are in.
local Handle = {}

---@class mur.HandleTimeout
---@field timeout? number Seconds to wait. Default: no limit.

---@class mur.HandleEnding
---@field state "exited"|"killed"|"orphaned"
---@field ok boolean Whether it exited with 0.
---@field code? integer
---@field signal? integer The number of the signal that ended it.

---@class mur.ProcessName
---@field pid integer
---@field name string

---@class mur.HandleStop
---@field rung "gone"|"asked"|"signal"|"kill"|"survivor" The step of the ladder that ended it.
---@field ok boolean
---@field code? integer
---@field signal? integer
---@field took number Seconds.
---@field escaped mur.ProcessName[] Processes that had left its process group.
---@field killed mur.ProcessName[] Processes that had to be killed.
---@field survivors mur.ProcessName[] Processes that could not be ended.

---@class mur.HandleStopOptions
---@field grace? number Seconds. Default: as it was started.

--- Returns what was written since the last read, at most 16 KiB: the newest, and how many bytes were skipped before it.
---@return string text
---@return integer skipped
function Handle:poll() end

--- Returns the next line without its end, waiting for it; `nil, err` with the kind `timeout`, or `closed` at the end.
---@async
---@param options? mur.HandleTimeout
---@return string|nil line
---@return mur.Error|nil err
function Handle:read_line(options) end

--- Waits until all stages have ended; `nil, err` with the kind `timeout` when they have not.
---
--- ```lua
--- local mur = require "mur"
--- local h = mur.handle.start { line = "echo hello | tr a-z A-Z" }
--- local ending = h:wait { timeout = 10 }
--- assert(ending.ok and h:poll() == "HELLO\n")
--- ```
---@async
---@param options? mur.HandleTimeout
---@return mur.HandleEnding|nil ending
---@return mur.Error|nil err
function Handle:wait(options) end

--- Writes to the first stage's standard input, or to the terminal.
---@async
---@param text string
function Handle:write(text) end

--- Ends the first stage's standard input.
function Handle:close_stdin() end

--- Sends a signal, by name or number, to the process group of every stage; `nil, err` with the kind `gone` when all
--- have ended.
---@param signal string|integer
---@return boolean|nil sent
---@return mur.Error|nil err
function Handle:signal(signal) end

--- Asks all stages to end, kills what is left after the grace, and returns when nothing is, with a report for each
--- stage. An ended handle gives no reports.
---@async
---@param options? mur.HandleStopOptions
---@return mur.HandleStop[] reports
function Handle:stop(options) end

--- Ends it and everything it started at once, and returns the state it was in.
---@async
---@return string state
function Handle:kill() end
