---@meta mur.retry

--- Calls something again until it succeeds.
---@class mur.retry
local retry = {}

---@class mur.RetryOptions
---@field attempts? integer Default 3.
---@field pause? number Seconds between attempts. Default 0.1.

--- Calls a function until it returns without an error, and returns what it returned.
---
--- Raises the last error as it is, when every attempt failed.
---
--- ```lua
--- local mur = require "mur"
--- local n = mur.retry.call(function(attempt)
---   if attempt < 3 then error "not yet" end
---   return attempt
--- end, { pause = 0 })
--- assert(n == 3)
--- ```
---@async
---@param fn fun(attempt: integer): any
---@param options? mur.RetryOptions
---@return any ...
function retry.call(fn, options) end

return retry
