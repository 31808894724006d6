-- mur.retry: call a function again until it succeeds.
local native = ...
local mur = require "mur"

local retry = {}

--- Calls fn until it returns without an error, at most options.attempts times (default 3) with options.pause
--- seconds (default 0.1) between; the last error is raised as it is.
function retry.call(fn, options)
  options = options or {}
  if native then native.check("mur.retry.call", options, { "attempts", "pause" }) end
  local attempts = options.attempts or 3
  for attempt = 1, attempts do
    local results = { pcall(fn, attempt) }
    if results[1] then
      return unpack(results, 2, table.maxn(results))
    end
    if attempt == attempts then
      error(results[2], 0)
    end
    mur.sleep(options.pause or 0.1)
  end
end

return retry
