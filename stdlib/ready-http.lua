-- The part of mur.ready that looks at the answer of a server: o is what mur.ready.http was given.
local mur = require "mur"

local answer = {}

-- field finds "a.b" in a document.
local function field(document, path)
  local value = document
  for name in path:gmatch "[^.]+" do
    if type(value) ~= "table" then return nil end
    local index = tonumber(name)
    if value[name] ~= nil then value = value[name] else value = index and value[index] end
  end
  return value
end

local function shown(value)
  return type(value) == "string" and string.format("%q", value) or tostring(value)
end

local function sorted(map)
  local names = {}
  for name in pairs(map or {}) do names[#names + 1] = name end
  table.sort(names)
  return names
end

function answer.status_is(status, wanted)
  if wanted == nil then return status >= 200 and status < 400 end
  if type(wanted) ~= "table" then return status == wanted end
  for _, one in ipairs(wanted) do
    if status == one then return true end
  end
  return false
end

-- rest_is checks everything but the status.
function answer.rest_is(response, o)
  for _, name in ipairs(sorted(o.header)) do
    local value = response.headers[name:lower()]
    if not value then return false, "the answer has no header " .. name end
    if not value:find(o.header[name]) then return false, string.format("the header %s is %q", name, value) end
  end
  if o.body and not response.body:find(o.body) then
    return false, string.format("the body does not have %q", o.body)
  end
  if o.json then
    local document = mur.json.decode(response.body)
    for _, name in ipairs(sorted(o.json)) do
      local value = field(document, name)
      if value ~= o.json[name] then return false, string.format("%s is %s, not %s", name, shown(value), shown(o.json[name])) end
    end
  end
  return true
end

-- wants is what is asked of the answer, for the policy's clause.
function answer.wants(o)
  local parts = {}
  if o.status then
    parts[#parts + 1] = "status " .. (type(o.status) == "table" and table.concat(o.status, " or ") or o.status)
  end
  for _, name in ipairs(sorted(o.header)) do parts[#parts + 1] = "a " .. name .. " of " .. o.header[name] end
  if o.body then parts[#parts + 1] = string.format("a body with %q", o.body) end
  for _, name in ipairs(sorted(o.json)) do parts[#parts + 1] = name .. " = " .. shown(o.json[name]) end
  return #parts > 0 and " with " .. table.concat(parts, " and ") or ""
end

return answer
