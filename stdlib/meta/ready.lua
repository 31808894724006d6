---@meta mur.ready

--- Readiness policies: when does a member count as ready?
---
--- A policy is asked until it says yes. It is one of
---
--- - a policy made by a function of this module: `mur.ready.tcp(6390)`;
--- - a function: it gets the member and returns true, or false and a sentence about what is still missing; `mur.ready.policy` gives it
---   words for what it waits for;
--- - a table in short form: `{ tcp = 6390 }`, `{ http = "http://localhost:8080/health", within = 5 }`. Several keys must all hold.
---
--- `tostring` of a policy says what it waits for; the launch shows it, and when the time is up, also why it was not yet so.
--- Policies are asked again after a millisecond at first and then less often the longer it takes, down to every 100 ms; what comes up is noticed
--- after about a hundredth of the time that it took. A line of the member's output wakes its policy at once.
---
--- What the world refuses inside a function (a connection, a file that is not there) counts as not yet. Any other error ends the
--- wait: waiting does not mend a mistake.
---
--- ```lua
--- local mur = require "mur"
--- local policy = mur.ready.all {
---   mur.ready.tcp(6390),
---   mur.ready.stable(3, function(m) return mur.fs.exists(m.workdir .. "/migrated"), "no migration yet" end),
--- }
--- print(policy) -- port 6390 accepts connections and ...
--- ```
---@class mur.ready
local ready = {}

---@alias mur.Policy mur.ReadyPolicy|mur.ReadyTable|fun(member: mur.ReadyMember): boolean, string? When something is ready; see mur.ready.

--- What a policy gets to know about the member that it is asked about. Outside a launch (`mur.ready.wait`) it is the table that the
--- caller gave.
---@class mur.ReadyMember
---@field name string
---@field pid integer
---@field session_id? string What a capsule reported.
---@field url? string "http://host:port", where a capsule's door is.
---@field workdir? string The folder that it runs in.
local ReadyMember = {}

--- Returns what it has written so far, to both streams, the newest 256 KiB.
---@return string text
function ReadyMember:output() end

--- A policy in short form. Keys with the names of this module's policies take their first argument, or a table of it and their options.
---@class mur.ReadyTable
---@field door? boolean As mur.ready.door.
---@field tcp? integer|string|mur.TCPCheck As mur.ready.tcp.
---@field unix? string As mur.ready.unix.
---@field http? string|mur.HTTPCheck As mur.ready.http.
---@field log? string|mur.LogCheck As mur.ready.log.
---@field file? string|mur.FileCheck As mur.ready.file.
---@field command? string[]|mur.CommandCheck As mur.ready.command.
---@field all? mur.Policy[] As mur.ready.all.
---@field any? mur.Policy[] As mur.ready.any.
---@field none? mur.Policy[] As mur.ready.none.
---@field within? number Seconds; as mur.ready.within.
---@field stable? integer How often in a row; as mur.ready.stable.
---@field every? number Seconds; as mur.ready.every.
---@field after_delay? number Seconds; as mur.ready.after_delay.

--- A policy, as the functions of mur.ready make them. A script does not write one as a table: mur.ready.policy gives a function a
--- description.
---@class mur.ReadyPolicy
---@field describe string What it waits for, as a clause: "port 6390 accepts connections". `tostring` gives it, too.
local ReadyPolicy = {}

--- Asks once.
---
--- ```lua
--- local mur = require "mur"
--- local is, why = mur.ready.tcp(1):check()
--- assert(is == false and why:find "refused")
--- ```
---@async
---@param member? table As in `mur.ready.wait`.
---@return boolean ready
---@return string|nil why What is missing, when it is not ready.
function ReadyPolicy:check(member) end

--- Ready when the member's door answers as the session that it reported. This is what capsules wait for unless told otherwise.
---
--- ```lua
--- local mur = require "mur"
--- local policy = mur.ready.all { mur.ready.door(), mur.ready.file "warm" }
--- ```
---@return mur.ReadyPolicy policy
function ready.door() end

---@class mur.TCPCheck
---@field port integer
---@field host? string Default "localhost", tried at every address that it has.

--- Ready when a port accepts connections.
---
--- ```lua
--- local mur = require "mur"
--- local policy = mur.ready.tcp(6390)
--- local elsewhere = mur.ready.tcp "127.0.0.1:6390"
--- ```
---@param address integer|string|mur.TCPCheck A port, or "host:port".
---@return mur.ReadyPolicy policy
function ready.tcp(address) end

--- Ready when a unix socket accepts connections. A relative path begins at the member's workdir.
---
--- ```lua
--- local mur = require "mur"
--- local policy = mur.ready.unix "run/api.sock"
--- ```
---@param path string
---@return mur.ReadyPolicy policy
function ready.unix(path) end

---@class mur.HTTPCheck
---@field url string `http://host:port/path`, or a path alone, which is asked of the member's own url.
---@field status? integer|integer[] Statuses that count. Default: 200 to 399.
---@field method? string Default "GET".
---@field headers? table<string, string> Sent with the request.
---@field header? table<string, string> Headers that the answer must have: each value is a Lua pattern.
---@field body? string A Lua pattern that the body must have.
---@field json? table<string, any> Fields that the body, read as JSON, must have: `{ status = "ok", ["db.ready"] = true }`.
---@field timeout? number Seconds for one request. Default 5.
---@field unix? string Path of a unix socket to ask at.
---@field tls? mur.TLSOptions

--- Ready when an HTTP server answers as wanted.
---
--- ```lua
--- local mur = require "mur"
--- local policy = mur.ready.http "http://localhost:8080/health"
--- local picky = mur.ready.http { url = "http://localhost:8080/health", status = 200, json = { status = "ok" } }
--- ```
---@param request string|mur.HTTPCheck
---@return mur.ReadyPolicy policy
function ready.http(request) end

---@class mur.LogCheck
---@field pattern string
---@field plain? boolean Take the pattern as plain text. Default false.
---@field count? integer So many lines must match. Default 1.

--- Ready when the member has written a line, to either stream, that has the Lua pattern in it.
---
--- ```lua
--- local mur = require "mur"
--- local policy = mur.ready.log "Ready to accept connections"
--- ```
---@param pattern string|mur.LogCheck
---@return mur.ReadyPolicy policy
function ready.log(pattern) end

---@class mur.FileCheck
---@field path string
---@field contains? string A Lua pattern that its text must have.
---@field min_size? integer Bytes.

--- Ready when a file is there. A relative path begins at the member's workdir.
---
--- ```lua
--- local mur = require "mur"
--- local policy = mur.ready.file { path = "pid", min_size = 1 }
--- ```
---@param path string|mur.FileCheck
---@return mur.ReadyPolicy policy
function ready.file(path) end

---@class mur.CommandCheck
---@field command string[]
---@field status? integer The exit status that counts. Default 0.
---@field output? string A Lua pattern that its standard output must have.
---@field timeout? number Seconds for one run. Default 10.

--- Ready when a command succeeds. It runs in the member's workdir.
---
--- ```lua
--- local mur = require "mur"
--- local policy = mur.ready.command { "redis-cli", "-p", "6390", "ping" }
--- ```
---@param command string[]|mur.CommandCheck
---@return mur.ReadyPolicy policy
function ready.command(command) end

--- Ready when all are ready at the same time.
---
--- ```lua
--- local mur = require "mur"
--- local policy = mur.ready.all { mur.ready.tcp(6390), mur.ready.log "loaded" }
--- ```
---@param policies mur.Policy[]
---@return mur.ReadyPolicy policy
function ready.all(policies) end

--- Ready when one of them is.
---
--- ```lua
--- local mur = require "mur"
--- local policy = mur.ready.any { mur.ready.unix "api.sock", mur.ready.tcp(8080) }
--- ```
---@param policies mur.Policy[]
---@return mur.ReadyPolicy policy
function ready.any(policies) end

--- Ready when none of them is.
---
--- ```lua
--- local mur = require "mur"
--- local policy = mur.ready.none { mur.ready.file "migrating.lock" }
--- ```
---@param policies mur.Policy[]
---@return mur.ReadyPolicy policy
function ready.none(policies) end

--- Ready when the policy said yes so many times in a row.
---
--- ```lua
--- local mur = require "mur"
--- local policy = mur.ready.stable(3, mur.ready.tcp(6390))
--- ```
---@param times integer
---@param policy mur.Policy
---@return mur.ReadyPolicy policy
function ready.stable(times, policy) end

--- Gives a policy a deadline of its own, from the moment it is first asked. When it passes, the launch fails at once.
---
--- ```lua
--- local mur = require "mur"
--- local policy = mur.ready.within(5, mur.ready.tcp(6390))
--- ```
---@param seconds number
---@param policy mur.Policy
---@return mur.ReadyPolicy policy
function ready.within(seconds, policy) end

--- Asks a policy at a steady interval, for one that costs something.
---
--- ```lua
--- local mur = require "mur"
--- local policy = mur.ready.every(1, mur.ready.command { "pg_isready" })
--- ```
---@param seconds number
---@param policy mur.Policy
---@return mur.ReadyPolicy policy
function ready.every(seconds, policy) end

--- Asks nothing for so many seconds, then the policy; without one, it is ready when they are over.
---
--- ```lua
--- local mur = require "mur"
--- local policy = mur.ready.after_delay(0.5, mur.ready.tcp(6390))
--- ```
---@param seconds number
---@param policy? mur.Policy
---@return mur.ReadyPolicy policy
function ready.after_delay(seconds, policy) end

--- Makes a policy of a function, a short form or a policy. With a second argument it says what it waits for: without one, a function
--- is only known by the place where it is written.
---
--- Raises `usage` when it is none of these.
---
--- ```lua
--- local mur = require "mur"
--- local migrated = mur.ready.policy(function(m)
---   return mur.fs.exists(m.workdir .. "/done")
--- end, "the migration is done")
--- assert(tostring(migrated) == "the migration is done")
--- assert(tostring(mur.ready.policy { tcp = 6390 }) == "port 6390 accepts connections")
--- ```
---@param policy mur.Policy
---@param describe? string What it waits for, as a clause: "the migration is done".
---@return mur.ReadyPolicy policy
function ready.policy(policy, describe) end

---@class mur.WaitOptions
---@field within? number Seconds. Default 30.
---@field member? table What the policy gets: a table with whichever of the keys of mur.ReadyMember it uses. Default: an empty one.
---@field on_waiting? fun(why: string) Called when the reason changes.

--- Waits, outside a launch, until a policy says yes: true, or `nil, err` with the kind `not_ready` when the time is up.
---
--- ```lua
--- local mur = require "mur"
--- local ok, err = mur.ready.wait({ tcp = 1 }, { within = 0.05 })
--- assert(ok == nil and err.kind == "not_ready")
--- ```
---@async
---@param policy mur.Policy
---@param options? mur.WaitOptions
---@return true|nil ready
---@return mur.Error|nil err
function ready.wait(policy, options) end

return ready
