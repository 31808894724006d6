local mur = require "mur"
local t = mur.test

-- cgroups belong to the machine, not to the test's home.
local OURS = { "record", "unreadable", "formation" }

t.describe("mur.sweep", function()
  local home
  t.before_each(function()
    home = mur.env.need "HOME" .. "/.murmur"
    mur.fs.remove(home, { recursive = true })
    mur.fs.mkdir(home .. "/running", { mode = "700" })
  end)

  -- A file among the records that is none, until the test ends.
  local function broken(name)
    local path = home .. "/running/" .. name .. ".json"
    mur.fs.write(path, "{")
    t.finally(function() mur.fs.remove(path) end)
  end

  local function sweep(options)
    options.over, options.quiet = options.over or OURS, true
    return mur.sweep.run(options)
  end

  t.it("finds nothing in an empty home", function()
    t.expect(mur.sweep.find { over = OURS }):is_empty()
    t.expect(sweep {}.code):is(0)
  end)

  t.it("removes files that are no records", function()
    broken "a"
    local report = sweep {}
    t.expect({ report.done, report.failed, report.kept }):is { 1, 0, 0 }
    t.expect(mur.fs.list(home .. "/running")):is_empty()
  end)

  t.it("does nothing in a dry run, and says what it would do", function()
    broken "a"
    local report = sweep { dry_run = true }
    t.expect({ report.would, report.done }):is { 1, 0 }
    t.expect(tostring(report)):matches "unreadable .* would"
    t.expect(mur.fs.list(home .. "/running")):has_length(1)
  end)

  t.it("asks its policy about everything before it does anything", function()
    broken "a"
    broken "b"
    local asked = 0
    t.expect(function()
      sweep { policy = function()
        asked = asked + 1
        if asked == 2 then error "cannot decide" end
        return "remove"
      end }
    end):fails "cannot decide"
    t.expect(mur.fs.list(home .. "/running")):has_length(2)
  end)

  t.it("refuses an action that an item does not know", function()
    broken "a"
    t.expect(function() sweep { policy = function() return "stop" end } end):fails "usage"
  end)

  t.describe("with a formation that runs", function()
    local f
    t.before_each(function()
      f = mur.formation.launch { members = { { name = "sleeper", command = { "sleep", "60" } } } }
    end)

    t.it("finds its record and its folder alive", function()
      local states = {}
      for _, item in ipairs(mur.sweep.find { over = OURS }) do states[item.kind] = item.live.state end
      t.expect(states.record):is("live")
      f:stop()
    end)

    t.it("prunes no record of a process that runs", function()
      local report = sweep { over = { "record" }, policy = function() return "prune" end }
      t.expect(report.failed):is(1)
      t.expect(report.code):is(1)
      t.expect(mur.running.list()):has_length(1)
      f:stop()
    end)

    t.it("stops a process that it knows", function()
      local report = sweep { over = { "record" }, policy = function(item)
        t.expect(item.formation_member):is("sleeper")
        return "stop", "enough"
      end }
      t.expect(report.items[1]):includes { result = "done", why = "enough" }
      f:wait()
      t.expect(mur.running.list()):is_empty()
    end)

    t.it("shows what was kept and why", function()
      local report = sweep { over = { "record" }, policy = function(_, live) return "keep", "it is " .. live.state end }
      t.expect(report.items[1]):includes { result = "kept", why = "it is live" }
      t.expect(tostring(report)):matches "\n1 +record +live +sleep@command +it is live\n"
      f:stop()
    end)

    t.it("older_than, owned_by and first decide", function()
      local policy = mur.sweep.first {
        mur.sweep.owned_by("/nowhere", mur.sweep.older_than(0, "kill")),
        function(item) if item.kind == "record" then return "keep" end end,
        mur.sweep.older_than("1d"),
      }
      t.expect(sweep { policy = policy, dry_run = true }.would):is(0)
      f:stop()
    end)
  end)

  t.it("shows what it did when it is stopped", function()
    local f = mur.formation.launch { members = {
      { name = "deaf", command = { "sh", "-c", "trap '' TERM; echo deaf; exec sleep 60" }, ready = mur.ready.log "deaf" },
      { name = "obedient", command = { "sleep", "60" }, after = { "deaf" } },
    } }
    local print_before, printed, first = print, nil, mur.task.queue(1)
    t.finally(function() print = print_before end)
    print = function(text) printed = text end
    local task = mur.task.spawn(function()
      mur.sweep.run {
        over = { "record" }, grace = 60, policy = function() return "stop", "enough" end,
        on_item = function(entry) first:push(entry.item.formation_member) end, -- the newest comes first
      }
    end)
    t.expect(first:pop(30)):is("obedient")
    task:cancel()
    local ok, err = pcall(task.join, task)
    t.expect({ ok, err.kind }):is { false, "cancelled" }
    t.expect(printed):matches "stop +done: ended by SIGTERM %(enough%)\n.*stop +failed: .*\n1 done, 1 failed, 0 kept"
    mur.running.signal(mur.running.list()[1], "KILL") -- it would need all of its grace
    f:wait()
  end)
end)
