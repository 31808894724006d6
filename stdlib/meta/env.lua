---@meta mur.env

--- Reads the environment that murlua was started with. A script cannot change it: give a member or a
--- command the variables it needs with the option `env`.
---@class mur.env
local env = {}

--- Returns the value of a variable.
---
--- ```lua
--- local mur = require "mur"
--- local editor = mur.env.get("EDITOR", "vi")
--- ```
---@param name string
---@param default? string Returned when the variable is not set.
---@return string|nil value
function env.get(name, default) end

--- Returns the value of a variable that must be set.
---
--- Raises `not_set` when it is not set or empty.
---
--- ```lua
--- local mur = require "mur"
--- print(mur.env.need "HOME")
--- ```
---@param name string
---@return string value
function env.need(name) end

--- Returns all variables.
---
--- ```lua
--- local mur = require "mur"
--- for name, value in pairs(mur.env.all()) do print(name, #value) end
--- ```
---@return table<string, string> variables
function env.all() end

--- Replaces `$NAME` and `${NAME}` by the variable's value, or by nothing when it is not set, and `$$` by one dollar sign.
---
--- ```lua
--- local mur = require "mur"
--- assert(mur.env.expand("$a-${b}!", { a = "1", b = "2" }) == "1-2!")
--- ```
---@param text string
---@param variables? table<string, string> Looked at before the environment.
---@return string text
function env.expand(text, variables) end

--- Reads a file of `NAME=value` lines: comments, `export`, single quotes (taken as they are) and double quotes
--- (with \n, \t, \", \\ and $NAME) are understood.
---
--- Raises `not_found` when there is no such file.
--- Raises `bad_env_file` when a line cannot be read; the field `line` says which.
---
--- ```lua
--- local mur = require "mur"
--- local dir = mur.fs.tempdir()
--- mur.fs.write(dir .. "/.env", "PORT=8080\nexport NAME='x y'\n")
--- assert(mur.env.load(dir .. "/.env").NAME == "x y")
--- ```
---@async
---@param path string
---@return table<string, string> variables
function env.load(path) end

return env
