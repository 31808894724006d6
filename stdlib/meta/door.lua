---@meta mur.door

--- Talks to the doors of capsules, murmur's and murlua's alike, and of other A2A agents.
---
--- A door is named by its address, `host:port` with or without `http://`; by its session, whose record says where it is and has the operator's
--- token: the id, the end of one, or "@1" for the newest, as in `mur.running.get`; or by such a record. `localhost` means 127.0.0.1 and ::1.
---
--- Inside a capsule of a formation, `http://<name>.formation.invalid` is the door of a member that it may call, with its token for that; `mur.http`
--- knows these addresses too. They are never looked up, and nobody else can use them.
---
--- A token never shows in `tostring`, errors, logs or JSON. `mur.door.token` returns one to pass on; only its `reveal`
--- gives the text.
---@class mur.door
local door = {}

---@alias mur.Door string|mur.Record A door's address, its session, or its record; see mur.door.

---@class mur.DoorOptions
---@field token? string|mur.DoorToken Default: the operator's token when the door is named by its session, none by its address.
---@field timeout? number Seconds until the call gives up. Default 30; 0 is no limit.

---@class mur.DoorSendOptions : mur.DoorOptions
---@field wait? boolean Wait for the end of the task, without a limit unless `timeout` sets one. Default true.
---@field context? string Continues the conversation of an earlier task: its `context`.

---@class mur.DoorStreamOptions : mur.DoorOptions
---@field context? string As for `mur.door.send`.
---@field timeout? number Seconds without an event until the stream gives up. Default none.

---@class mur.DoorWatchOptions : mur.DoorOptions
---@field task? string Follow this task only, to its end.
---@field timeout? number Seconds without an event until the stream gives up. Default none.

---@class mur.Card
---@field name string
---@field version string
---@field description string
---@field session_id? string The session that answers; nil for agents that are no capsules, and on the public card of a door that asks for a token.
---@field protocol string The version of A2A that the door puts first.
---@field methods string[] The methods that a capsule's door lists.
---@field authenticated boolean Whether it has another card for callers with a token.
---@field streaming boolean
---@field card table The card as it was sent.

---@class mur.Artifact
---@field id string
---@field name string
---@field text string Its text parts, joined by line ends.
---@field data? any[] Its data parts.

---@class mur.DoorTask
---@field id string
---@field context string
---@field state "submitted"|"working"|"input-required"|"auth-required"|"completed"|"failed"|"canceled"|"rejected"
---@field ended boolean Whether the state is final: one of the last four.
---@field text string The answer; the note when there is none.
---@field note? string What the door says about the state, such as why the task failed.
---@field artifacts mur.Artifact[]

---@class mur.DoorEvent
---@field kind "task"|"status"|"artifact" A whole task, which replaces what was known; a new state; a piece of an answer.
---@field task mur.DoorTask For "artifact" only its id, context and state.
---@field artifact? mur.Artifact
---@field append? boolean The piece continues the artifact of the same id.
---@field last? boolean No more of this artifact follows.

--- Asks which session answers at a door. Returns nil and an error when none does; a second value beside a session is a note about
--- something unusual, such as a card at an old path.
---
--- ```lua
--- local mur = require "mur"
--- local session, err = mur.door.probe "localhost:1"
--- assert(session == nil and err.kind == "unreachable")
--- ```
---@async
---@param door mur.Door
---@param options? mur.DoorOptions
---@return string|nil session_id
---@return mur.Error|string|nil err
function door.probe(door, options) end

--- Returns what a door says about itself: what it shows to the token's holder when there is a token.
---
--- Raises `unreachable` when no address accepts a connection; the field `addresses` lists `{ address, error }`.
--- Raises `refused` when the caller may not do this; `status` and `code` say more.
--- Raises `door` when the door refused the call; `code` is A2A's or JSON-RPC's.
--- Raises `no_session` when no such session runs.
--- Raises `no_door` when the session has none.
--- Raises `timeout` when no answer comes in time.
---
--- ```lua
--- local mur = require "mur"
--- for _, record in ipairs(mur.running.list()) do
---   local ok, card = pcall(mur.door.card, record)
---   if ok then print(card.name, card.version, card.session_id) end
--- end
--- ```
---@async
---@param door mur.Door
---@param options? mur.DoorOptions
---@return mur.Card card
function door.card(door, options) end

--- Sends a message, which starts a task, and returns the task: at its end, or with `wait = false` as soon as the door has taken
--- it. A task that failed is returned as well; look at its `state`. The task goes on when the caller stops waiting.
---
--- Raises what `mur.door.card` raises.
---
--- ```lua
--- local mur = require "mur"
--- local ok, task = pcall(mur.door.send, "localhost:1", "add 1 and 2", { timeout = 60 })
--- if ok then print(task.state, task.text) end
--- ```
---@async
---@param door mur.Door
---@param message any A string is sent as text, any other value as JSON data.
---@param options? mur.DoorSendOptions
---@return mur.DoorTask task
function door.send(door, message, options) end

--- Returns a task as its door knows it now.
---
--- Raises what `mur.door.card` raises; a task that is not there is `door` with code -32001.
---
--- ```lua
--- local mur = require "mur"
--- pcall(function() print(mur.door.task("localhost:1", "tsk_0199c4e2f1b7712a9d3e4f5061728394").state) end)
--- ```
---@async
---@param door mur.Door
---@param id string
---@param options? mur.DoorOptions
---@return mur.DoorTask task
function door.task(door, id, options) end

--- Cancels a task and returns it.
---
--- Raises what `mur.door.card` raises; a task that has ended is `door` with code -32002.
---
--- ```lua
--- local mur = require "mur"
--- pcall(mur.door.cancel, "localhost:1", "tsk_0199c4e2f1b7712a9d3e4f5061728394")
--- ```
---@async
---@param door mur.Door
---@param id string
---@param options? mur.DoorOptions
---@return mur.DoorTask task
function door.cancel(door, id, options) end

--- Sends a message and returns the events of the task that it starts, to its end.
---
--- Raises what `mur.door.card` raises.
---
--- ```lua
--- local mur = require "mur"
--- local ok, stream = pcall(mur.door.stream, "localhost:1", "write a poem")
--- if ok then
---   for event in stream:events() do
---     if event.artifact then io.write(event.artifact.text) end
---   end
--- end
--- ```
---@async
---@param door mur.Door
---@param message any As for `mur.door.send`.
---@param options? mur.DoorStreamOptions
---@return mur.DoorStream stream
function door.stream(door, message, options) end

--- Returns the events of all that a session does, beginning with those that it still has, until its door closes; or of one task, to its end.
---
--- Raises what `mur.door.card` raises.
---
--- ```lua
--- local mur = require "mur"
--- local ok, stream = pcall(mur.door.watch, "localhost:1", { timeout = 10 })
--- if ok then print(stream:next().task.state) end
--- ```
---@async
---@param door mur.Door
---@param options? mur.DoorWatchOptions
---@return mur.DoorStream stream
function door.watch(door, options) end

--- Asks a session to cancel all its tasks, and what it would leave running. Its process goes on: end it with a signal.
---
--- Raises what `mur.door.card` raises.
---
--- ```lua
--- local mur = require "mur"
--- for _, record in ipairs(mur.running.list()) do
---   if record.capsule_name == "scratch" then print(#mur.door.stop(record).canceled) end
--- end
--- ```
---@async
---@param door mur.Door
---@param options? mur.DoorOptions
---@return { canceled: string[], residue: any[] } stopped
function door.stop(door, options) end

--- Returns a token of a session from its record.
---
--- Raises `no_token` when the session has no such credential, or its door is public.
---
--- ```lua
--- local mur = require "mur"
--- for _, record in ipairs(mur.running.list()) do
---   local ok, token = pcall(mur.door.token, record)
---   if ok then print(token) end -- door token [redacted]
--- end
--- ```
---@async
---@param session string|mur.Record
---@param credential? string Default "operator".
---@return mur.DoorToken token
function door.token(session, credential) end

--- A token, to be passed on as the option `token`.
---@class mur.DoorToken
local DoorToken = {}

--- Returns the text of the token. Whoever has it may use the door.
---@return string text
function DoorToken:reveal() end

--- Events as a door sends them. Close it when you leave it unread.
---@class mur.DoorStream
local DoorStream = {}

--- Waits for the next event; returns nil after the last one.
---
--- Raises `timeout` when none comes in time.
---@async
---@return mur.DoorEvent|nil event
function DoorStream:next() end

--- Returns an iterator over the events to come.
---
--- Raises what `next` raises.
---@return fun(): mur.DoorEvent|nil
function DoorStream:events() end

--- Ends the connection; the task goes on. A second call does nothing.
function DoorStream:close() end

return door
