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

-- said is what a policy returned, for an error.
local function said(value)
  if type(value) == "string" then return string.format("%q", value) end
  if type(value) == "number" or type(value) == "boolean" then return tostring(value) end
  return "a " .. type(value)
end

-- decide asks the policy about every item.
local function decide(policy, items)
  local decisions = {}
  for i, item in ipairs(items) do
    local action, why = policy(item, item.live)
    if action == nil or action == false or action == "keep" then
      action = nil
    elseif not known(action, item.kind) then
      usage("%s returned %s for the %s %s; it can be %s or \"keep\"", name_of(policy), said(action), item.kind, item.id,
        table.concat(native.actions(item.kind), ", "))
    end
    if type(why) == "number" then why = tostring(why) end
    if why ~= nil and type(why) ~= "string" then
      usage("%s gave %s as its reason for the %s %s; it can be a string", name_of(policy), said(why), item.kind, item.id)
    end
    decisions[i] = { action = action, why = why }
  end
  return decisions
end

-- short keeps the end of a text, which tells paths and ids apart best.
local function short(text, width)
  if #text <= width then return text end
  return "…" .. text:sub(-(width - 1)):gsub("^[\128-\191]+", "")
end

local function one_line(text) return (text:gsub("%s+", " ")) end

local function age_text(age)
  if not age then return "-" end
  if age >= 86400 then return string.format("%dd", math.floor(age / 86400)) end
  if age >= 3600 then return string.format("%dh", math.floor(age / 3600)) end
  if age >= 60 then return string.format("%dm", math.floor(age / 60)) end
  return string.format("%ds", math.max(math.floor(age), 0))
end

-- row describes an item and what came of it. Why an item is not live is known to the one who asks, too.
local function row(entry)
  local item = entry.item
  local result = entry.result
  if entry.detail then result = result .. ": " .. entry.detail end
  if entry.why then result = result .. " (" .. entry.why .. ")" end
  return {
    item.kind, short(item.id, 44), item.name and short(item.name, 30) or "-", item.live.state, age_text(item.age),
    entry.action or "keep", one_line(result),
  }
end

-- why_kept is what the policy said, or else why it could not be found out whether the item is in use.
local function why_kept(entry)
  local live = entry.item.live
  local why = entry.why or live.state ~= "live" and live.state ~= "gone" and live.reason
  return why and one_line(why) or "-"
end

-- A summary has so many rows, and so many names in one of them.
local MOST_ROWS, MOST_NAMES = 20, 3

-- kept_rows sums up what was kept: what is of one kind and in one state, and was kept for one reason, is one row.
local function kept_rows(entries)
  local groups, others = {}, 0
  for _, entry in ipairs(entries) do
    local item, why = entry.item, why_kept(entry)
    local key = item.kind .. " " .. item.live.state .. " " .. why
    local group = groups[key]
    if not group and #groups == MOST_ROWS then
      others = others + 1
    elseif not group then
      group = { count = 0, kind = item.kind, state = item.live.state, why = why, names = {}, more = 0 }
      groups[key], groups[#groups + 1] = group, group
    end
    if group then
      group.count = group.count + 1
      local name = short(item.name or item.id, 44)
      if not group.names[name] then
        group.names[name] = true
        if #group.names < MOST_NAMES then group.names[#group.names + 1] = name else group.more = group.more + 1 end
      end
    end
  end
  local rows = { { "KEPT", "KIND", "STATE", "NAME", "WHY" } }
  for i, group in ipairs(groups) do
    local names = table.concat(group.names, ", ")
    if group.more > 0 then names = names .. " and " .. group.more .. " more" end
    rows[i + 1] = { tostring(group.count), group.kind, group.state, names, group.why }
  end
  if others > 0 then rows[#rows + 1] = { tostring(others), "others", "-", "-", "-" } end
  return rows
end

local Report = {}
Report.__index = Report

-- The table: what something was decided about comes with its result. What is kept, which is most of it as a rule, is summed
-- up below, or follows item by item in a verbose report.
function Report.__tostring(report)
  if #report.items == 0 then return "there is nothing to sweep" end
  local rows, kept = { { "KIND", "ID", "NAME", "STATE", "AGE", "ACTION", "RESULT" } }, {}
  for _, entry in ipairs(report.items) do
    if entry.action then rows[#rows + 1] = row(entry) else kept[#kept + 1] = entry end
  end
  local parts = {}
  if report.verbose then
    for _, entry in ipairs(kept) do
      local cells = row(entry)
      cells[#cells] = why_kept(entry)
      rows[#rows + 1] = cells
    end
    kept = {}
  end
  if #rows > 1 then parts[#parts + 1] = native.columns(rows) end
  if #kept > 0 then parts[#parts + 1] = native.columns(kept_rows(kept)) end
  local sum
  if report.dry_run then
    sum = string.format("%d would be done, %d kept", report.would, report.kept)
  else
    sum = string.format("%d done, %d failed, %d kept", report.done, report.failed, report.kept)
  end
  return table.concat(parts, "\n") .. sum
end

-- act does what was decided. It returns the error when the sweep was stopped meanwhile.
local function act(found, i, entry, grace)
  local ok, did = pcall(native.act, found, i, entry.action, grace)
  if ok then
    entry.result, entry.detail = "done", did
    return nil
  end
  entry.result, entry.detail, entry.error = "failed", type(did) == "userdata" and did.message or tostring(did), did
  return type(did) == "userdata" and did.kind == "cancelled" and did or nil
end

-- check refuses what would only be noticed when something has been done already.
local function check(options)
  native.check("mur.sweep.run", options, { "policy", "dry_run", "over", "grace", "quiet", "verbose", "on_item" })
  for name, value in pairs { policy = options.policy, on_item = options.on_item } do
    if type(value) ~= "function" then usage("bad option '%s' of 'mur.sweep.run': function expected, got %s", name, type(value)) end
  end
  for name, maker in pairs(sweep) do
    if options.policy == maker then usage("'mur.sweep.%s' is no policy: what it returns is one, so call it", name) end
  end
  local grace = options.grace
  if grace ~= nil and (type(grace) ~= "number" or grace < 0 or grace ~= grace) then
    usage("bad option 'grace' of 'mur.sweep.run': seconds expected, zero or more, got %s", said(grace))
  end
end

function sweep.run(options)
  options = options or {}
  check(options)
  local policy = options.policy or sweep.gone()
  local found, items = native.find(options.over or {})
  local decisions = decide(policy, items)
  local report = setmetatable({
    items = {}, done = 0, failed = 0, kept = 0, would = 0, code = 0,
    dry_run = options.dry_run and true or false, verbose = options.verbose and true or false,
  }, Report)
  local stopped
  for i, item in ipairs(items) do
    local entry = { item = item, action = decisions[i].action, why = decisions[i].why, result = "kept" }
    if entry.action then
      entry.result = "would"
      if not report.dry_run then stopped = act(found, i, entry, options.grace) end
    end
    report[entry.result] = report[entry.result] + 1
    report.items[i] = entry
    if stopped then break end
    if options.on_item then options.on_item(entry) end
  end
  if report.failed > 0 then report.code = 1 end
  if not options.quiet then print(tostring(report)) end
  if stopped then error(stopped, 0) end
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
    if live.state ~= "gone" then return nil end
    if item.kind == "formation" then return nil, "it holds what its members wrote" end
    return actions[item.kind], live.reason
  end
end

function sweep.older_than(age, action)
  local limit = seconds("older_than", age)
  local text = type(age) == "number" and age .. "s" or age
  return function(item, live)
    local todo = action
    if not action and item.kind == "formation" and live.state == "gone" then todo = "remove" end
    if not todo or not known(todo, item.kind) then return nil end
    if not item.age then return nil, "its age is not known" end
    if item.age <= limit then return nil, "not older than " .. text end
    return todo, "older than " .. text
  end
end

function sweep.keep_newest(count)
  if type(count) ~= "number" or count < 0 then
    usage("bad argument #1 to 'mur.sweep.keep_newest' (a number expected, got %s)", tostring(count))
  end
  return function(item, live)
    if item.kind ~= "formation" or live.state ~= "gone" or not item.rank then return nil end
    if item.rank <= count then return nil, string.format("among the newest %d of its project", count) end
    return "remove", string.format("number %d of its project, newest first", item.rank)
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
    return nil, "not of " .. folder
  end
end

function sweep.first(policies)
  if type(policies) ~= "table" then usage("bad argument #1 to 'mur.sweep.first' (a list of policies expected)") end
  return function(item, live)
    local reasons = {}
    for _, policy in ipairs(policies) do
      local action, why = policy(item, live)
      if action ~= nil and action ~= false then return action, why end
      if why ~= nil then reasons[#reasons + 1] = tostring(why) end
    end
    return nil, reasons[1] and table.concat(reasons, "; ")
  end
end

return sweep
