---@meta mur.time

--- Tells, measures, reads and writes times. A time is the number of seconds since 1970-01-01T00:00:00Z.
---@class mur.time
local time = {}

--- Returns the time now, to the microsecond.
---
--- ```lua
--- local mur = require "mur"
--- print(mur.time.format(mur.time.now()))
--- ```
---@return number seconds
function time.now() end

--- Returns a clock that only goes forward, for measuring. Its zero means nothing.
---
--- ```lua
--- local mur = require "mur"
--- local start = mur.time.monotonic()
--- mur.sleep(0.01)
--- assert(mur.time.monotonic() - start >= 0.01)
--- ```
---@return number seconds
function time.monotonic() end

--- Returns the seconds from a time until now; negative when it lies ahead.
---
--- Raises `bad_time` when the text is not a time.
---
--- ```lua
--- local mur = require "mur"
--- assert(mur.time.since "2020-01-01T00:00:00Z" > 86400)
--- ```
---@param when number|string Seconds since 1970, or an RFC 3339 text such as a record's `started_at`.
---@return number seconds
function time.since(when) end

---@class mur.FormatOptions
---@field zone? "utc"|"local" Default "utc".
---@field fraction? integer Digits of the fraction, 0 to 9. Default 0.

--- Writes a time as RFC 3339.
---
--- ```lua
--- local mur = require "mur"
--- assert(mur.time.format(1767225600) == "2026-01-01T00:00:00Z")
--- assert(mur.time.format(0.25, { fraction = 3 }) == "1970-01-01T00:00:00.250Z")
--- ```
---@param when? number Default: now.
---@param options? mur.FormatOptions
---@return string text
function time.format(when, options) end

--- Reads an RFC 3339 time.
---
--- Raises `bad_time` when the text is not one.
---
--- ```lua
--- local mur = require "mur"
--- assert(mur.time.parse "2026-01-01T01:00:00+01:00" == 1767225600)
--- ```
---@param text string
---@return number seconds
function time.parse(text) end

--- Reads a length of time: "1h30m", "250ms", "2d12h". Numbers pass unchanged.
---
--- Raises `bad_time` when the text is not one.
---
--- ```lua
--- local mur = require "mur"
--- assert(mur.time.seconds "1m30s" == 90)
--- assert(mur.time.seconds "2d" == 172800)
--- ```
---@param length string|number
---@return number seconds
function time.seconds(length) end

return time
