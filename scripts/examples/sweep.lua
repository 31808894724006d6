-- A policy for `murlua sweep`: what a developer's machine collects in a week.
--
--   murlua sweep --dry-run scripts/examples/sweep.lua
--   murlua sweep scripts/examples/sweep.lua
local mur = require "mur"

-- Scratch capsules may run for an hour, and only those that no formation looks after are ours to stop.
local function scratch(item, live)
  if item.kind ~= "record" or live.state ~= "live" then return nil end
  if item.capsule_name == "scratch" and not item.formation_id and item.age > mur.time.seconds "1h" then
    return "stop", "an hour is enough"
  end
end

return {
  policy = mur.sweep.first {
    mur.sweep.gone(),           -- records whose process has ended, files that are no records, processes without a host
    scratch,
    mur.sweep.keep_newest(5),   -- of the folders of ended formations, for each project
    mur.sweep.older_than "7d",  -- and none older than a week
  },
  grace = 5,
}
