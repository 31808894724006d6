---@meta mur.sweep

--- Ends and removes what sessions, formations and hosts left behind.
---
--- A sweep finds items, asks a policy about each and then does what the policy said: everything is verified again right before it
--- is done, no process is signalled that was not identified at that moment, and nothing that may be in use is removed.
---
--- A policy is a function of an item and its life. It returns one of the item's actions and, if it likes, why; nil or "keep" keep the
--- item, and may come with a reason too. So a policy that says nothing about an item leaves it alone. The table shows the reasons.
---
--- Records do not always wait for a sweep: like murmur's commands, `murlua ps` and those that are given a session (`stop`, `send`,
--- `token`, mur.running.get) prune the records of processes that have ended.
---
--- | Kind | Is | Actions besides "keep" |
--- |---|---|---|
--- | record | a running record | prune, stop, kill |
--- | unreadable | a file among the records that is none | remove |
--- | formation | a formation's folder, with those of its members | remove, stop |
--- | cgroup | processes whose host and keeper are both gone | end |
--- | tracked | the same in the class `tracked`, by the note that their host made | end |
--- | scratch | a temporary folder of a script: `mur.fs.tempdir`, and what its handles wrote | remove |
---
--- ```lua
--- local mur = require "mur"
--- mur.sweep.run {
---   dry_run = true,
---   policy = function(item, live)
---     if item.kind == "record" and live.state == "gone" then return "prune" end
---     if item.kind == "formation" then return "keep", "its logs are still wanted" end
---     if item.capsule_name == "scratch" and item.age > 3600 then return "stop", "an hour is enough" end
---   end,
--- }
--- ```
---@class mur.sweep
local sweep = {}

---@alias mur.SweepKind "record"|"unreadable"|"formation"|"cgroup"|"tracked"|"scratch" What an item is: see the table in mur.sweep.
---@alias mur.SweepAction "prune"|"stop"|"kill"|"remove"|"end"|"keep" What is done to an item; "keep" is the same as nil: nothing. Which actions a kind has: see mur.sweep.
---@alias mur.SweepPolicy fun(item: mur.SweepItem, live: mur.SweepLife): mur.SweepAction|false|nil, string? Decides about one item: it returns an action and why; nil or "keep" keep the item, also with a reason. Which actions a kind has: see mur.sweep.

--- What a sweep found. A record has the fields of mur.Record too.
---@class mur.SweepItem
---@field kind mur.SweepKind
---@field id string The session or formation id; else the path.
---@field name? string The capsule and its version, or the project's folder.
---@field path string
---@field age? number Seconds.
---@field live mur.SweepLife
---@field members? string[] Of a formation: the members that have a folder.
---@field project_dir? string Of a formation: the folder that it was launched from.
---@field launcher_pid? integer Of a formation.
---@field rank? integer Of a formation among those of its project: 1 is the newest.
---@field pids? integer[] Of a cgroup: what runs in it. Of tracked: what carries the mark and would be ended.
---@field processes? mur.ProcessName[] The same with names.
---@field [string] any The fields of the record.

---@class mur.SweepLife
---@field state "live"|"gone"|"unreachable"|"unowned" Gone is said on evidence only. Unowned is a formation's folder that does not say whose it is.
---@field reason? string Why it is not live.

---@class mur.SweepOptions
---@field policy? mur.SweepPolicy Default: mur.sweep.gone().
---@field dry_run? boolean Do nothing, and say what would be done. Default false.
---@field over? mur.SweepKind[] The kinds to look at. Default: all.
---@field grace? number Seconds that a process which is stopped has before it is killed. Default 10.
---@field quiet? boolean Do not print the table. Default false.
---@field verbose? boolean A line of the table for each item that is kept, instead of a summary of them. Default false.
---@field on_item? fun(entry: mur.SweepEntry) Called for each item when it has been dealt with.

---@class mur.SweepEntry
---@field item mur.SweepItem
---@field action? mur.SweepAction
---@field why? string What the policy said, also about what is kept.
---@field result "done"|"failed"|"kept"|"would"
---@field detail? string What came of it, in a few words.
---@field error? any The error, when it failed.

--- What a sweep did. `tostring` gives the table for people. A script that returns it exits with its code.
---@class mur.SweepReport
---@field items mur.SweepEntry[]
---@field done integer
---@field failed integer
---@field kept integer
---@field would integer
---@field dry_run boolean
---@field verbose boolean Whether the table has a line for each item that was kept.
---@field code integer 1 when something failed, else 0.

--- Finds items, asks the policy about all of them, does what it said, and prints a table: a line for each item that something
--- was done to, and below it what was kept, summed up by kind, state and reason.
---
--- Raises `usage` when the policy returns what cannot be done to an item, or a reason that is no string, and whatever the policy
--- raises; nothing has been done then. When it is stopped halfway it prints what was done, and raises `cancelled`.
---
--- ```lua
--- local mur = require "mur"
--- local report = mur.sweep.run { policy = mur.sweep.gone(), quiet = true }
--- assert(report.failed == 0)
--- ```
---@async
---@param options? mur.SweepOptions
---@return mur.SweepReport report
function sweep.run(options) end

---@class mur.SweepFindOptions
---@field over? mur.SweepKind[] The kinds to look at. Default: all.

--- Returns what a sweep would look at, and changes nothing.
---
--- ```lua
--- local mur = require "mur"
--- for _, item in ipairs(mur.sweep.find { over = { "record" } }) do print(item.id, item.live.state) end
--- ```
---@async
---@param options? mur.SweepFindOptions
---@return mur.SweepItem[] items
function sweep.find(options) end

--- A policy: prunes records whose process has ended, removes files that are no records and temporary folders of scripts that were
--- killed, and ends what hosts that are gone left running. Formations' folders are kept, for what the members wrote.
---
--- ```lua
--- local mur = require "mur"
--- mur.sweep.run { policy = mur.sweep.gone(), dry_run = true }
--- ```
---@return mur.SweepPolicy policy
function sweep.gone() end

--- A policy: acts on what is older than a time. Without an action it removes the folders of ended formations.
---
--- ```lua
--- local mur = require "mur"
--- mur.sweep.run { policy = mur.sweep.older_than "7d", dry_run = true }
--- ```
---@param age string|number Seconds, or a length such as "7d".
---@param action? mur.SweepAction Done to items of every kind that know it.
---@return mur.SweepPolicy policy
function sweep.older_than(age, action) end

--- A policy: removes the folders of ended formations except the newest of each project. Running ones count.
---
--- ```lua
--- local mur = require "mur"
--- mur.sweep.run { policy = mur.sweep.keep_newest(5), dry_run = true }
--- ```
---@param count integer
---@return mur.SweepPolicy policy
function sweep.keep_newest(count) end

--- A policy: asks another one, about what belongs to a project: formations launched from its folder, or below it, and records whose workdir
--- is there.
---
--- ```lua
--- local mur = require "mur"
--- mur.sweep.run { policy = mur.sweep.owned_by(".", mur.sweep.older_than("1d", "stop")), dry_run = true }
--- ```
---@param folder string
---@param policy mur.SweepPolicy
---@return mur.SweepPolicy policy
function sweep.owned_by(folder, policy) end

--- A policy: the first of several that wants to do something, or says "keep", decides. When none does, the item is kept for the reasons
--- of all.
---
--- ```lua
--- local mur = require "mur"
--- mur.sweep.run { policy = mur.sweep.first { mur.sweep.gone(), mur.sweep.keep_newest(3) }, dry_run = true }
--- ```
---@param policies mur.SweepPolicy[]
---@return mur.SweepPolicy policy
function sweep.first(policies) end

return sweep
