-- What `murlua sweep` runs. Its arguments: the policy's file or "", "yes" or "" for dry, JSON and verbose, the kinds, the
-- grace. It returns the exit code and the JSON text.
local mur = require "mur"
local file, dry, json, verbose, over, grace = ...
local options = {}

if file ~= "" then
  local run = mur.sweep.run
  mur.sweep.run = function()
    error("the policy file runs a sweep itself: return the policy instead, or run the file with `murlua run`", 2)
  end
  local chunk, err = loadstring(mur.fs.read(file), "@" .. file)
  if not chunk then error(err, 0) end
  local policy = chunk()
  mur.sweep.run = run
  if type(policy) == "function" then
    options.policy = policy
  elseif type(policy) == "table" then
    for key, value in pairs(policy) do options[key] = value end
  else
    local what = policy == nil and "nothing" or "a " .. type(policy)
    error(file .. " returned " .. what .. ", not a policy: a function(item, live), or a table of options", 0)
  end
end

if dry ~= "" then options.dry_run = true end
if json ~= "" then options.quiet = true end
if verbose ~= "" then options.verbose = true end
if over ~= "" then
  options.over = {}
  for kind in over:gmatch "[^,]+" do options.over[#options.over + 1] = kind end
end
if grace ~= "" then options.grace = tonumber(grace) end

local report = mur.sweep.run(options)
local text = ""
if json ~= "" then
  local items = mur.json.array()
  for i, entry in ipairs(report.items) do
    items[i] = { item = entry.item, action = entry.action, why = entry.why, result = entry.result, detail = entry.detail }
  end
  text = mur.json.encode({
    items = items, done = report.done, failed = report.failed, kept = report.kept, would = report.would, dry_run = report.dry_run,
  }, { pretty = true })
end
return report.code, text
