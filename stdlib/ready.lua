-- mur.ready: when does a member count as ready?
--
-- A policy is a table with a clause (describe: "port 6390 accepts connections") and a function _start that begins a
-- wait. That gives a function which is asked again and again: ask(member) returns true, or false, a sentence about
-- what is missing and, if it knows, the seconds after which asking again makes sense. What a wait has to remember
-- lives in there, so that one policy can serve several members.
local native = ...
local mur = require "mur"

local ready = {}

local Policy = {}
Policy.__index = Policy

function Policy.__tostring(policy)
  return policy.describe
end

function Policy:check(member)
  local is, why = self._start()(member or {})
  return is, why
end

local function new(describe, start)
  return setmetatable({ describe = describe, _start = start }, Policy)
end

local function sentence(describe, why)
  return "waiting until " .. describe .. (why and ": " .. why or "")
end

-- plain makes a policy of a function that remembers nothing: ask(member) returns true, or false and the reason.
local function plain(describe, ask)
  return new(describe, function()
    return function(member)
      local is, why = ask(member)
      if is then return true end
      return false, sentence(describe, why)
    end
  end)
end

-- What the world outside refuses may change; an error of any other kind is a fault of the policy.
local passing = {
  unreachable = true, timeout = true, io = true, tls = true, not_found = true, denied = true, not_a_directory = true,
  is_a_directory = true, too_large = true, bad_json = true,
}

-- attempt calls a function; what the world outside refuses comes back as false and the reason.
local function attempt(fn, ...)
  local ok, first, second = pcall(fn, ...)
  if ok then return first, second end
  local err = first
  if type(err) == "userdata" and passing[err.kind] then return false, err.message end
  error(err, 0)
end

local function usage(format, ...)
  error(native.error("usage", string.format(format, ...)), 0)
end

-- options reads an argument that is either the one value that matters or a table of options.
local function options(name, value, key, known)
  if type(value) == "table" and (key ~= "command" or value[key] ~= nil) then
    known[#known + 1] = key
    if value[1] ~= nil and value[key] == nil then -- { "http://…", status = 200 }
      local named = {}
      for field, one in pairs(value) do named[field == 1 and key or field] = one end
      value = named
    end
    native.check("mur.ready." .. name, value, known)
    if value[key] == nil then usage("bad option '%s' of 'mur.ready.%s': it is required", key, name) end
    return value
  end
  return { [key] = value }
end

local function from_workdir(member, path)
  if path:sub(1, 1) == "/" or not member.workdir then return path end
  return mur.fs.join(member.workdir, path)
end

function ready.door()
  return plain("its door answers", function(member)
    local why = native.door(member)
    return why == "", why
  end)
end

function ready.tcp(address)
  local o = address
  if type(address) == "string" then
    local host, port = address:match "^%[?(.-)%]?:(%d+)$"
    if not host then port = address:match "^%d+$" end
    if not port then usage("bad argument #1 to 'mur.ready.tcp' (a port or \"host:port\" expected, got %q)", address) end
    o = { host = host, port = tonumber(port) }
  end
  o = options("tcp", o, "port", { "host" })
  local port = tonumber(o.port)
  if not port or port ~= math.floor(port) or port < 1 or port > 65535 then
    usage("bad argument #1 to 'mur.ready.tcp' (a port from 1 to 65535 expected, got %s)", tostring(o.port))
  end
  local where = o.host and string.format("port %d of %s", port, o.host) or string.format("port %d", port)
  return plain(where .. " accepts connections", function()
    local why = native.tcp(o.host or "localhost", port)
    return why == "", why
  end)
end

function ready.unix(path)
  if type(path) ~= "string" then usage("bad argument #1 to 'mur.ready.unix' (a path expected, got %s)", type(path)) end
  return plain("the socket " .. path .. " accepts connections", function(member)
    local why = native.unix(from_workdir(member, path))
    return why == "", why
  end)
end

function ready.http(request)
  local o = options("http", request, "url",
    { "status", "method", "headers", "header", "body", "json", "timeout", "unix", "tls" })
  if type(o.url) ~= "string" then usage("bad option 'url' of 'mur.ready.http': string expected, got %s", type(o.url)) end
  local answer = require "mur.ready-http"
  return plain(o.url .. " answers" .. answer.wants(o), function(member)
    local url = o.url
    if url:sub(1, 1) == "/" then
      if not member.url then return false, "the member has no url yet" end
      url = member.url .. url
    end
    local response, why = attempt(mur.http.request, {
      url = url, method = o.method, headers = o.headers, timeout = o.timeout or 5, redirects = 0, unix = o.unix, tls = o.tls,
    })
    if not response then return false, why end
    if not answer.status_is(response.status, o.status) then
      return false, string.format("it answered %d %s", response.status, response.reason)
    end
    return attempt(answer.rest_is, response, o)
  end)
end

-- text_lines is native.lines for a member that is a plain table with a function output.
local function text_lines(member, from)
  local all = {}
  for line in ((member.output and member:output() or "") .. "\n"):gmatch "(.-)\r?\n" do all[#all + 1] = line end
  if all[#all] == "" then all[#all] = nil end
  local new_lines = {}
  for i = from + 1, #all do new_lines[#new_lines + 1] = all[i] end
  return new_lines, #all
end

function ready.log(pattern)
  local o = options("log", pattern, "pattern", { "plain", "count" })
  if type(o.pattern) ~= "string" then usage("bad argument #1 to 'mur.ready.log' (a pattern expected, got %s)", type(o.pattern)) end
  local ok, wrong = pcall(string.find, "", o.pattern, 1, o.plain) -- here, and not in the middle of a launch
  if not ok then usage("bad argument #1 to 'mur.ready.log' (%s)", (tostring(wrong):gsub("^[^:]*:%d+: ", ""))) end
  local count = o.count or 1
  local describe = count == 1 and string.format("it has written %q", o.pattern)
    or string.format("it has written %q %d times", o.pattern, count)
  return new(describe, function()
    local from, seen = 0, 0
    return function(member)
      local lines
      lines, from = (type(member) == "userdata" and native.lines or text_lines)(member, from)
      for _, line in ipairs(lines) do
        if line:find(o.pattern, 1, o.plain) then seen = seen + 1 end
      end
      if seen >= count then return true end
      local why = from == 0 and "it has written nothing" or string.format("%d lines so far", from)
      if seen > 0 then why = string.format("%d times so far", seen) end
      return false, sentence(describe, why)
    end
  end)
end

function ready.file(path)
  local o = options("file", path, "path", { "contains", "min_size" })
  if type(o.path) ~= "string" then usage("bad argument #1 to 'mur.ready.file' (a path expected, got %s)", type(o.path)) end
  local describe = "the file " .. o.path .. " exists"
  if o.contains then describe = string.format("the file %s has %q", o.path, o.contains) end
  if o.min_size then describe = string.format("%s with %d bytes", describe, o.min_size) end
  return plain(describe, function(member)
    return attempt(function()
      local name = from_workdir(member, o.path)
      local info = mur.fs.stat(name)
      if not info then return false, "it is not there" end
      if o.min_size and info.size < o.min_size then return false, string.format("it has %d bytes", info.size) end
      if o.contains and not mur.fs.read(name):find(o.contains) then return false, "its text does not" end
      return true
    end)
  end)
end

function ready.command(command)
  local o = options("command", command, "command", { "status", "output", "timeout" })
  local line = table.concat(o.command, " ")
  local describe = "`" .. line .. "` succeeds"
  if o.output then describe = string.format("`%s` prints %q", line, o.output) end
  return plain(describe, function(member)
    local result, why = attempt(mur.process.run, { command = o.command, cwd = member.workdir, timeout = o.timeout or 10 })
    if not result then return false, why end
    if result.signal then return false, "it was ended by signal " .. result.signal end
    if result.code ~= (o.status or 0) then
      local last = ((result.stderr or "") .. (result.stdout or "")):match "([^\n]+)%s*$"
      return false, string.format("exit status %d%s", result.code, last and " (" .. last .. ")" or "")
    end
    if o.output and not (result.stdout or ""):find(o.output) then return false, "it printed something else" end
    return true
  end)
end

local function list_of(name, policies)
  if type(policies) ~= "table" or getmetatable(policies) == Policy or #policies == 0 then
    usage("bad argument #1 to 'mur.ready.%s' (a list expected: { policy, policy })", name)
  end
  local list, clauses = {}, {}
  for i, one in ipairs(policies) do
    list[i] = ready.policy(one)
    clauses[i] = list[i].describe
  end
  return list, clauses
end

local function start_all(list)
  local asks = {}
  for i, policy in ipairs(list) do asks[i] = policy._start() end
  return asks
end

function ready.all(policies)
  local list, clauses = list_of("all", policies)
  return new(table.concat(clauses, " and "), function()
    local asks = start_all(list)
    return function(member)
      for _, ask in ipairs(asks) do
        local is, why, again = ask(member)
        if not is then return false, why, again end
      end
      return true
    end
  end)
end

function ready.any(policies)
  local list, clauses = list_of("any", policies)
  return new(table.concat(clauses, " or "), function()
    local asks = start_all(list)
    return function(member)
      local reasons, soonest = {}, nil
      for i, ask in ipairs(asks) do
        local is, why, again = ask(member)
        if is then return true end
        reasons[i] = why
        soonest = again and soonest ~= false and math.min(again, soonest or again) or false
      end
      return false, table.concat(reasons, ", or "), soonest or nil
    end
  end)
end

function ready.none(policies)
  local list, clauses = list_of("none", policies)
  return new("not: " .. table.concat(clauses, " or "), function()
    local asks = start_all(list)
    return function(member)
      for i, ask in ipairs(asks) do
        if ask(member) then return false, "waiting while " .. clauses[i] end
      end
      return true
    end
  end)
end

local function positive(name, n, value, what)
  if type(value) ~= "number" or value < 0 or value ~= value then
    usage("bad argument #%d to 'mur.ready.%s' (%s expected, got %s)", n, name, what, tostring(value))
  end
  return value
end

function ready.stable(times, policy)
  positive("stable", 1, times, "how often in a row")
  policy = ready.policy(policy)
  return new(string.format("%s, %d times in a row", policy.describe, times), function()
    local ask, row = policy._start(), 0
    return function(member)
      local is, why, again = ask(member)
      row = is and row + 1 or 0
      if row >= times then return true end
      return false, is and string.format("waiting until %s, %d of %d times in a row", policy.describe, row, times) or why, again
    end
  end)
end

function ready.within(seconds, policy)
  positive("within", 1, seconds, "seconds")
  policy = ready.policy(policy)
  return new(policy.describe, function()
    local ask, first = policy._start(), nil
    return function(member)
      first = first or mur.time.monotonic()
      local is, why, again = ask(member)
      if is then return true end
      local left = first + seconds - mur.time.monotonic()
      if left <= 0 then error(native.error("not_ready", string.format("not within %gs: %s", seconds, why)), 0) end
      return false, why, again and math.min(again, left)
    end
  end)
end

function ready.every(seconds, policy)
  positive("every", 1, seconds, "seconds")
  policy = ready.policy(policy)
  return new(policy.describe, function()
    local ask, last, is, why = policy._start(), nil, nil, nil
    return function(member)
      local now = mur.time.monotonic()
      if not last or now - last >= seconds then
        is, why = ask(member)
        last = now
      end
      if is then return true end
      return false, why, math.max(last + seconds - now, 0)
    end
  end)
end

function ready.after_delay(seconds, policy)
  positive("after_delay", 1, seconds, "seconds")
  policy = policy and ready.policy(policy)
  local describe = string.format("%gs have passed", seconds)
  if policy then describe = string.format("%s, asked after %gs", policy.describe, seconds) end
  return new(describe, function()
    local ask, first = policy and policy._start(), nil
    return function(member)
      first = first or mur.time.monotonic()
      local left = first + seconds - mur.time.monotonic()
      if left > 0 then return false, string.format("waiting for %gs to pass", seconds), left end
      if not ask then return true end
      return ask(member)
    end
  end)
end

-- of_function makes a policy of a function. Without a clause of its own, what the function says stands alone.
local function of_function(fn, clause)
  local describe = clause or "the function at " .. native.where(fn) .. " says yes"
  return new(describe, function()
    return function(member)
      local is, why = attempt(fn, member)
      if type(is) == "function" then usage("the policy at %s returned a function; call it with ()", native.where(fn)) end
      if is then return true end
      if why == nil then return false, sentence(describe) end
      return false, clause and sentence(clause, tostring(why)) or "waiting: " .. tostring(why)
    end
  end)
end

local kinds = { "door", "tcp", "unix", "http", "log", "file", "command", "all", "any", "none" }
local wrappers = { "stable", "every", "after_delay", "within" } -- the later goes round the earlier

-- of_table makes a policy of the short form { tcp = 6390, within = 5 }.
local function of_table(short)
  local known = {}
  for _, list in ipairs { kinds, wrappers } do
    for _, name in ipairs(list) do known[#known + 1] = name end
  end
  native.check("a readiness policy", short, known)
  local parts = {}
  for _, kind in ipairs(kinds) do
    if short[kind] ~= nil and short[kind] ~= false then parts[#parts + 1] = ready[kind](short[kind]) end
  end
  if #parts == 0 and not short.after_delay then usage("a readiness policy needs one of %s", table.concat(kinds, ", ")) end
  local policy = #parts > 1 and ready.all(parts) or parts[1]
  for _, wrapper in ipairs(wrappers) do
    if short[wrapper] ~= nil then policy = ready[wrapper](short[wrapper], policy) end
  end
  return policy
end

function ready.policy(policy, describe)
  if describe ~= nil and (type(describe) ~= "string" or describe == "") then
    usage("bad argument #2 to 'mur.ready.policy' (a clause expected, got %s)", describe == "" and "an empty one" or type(describe))
  end
  if type(policy) == "function" then return of_function(policy, describe) end
  if type(policy) ~= "table" then
    usage("a readiness policy is a function, a table or made by mur.ready, not a %s", type(policy))
  end
  if getmetatable(policy) ~= Policy then policy = of_table(policy) end
  return describe and new(describe, policy._start) or policy
end

-- Pauses grow with the time waited so far, so that what comes up is noticed after a hundredth of the time it took, and
-- with what asking costs, so that a hundred waits at once leave the machine to those they wait for.
local function pause_after(waited, cost)
  return math.min(math.max(waited / 100, cost * 5, 0.001), 0.1)
end

-- drive asks until the answer is yes. The member's output wakes it early. tell is called when the reason changes.
local function drive(policy, member, tell)
  local ask, seen, last = policy._start(), 0, nil
  local began = mur.time.monotonic()
  while true do
    local asked = mur.time.monotonic()
    local is, why, again = ask(member)
    if is then return true end
    local now = mur.time.monotonic()
    if why ~= last then
      last = why
      tell(why)
    end
    seen = native.pause(member, again or pause_after(now - began, now - asked), seen)
  end
end

-- The formation module calls this for a member's policy.
function native.prepare(policy)
  policy = ready.policy(policy)
  return function(member, tell) return drive(policy, member, tell) end, policy.describe
end

function ready.wait(policy, settings)
  settings = settings or {}
  native.check("mur.ready.wait", settings, { "within", "member", "on_waiting" })
  policy = ready.policy(policy)
  local within = positive("wait", 2, settings.within or 30, "within")
  local last = sentence(policy.describe)
  local task = mur.task.spawn(function()
    return drive(policy, settings.member or {}, function(why)
      last = why
      if settings.on_waiting then settings.on_waiting(why) end
    end)
  end, { name = "waiting until " .. policy.describe })
  if not task:wait(within) then
    task:cancel()
    task:wait()
    return nil, native.error("not_ready", string.format("not within %gs: %s", within, last))
  end
  local ok, err = pcall(task.join, task)
  if ok then return true end
  if type(err) == "userdata" and err.kind == "not_ready" then return nil, err end
  error(err, 0)
end

return ready
