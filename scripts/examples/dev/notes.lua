-- Keeps notes in redis: "keep TEXT" and "list".
local mur = require "mur"

local function redis(...)
  local result = mur.process.run {
    command = { "redis-cli", "-p", mur.env.need "REDIS_PORT", ... }, timeout = 5, check = true,
  }
  return (result.stdout:gsub("%s+$", ""))
end

return mur.capsule {
  name = "notes",
  version = "1.0.0",
  on_task = function(task)
    local note = task.text:match "^keep (.+)"
    if note then return redis("rpush", "notes", note) .. " notes kept" end
    if task.text == "list" then return redis("lrange", "notes", "0", "-1") end
    error("say keep TEXT, or list", 0)
  end,
}
