-- Keeps a command running: starts it again when it fails, waits longer each time, and gives up after too many in a row.
--
--   murlua run scripts/examples/supervisor.lua [--restarts N] COMMAND [ARG...]
--
-- A formation does this by itself (`murlua help mur.Member`, on_exit); here every step is in sight.
local mur = require "mur"

local restarts, command = 3, {}
local i = 1
if arg[1] == "--restarts" then
  restarts, i = tonumber(arg[2]) or error("--restarts wants a number", 0), 3
end
for n = i, #arg do command[#command + 1] = arg[n] end
if #command == 0 then error("usage: murlua run supervisor.lua [--restarts N] COMMAND [ARG...]", 0) end

local STEADY = 10 -- seconds after which a run counts as a good one, and the patience is new

local failures, pause = 0, 0.01
while true do
  local began = mur.time.monotonic()
  local h = mur.handle.start { command = command }
  for line in function() return (h:read_line()) end do print("| " .. line) end
  local ending = h:wait()
  if ending.ok then
    print("it is done")
    return 0
  end

  local how = ending.code and "status " .. ending.code or "signal " .. ending.signal
  if mur.time.monotonic() - began >= STEADY then failures, pause = 0, 0.01 end
  failures = failures + 1
  if failures > restarts then
    print(("it ended with %s, %d times in a row: giving up"):format(how, failures))
    return 1
  end
  print(("it ended with %s: starting it again (%d of %d)"):format(how, failures, restarts))
  mur.sleep(pause)
  pause = math.min(pause * 2, 5)
end
