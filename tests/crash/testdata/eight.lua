-- Eight members of every kind that is hard to end: capsules, commands that ignore their signal, helpers in sessions of
-- their own, shells whose children outlive them.
local mur = require "mur"
local formation = mur.formation.launch {
  grace = 0.2,
  members = {
    { name = "one", script = "capsule.lua" },
    { name = "two", script = "capsule.lua", calls = { "one" } },
    { name = "three", script = "capsule.lua" },
    { name = "plain", command = { "sleep", "600" } },
    { name = "deaf", command = { "sh", "-c", 'trap "" TERM INT HUP; while :; do sleep 600; done' } },
    { name = "helper", command = { "sh", "-c", "setsid sleep 600 & exec sleep 600" } },
    { name = "daemon", command = { "sh", "-c", "(setsid sh -c 'sleep 600 & sleep 600' &) ; exec sleep 600" } },
    { name = "late", command = { "sleep", "600" }, after = { "one" } },
  },
}
print "up"
return formation:wait()
