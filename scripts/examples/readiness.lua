-- The ways to know that a member is ready, and how to combine them.
--
--   murlua run scripts/examples/readiness.lua
--
-- Every member here is a few lines of shell, so that there is nothing to install; what each waits for is what counts.
local mur = require "mur"

local dir = mur.fs.tempdir()

local formation = mur.formation.launch {
  members = {
    -- a line that it writes
    { name = "writer", command = { "sh", "-c", "echo loading; sleep 0.05; echo 'listening now'; sleep 60" },
      ready = { log = "listening" } },

    -- a file that it makes, with something in it; relative to the member's folder
    { name = "maker", dir = dir, command = { "sh", "-c", "sleep 0.05; echo done > migrated; sleep 60" },
      ready = mur.ready.file { path = "migrated", contains = "done" } },

    -- a command that succeeds, asked no more often than it is worth
    { name = "checked", dir = dir, command = { "sleep", "60" }, after = { "maker" },
      ready = mur.ready.every(0.05, mur.ready.command { "grep", "-q", "done", "migrated" }) },

    -- anything: a function says yes, or no and why not
    { name = "asked", dir = dir, command = { "sleep", "60" }, after = { "maker" },
      ready = function(member)
        local size = mur.fs.stat(mur.fs.join(member.workdir, "migrated")).size
        return size >= 5, ("only %d bytes so far"):format(size)
      end },

    -- several at once: the file must be there three times in a row, nothing may be locked, and within five seconds
    { name = "steady", dir = dir, command = { "sleep", "60" }, after = { "writer", "checked" },
      ready = mur.ready.within(5, mur.ready.all {
        mur.ready.stable(3, mur.ready.file "migrated"),
        mur.ready.none { mur.ready.file "lock" },
      }) },
  },
}
print("all are ready")

-- Outside a formation a policy can be waited for too.
local ok, err = mur.ready.wait({ file = "never" }, { within = 0.05, member = { workdir = dir } })
print(ok, err.message)

return formation:stop()
