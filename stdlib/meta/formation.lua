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
---@field capsule? string An installed capsule, as `mur` names it, "local/coder": murmur's own, or one with Lua in its artifact.
---@field version? string The capsule's version; an installed capsule needs one.
---@field entry? boolean It starts when all others are ready, and the formation ends with it. A capsule's answer to the task is printed. Default false.
---@field calls? string[] Names of the members whose doors it may call.
---@field after? string[] It starts when these are ready.
---@field ready? mur.Policy When it counts as ready. Default for capsules: when its door answers; for commands: at once.
---@field ready_within? number Seconds, instead of the formation's.
---@field grace? number Seconds that it has to end, instead of the formation's.
---@field env? table<string, string> Added to murlua's own environment.
---@field env_file? string A file of NAME=value lines, from the recipe's folder; `env` wins over it.
---@field unset? string[] Names of variables that it does not inherit.
---@field stop_signal? string What asks a command to end: "TERM", "INT", … Default "TERM". Capsules are asked by their lifeline.
---@field containment? "group"|"tracked"|"cgroup"|"sealed" What ends everything that it starts. Default: the best there is on this machine; one that cannot be had is refused.
---@field ports? integer[] TCP ports that it listens on. It is not started, and the launch fails, when somebody else has one; a restart waits until they are free.
---@field on_exit? mur.MemberAction|mur.RestartOptions|fun(exit: mur.Exit): mur.MemberAction|false|nil, number? What happens when it ends by itself once it was ready: the formation stops, it is started again, or nothing. A function returns one of the words, and after how many seconds to restart; nil is "ignore". Default: "stop" in a formation without an entry, else "ignore".
---@field health? mur.Health A check that is made again and again while it runs.
---@field dir? string Where its process runs. Default: the folder that murlua was started in.

---@alias mur.MemberAction "stop"|"restart"|"ignore" What is done about a member: the formation is stopped, the member is started again, or nothing.

--- How a member is started again when it ends.
---@class mur.RestartOptions
---@field restart_after? number Seconds before the first restart; then twice as long each time. Default 0.5.
---@field up_to? number Seconds, the longest wait. Default 30.
---@field at_most? integer After so many restarts the formation stops, with "gave up after …" in the detail of the event `stopping`. Default: no limit.
---@field on_failure? boolean Only when it did not end with 0; then the formation stops. Default false.

--- A member's process that ended by itself.
---@class mur.Exit
---@field name string
---@field pid integer
---@field status string "status 3", "signal 9" or, when who kept it was killed, "an unknown status".
---@field code integer The exit status, or 128 and the signal.
---@field ran number Seconds that it ran.
---@field restarts integer How often it was started again before.
---@field reason? string Why it did not get ready after a restart.
---@field message? string The same for people.

---@class mur.Health
---@field check mur.Policy It fails when it does not say yes in time.
---@field every? number Seconds between two checks. Default 10.
---@field within? number Seconds that one may take. Default 5.
---@field failures? integer How many in a row make the member unhealthy. Default 3.
---@field on_unhealthy? mur.MemberAction|fun(why: string): mur.MemberAction|false|nil, number? What happens then; a function is as for `on_exit`. Default: nothing but the event.

---@class mur.Plan
---@field name? string A name for the formation, of the form of a member's: in one home directory one formation at a time has it, and `murlua stop`, `show`, `logs` and `attach` take it for an id. Default: none.
---@field members mur.Member[]
---@field task? string What the entry is given to do.
---@field ready_within? number Seconds from a member's start until it must be ready. Default 180.
---@field grace? number Seconds that a member has to end after its lifeline was closed. Default 25.
---@field attach? boolean Whether `murlua attach` lets others into this script, and `murlua show` knows how it stands with it. Default true.
---@field on_event? fun(event: mur.FormationEvent) Called for everything that happens to the formation, in order.

---@alias mur.EventKind "launching"|"waiting"|"spawned"|"reported"|"door_answered"|"not_ready_yet"|"ready"|"entry_started"|"failed"|"stopping"|"exited"|"restarting"|"unhealthy"|"healthy"|"rung"|"reaped"|"ended" What happened. A member that comes up: "waiting" (for others), "spawned", "reported" and "door_answered" (capsules), "not_ready_yet", then "ready" or "failed". Later: "exited", "restarting", "unhealthy", "healthy". One that is stopped: "stopping", "rung" (a step of the stop), "exited", "reaped". "launching" and "ended" are about the formation; "ready" and "stopping" are, too, when they name no member.

--- Something that happened to a formation, or to one of its members.
---@class mur.FormationEvent
---@field kind mur.EventKind
---@field at number Seconds since the launch began.
---@field member? string Its name; nil when the event is about the whole formation.
---@field pid? integer
---@field session_id? string
---@field url? string
---@field workdir? string
---@field containment? string What ends everything that the member starts (spawned).
---@field status? string How the process ended.
---@field reason? string Why it failed: a stable name, as in `launch_failed`.
---@field message? string Why it failed, for people.
---@field detail? string What is missing (not_ready_yet), how far the stop is or went (rung, reaped), why (stopping, restarting, unhealthy).

---@class mur.Ending
---@field code integer The exit status: the entry's, or 128 and the number of the signal that ended it or that murlua caught.
---@field signal? string The signal that ended the entry, or that murlua caught.
---@field stopped string[] The names of the members that were running when the end began.
---@field processes table<string, mur.MemberEnding> How each member's process ended, by name.

---@class mur.MemberEnding
---@field pid integer
---@field status string "status 0", "signal 9" or "an unknown status".
---@field code integer
---@field rung "gone"|"lifeline"|"signal"|"kill"|"survivor" How far its stop had to go.
---@field escaped? string[] Processes that had left its process group and outlived it.
---@field killed? string[] Processes that had to be killed.
---@field survivors? string[] Processes that could not be.

--- Starts the members and returns when all are ready and the entry, if there is one, runs. If one fails, everything that was started is
--- stopped first. The formation ends with the script, unless the script waits for it.
---
--- A command without `ready` counts as ready as soon as it is started; a capsule when its door answers.
---
--- The entry is started last, is given the plan's `task`, and ends the formation when it ends. What an entry that is a Lua capsule
--- answers to its task is printed on standard output; an entry that is a command has standard output itself.
---
--- With a `name` it is refused, before anything is started, while another formation of that name runs, in whatever process.
--- The name is free when the formation has ended, or its process, however that came about: nothing has to be cleaned up.
---
--- Raises `launch_failed` when a member does not get ready; `failed` lists `{ name, reason, message, tail }`, `stopped` the names.
--- Raises `already_running` when the name is taken; `name`, and unless that one is just starting or ending `formation_id`, `pid`
--- and `started_at`, say by whom.
--- Raises `usage` when an option is not one.
---
--- ```lua
--- local mur = require "mur"
--- local f = mur.formation.launch {
---   members = { { name = "sleeper", command = { "sleep", "30" } } },
--- }
--- f:stop()
--- ```
---
--- ```lua
--- local mur = require "mur"
--- local plan = { name = "dev", members = { { name = "sleeper", command = { "sleep", "30" } } } }
--- local f = mur.formation.launch(plan)
--- local ok, err = pcall(mur.formation.launch, plan)
--- assert(not ok and err.kind == "already_running" and err.formation_id == f.id)
--- f:stop()
--- mur.formation.launch(plan):stop()
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

---@class mur.RosterOptions
---@field name? string As in `mur.Plan`.
---@field task? string What the entry is given to do.
---@field ready_within? number As in `mur.Plan`.
---@field grace? number As in `mur.Plan`.
---@field attach? boolean As in `mur.Plan`.
---@field on_event? fun(event: mur.FormationEvent) As in `mur.Plan`.

--- Reads the roster of a murmur project, roster.yaml, and returns its plan: murmur's capsules as `mur run --roster` would start them,
--- each bound to the artifact that is installed now. `murlua run roster.yaml` launches it. What the entry's manifest says under
--- `trace.retain` is done after the launch: the directories of older formations of the project are removed.
---
--- Raises `roster` when the roster is refused; `code` is murmur's, such as "E-ROS-004".
---
--- ```lua
--- local mur = require "mur"
--- local ok, plan = pcall(mur.formation.roster, "no/such/project", { task = "add the numbers" })
--- if not ok then print(plan.code, plan.message) end
--- ```
---@async
---@param project? string The project's folder, or the path of its roster.yaml; from the folder that murlua was started in. Default ".".
---@param options? mur.RosterOptions
---@return mur.FormationPlan plan
function formation.roster(project, options) end

--- A plan that was checked.
---@class mur.FormationPlan
---@field name? string
---@field members table[] What is known about each member.
---@field order string[][] The names in the order in which they start; those in one list start together.

--- A formation that runs.
---@class mur.Formation
---@field id string
---@field name? string As the plan has it.
local Formation = {}

--- Waits for its end.
---@async
---@return mur.Ending ending
function Formation:wait() end

--- Stops every member and returns when all are gone.
---@async
---@return mur.Ending ending
function Formation:stop() end

--- Gives a member a task and returns its answer.
---
--- Raises `task_failed` when the task does not succeed, and `usage` for a member that has no door.
---@async
---@param member string
---@param text string
---@return string answer
function Formation:send(member, text) end

--- What is known about a member now.
---@param name string
---@return mur.MemberInfo member
function Formation:member(name) end

---@class mur.MemberInfo
---@field name string
---@field entry boolean
---@field running boolean
---@field pid? integer Its latest process.
---@field session_id? string
---@field url? string
---@field workdir? string
---@field containment? string

--- The latest lines that a member wrote, at most 256 KiB. The entry writes to the terminal: of it there is nothing.
---@param member string
---@return string text
function Formation:output(member) end

--- The formations of which something runs on this machine, whoever launched them, the newest first.
---
--- ```lua
--- local mur = require "mur"
--- for _, f in ipairs(mur.formation.list()) do print(f.id, #f.members) end
--- ```
---@async
---@return mur.KnownFormation[] formations
function formation.list() end

--- A formation that runs, by its id or its name; `nil, err` with the kind `not_running` when nothing of it does.
---
--- ```lua
--- local mur = require "mur"
--- local f = mur.formation.get "frm_0199c4e2f1b7712a9d3e4f5061728394"
--- if f then f:stop() end
--- ```
---@async
---@param id string Its id, or its name.
---@return mur.KnownFormation|nil formation
---@return mur.Error|nil err
function formation.get(id) end

--- A formation of this machine, as its members' records tell.
---@class mur.KnownFormation
---@field id string
---@field name? string Its name, if it has one.
---@field members mur.Record[] The records of its members.
---@field launcher? table `pid` and `state` ("alive", "gone", "unverified") of the process that launched it.
local KnownFormation = {}

---@class mur.KnownStopOptions
---@field timeout? number Seconds that the launcher has to end before it is killed; its members then end with their lifelines. Default 10.

--- Stops it through its launcher and returns when its members are gone.
---@async
---@param options? mur.KnownStopOptions
---@return table report `signal`, and `members` with `session_id`, `capsule`, `ending`.
function KnownFormation:stop(options) end

return formation
