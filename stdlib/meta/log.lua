---@meta mur.log

--- Writes log lines for people or for programs.
---
--- Lines go to standard error as `time level message key=value …`, or as one JSON object a line. `murlua run`
--- chooses level and form with --log-level and --log-json; a script may change both for itself.
---
--- ```lua
--- local mur = require "mur"
--- mur.log.info("cache is warm", { entries = 120, took = 0.4 })
--- ```
---@class mur.log
local log = {}

---@alias mur.LogLevel "debug"|"info"|"warn"|"error"|"off" The least that is written; "off" writes nothing.

--- Writes a line at level debug, which is not shown unless asked for.
---@param message any Anything that `tostring` takes.
---@param fields? table<string, any> Written in the order of their names.
function log.debug(message, fields) end

--- Writes a line at level info.
---@param message any Anything that `tostring` takes.
---@param fields? table<string, any> Written in the order of their names.
function log.info(message, fields) end

--- Writes a line at level warn.
---@param message any Anything that `tostring` takes.
---@param fields? table<string, any> Written in the order of their names.
function log.warn(message, fields) end

--- Writes a line at level error. It does not end the script.
---@param message any Anything that `tostring` takes.
---@param fields? table<string, any> Written in the order of their names.
function log.error(message, fields) end

---@class mur.LogOptions
---@field level? mur.LogLevel The least that is written.
---@field json? boolean Write an object a line.
---@field file? string Write to the end of this file instead, which is made when it does not exist.

--- Changes how this script logs. What is not given stays as it is.
---
--- Raises `not_found` or another kind of mur.fs when the file cannot be opened.
---
--- ```lua
--- local mur = require "mur"
--- mur.log.configure { level = "debug" }
--- mur.log.debug "seen"
--- ```
---@async
---@param options mur.LogOptions
function log.configure(options) end

return log
