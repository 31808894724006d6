-- mur.sweep: find what was left behind and decide, by a policy, what happens to it.
--
-- A policy is a function: policy(item, live) returns an action, or nil to keep the item, and why. All items are decided
-- on before the first is touched, so that a policy that fails has done nothing.
local native = ...
local mur = require "mur"

local sweep = {}

local function usage(format, ...)
  error(native.error("usage", string.format(format, ...)), 0)
end

local function seconds(name, age)
  local ok, value = pcall(mur.time.seconds, age)
  if not ok then usage("bad argument #1 to 'mur.sweep.%s' (a length of time expected, such as \"7d\", got %s)", name, tostring(age)) end
  return value
end

local function known(action, kind)
  for _, one in ipairs(native.actions(kind)) do
    if one == action then return true end
  end
  return false
end

-- name_of names a policy by where it is written, when that is in a script.
local function name_of(policy)
  local place = native.where(policy)
  if place:find("^mur%.") then return "the policy" end
  return "the policy of " .. place
end

-- decide asks the policy about every item.
local function decide(policy, items)
  local decisions = {}
  for i, item in ipairs(items) do
    local action, why = policy(item, item.live)
    if action ~= nil and action ~= false and action ~= "keep" then
      if not known(action, item.kind) then
        usage("%s returned %q for the %s %s; it can be %s or \"keep\"", name_of(policy), tostring(action), item.kind, item.id,
          table.concat(native.actions(item.kind), ", "))
      end
      decisions[i] = { action = action, why = why }
    end
  end
  return decisions
end

local function short(text, width)
  if #text <= width then return text end
  return "…" .. text:sub(-(width - 1))
end

-- lines sets rows of cells as a table.
local function lines(rows)
  local widths = {}
  for _, row in ipairs(rows) do
    for i, cell in ipairs(row) do widths[i] = math.max(widths[i] or 0, #(cell:gsub("…", ".")) ) end
  end
  local out = {}
  for n, row in ipairs(rows) do
    local cells = {}
    for i, cell in ipairs(row) do
      local pad = i < #row and widths[i] - #(cell:gsub("…", ".")) or 0
      cells[i] = cell .. (" "):rep(pad)
    end
    out[n] = table.concat(cells, "  ")
  end
  return table.concat(out, "\n")
end

local function age_text(age)
  if not age then return "-" end
  if age >= 86400 then return string.format("%dd", math.floor(age / 86400)) end
  if age >= 3600 then return string.format("%dh", math.floor(age / 3600)) end
  if age >= 60 then return string.format("%dm", math.floor(age / 60)) end
  return string.format("%ds", math.max(math.floor(age), 0))
end

local Report = {}
Report.__index = Report

-- The table: what was decided on comes with its result; what is kept is counted.
function Report.__tostring(report)
  local rows = { { "KIND", "ID", "NAME", "STATE", "AGE", "ACTION", "RESULT" } }
  for _, entry in ipairs(report.items) do
    if entry.action then
      local item = entry.item
      local result = entry.result
      if entry.detail then result = result .. ": " .. entry.detail end
      if entry.why then result = result .. " (" .. entry.why .. ")" end
      rows[#rows + 1] = {
        item.kind, short(item.id, 44), item.name and short(item.name, 30) or "-", item.live.state, age_text(item.age), entry.action, result,
      }
    end
  end
  local sum
  if report.dry_run then
    sum = string.format("%d would be done, %d kept", report.would, report.kept)
  else
    sum = string.format("%d done, %d failed, %d kept", report.done, report.failed, report.kept)
  end
  if #rows == 1 then return sum end
  return lines(rows) .. "\n" .. sum
end

local function act(found, i, entry, grace)
  local ok, did = pcall(native.act, found, i, entry.action, grace)
  if ok then
    entry.result, entry.detail = "done", did
    return "done"
  end
  if type(did) == "userdata" and did.kind == "cancelled" then error(did, 0) end
  entry.result, entry.detail, entry.error = "failed", type(did) == "userdata" and did.message or tostring(did), did
  return "failed"
end

function sweep.run(options)
  options = options or {}
  native.check("mur.sweep.run", options, { "policy", "dry_run", "over", "grace", "quiet", "on_item" })
  local policy = options.policy or sweep.gone()
  if type(policy) ~= "function" then usage("bad option 'policy' of 'mur.sweep.run': function expected, got %s", type(policy)) end
  local found, items = native.find(options.over or {})
  local decisions = decide(policy, items)
  local report = setmetatable({ items = {}, done = 0, failed = 0, kept = 0, would = 0, dry_run = options.dry_run or false, code = 0 }, Report)
  for i, item in ipairs(items) do
    local entry = { item = item, action = nil, result = "kept" }
    local decision = decisions[i]
    if decision then
      entry.action, entry.why = decision.action, decision.why
      entry.result = "would"
      if not report.dry_run then act(found, i, entry, options.grace) end
    end
    report[entry.result] = report[entry.result] + 1
    report.items[i] = entry
    if options.on_item then options.on_item(entry) end
  end
  if report.failed > 0 then report.code = 1 end
  if not options.quiet then print(tostring(report)) end
  return report
end

function sweep.find(options)
  options = options or {}
  native.check("mur.sweep.find", options, { "over" })
  local _, items = native.find(options.over or {})
  return items
end

function sweep.gone()
  local actions = { record = "prune", unreadable = "remove", cgroup = "end", tracked = "end", scratch = "remove" }
  return function(item, live)
    if live.state == "gone" then return actions[item.kind], live.reason end
  end
end

function sweep.older_than(age, action)
  local limit = seconds("older_than", age)
  return function(item, live)
    if not item.age or item.age <= limit then return nil end
    local why = "older than " .. tostring(age)
    if action then return known(action, item.kind) and action or nil, why end
    if item.kind == "formation" and live.state == "gone" then return "remove", why end
  end
end

function sweep.keep_newest(count)
  if type(count) ~= "number" or count < 0 then
    usage("bad argument #1 to 'mur.sweep.keep_newest' (a number expected, got %s)", tostring(count))
  end
  return function(item, live)
    if item.kind == "formation" and live.state == "gone" and item.rank and item.rank > count then
      return "remove", string.format("number %d of its project, newest first", item.rank)
    end
  end
end

-- below tells whether a path is a folder or lies in it.
local function below(path, folder)
  return path == folder or path:sub(1, #folder + 1) == folder .. "/"
end

function sweep.owned_by(folder, policy)
  if type(policy) ~= "function" then usage("bad argument #2 to 'mur.sweep.owned_by' (a policy expected, got %s)", type(policy)) end
  folder = native.canonical(folder)
  return function(item, live)
    local owner = item.project_dir or item.workdir
    if owner and below(native.canonical(owner), folder) then return policy(item, live) end
  end
end

function sweep.first(policies)
  if type(policies) ~= "table" then usage("bad argument #1 to 'mur.sweep.first' (a list of policies expected)") end
  return function(item, live)
    for _, policy in ipairs(policies) do
      local action, why = policy(item, live)
      if action ~= nil and action ~= false then return action, why end
    end
  end
end

return sweep
