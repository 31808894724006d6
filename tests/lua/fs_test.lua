local mur = require "mur"
local t = mur.test
local fs = mur.fs

t.describe("mur.fs", function()
  local dir
  t.before_each(function() dir = fs.tempdir() end)
  local function path(name) return fs.join(dir, name) end

  t.it("writes whole files and reads them again", function()
    fs.write(path "f", "one\0two")
    t.expect(fs.read(path "f")):is("one\0two")
    fs.write(path "f", "")
    t.expect(fs.read(path "f")):is("")
    t.expect(#fs.list(dir)):is(1)
  end)

  t.it("keeps the permissions of a file that it replaces", function()
    fs.write(path "f", "", { mode = "600" })
    fs.write(path "f", "more")
    t.expect(fs.stat(path "f").mode):is("600")
  end)

  t.it("takes permissions as octal text only", function()
    t.expect(function() fs.write(path "f", "", { mode = "9" }) end):fails "usage"
    t.expect(fs.exists(path "f")):is(false)
  end)

  t.it("adds to the end of a file", function()
    for i = 1, 3 do fs.append(path "log", i .. "\n") end
    t.expect(fs.read(path "log")):is("1\n2\n3\n")
  end)

  t.it("writers that add at once do not mix their lines", function()
    local tasks = {}
    for i = 1, 20 do
      tasks[i] = function() for _ = 1, 5 do fs.append(path "log", ("x"):rep(100) .. "\n") end end
    end
    mur.task.all(tasks)
    local lines = 0
    for line in fs.read(path "log"):gmatch "(.-)\n" do
      lines = lines + 1
      t.expect(#line):is(100)
    end
    t.expect(lines):is(100)
  end)

  t.it("describes files, folders and links", function()
    fs.write(path "f", "12345")
    t.expect(fs.stat(path "f")):includes { name = "f", type = "file", size = 5, path = path "f" }
    t.expect(fs.stat(dir).type):is("directory")
    t.expect(mur.time.since(fs.stat(path "f").modified)):is_below(60)
  end)

  t.it("returns nil for what is not there, and raises for what cannot be told", function()
    local info, err = fs.stat(path "none")
    t.expect(info):is(nil)
    t.expect(err.kind):is("not_found")
    fs.write(path "f", "")
    t.expect(function() fs.stat(path "f/x") end):fails "not_a_directory"
  end)

  t.it("lists in order", function()
    for _, name in ipairs { "b", "a", "c" } do fs.write(path(name), "") end
    fs.mkdir(path "d/e")
    local names = {}
    for i, entry in ipairs(fs.list(dir)) do names[i] = entry.name end
    t.expect(names):is { "a", "b", "c", "d" }
  end)

  t.it("makes folders, with those above or without", function()
    fs.mkdir(path "a/b/c")
    fs.mkdir(path "a/b/c")
    t.expect(function() fs.mkdir(path "a", { parents = false }) end):fails "exists"
    t.expect(function() fs.mkdir(path "x/y", { parents = false }) end):fails "not_found"
  end)

  t.it("removes what is there and says whether it was", function()
    fs.mkdir(path "a/b")
    t.expect(function() fs.remove(path "a") end):fails "not_empty"
    t.expect(fs.remove(path "a", { recursive = true })):is(true)
    t.expect(fs.remove(path "a")):is(false)
  end)

  t.it("renames, over a file that is there", function()
    fs.write(path "a", "new")
    fs.write(path "b", "old")
    fs.rename(path "a", path "b")
    t.expect(fs.read(path "b")):is("new")
    t.expect(fs.exists(path "a")):is(false)
  end)

  t.it("finds paths by pattern {pattern}", function(case)
    for _, name in ipairs { "a.lua", "b.txt", "x/c.lua", "x/y/d.lua", ".hidden/e.lua" } do
      fs.mkdir(fs.dirname(path(name)))
      fs.write(path(name), "")
    end
    local found = {}
    for i, name in ipairs(fs.glob(path(case.pattern))) do found[i] = name:sub(#dir + 2) end
    t.expect(found):is(case.names)
  end, { each = {
    { pattern = "*.lua", names = { "a.lua" } },
    { pattern = "**/*.lua", names = { "a.lua", "x/c.lua", "x/y/d.lua" } },
    { pattern = "{a,b}.*", names = { "a.lua", "b.txt" } },
    { pattern = "x/*/?.lua", names = { "x/y/d.lua" } },
    { pattern = ".hidden/*", names = { ".hidden/e.lua" } },
    { pattern = "none/**", names = {} },
  } })

  t.it("refuses a pattern that is not one", function()
    t.expect(function() fs.glob "a[" end):fails "bad_pattern"
    t.expect(function() fs.glob "{a" end):fails "bad_pattern"
  end)

  t.it("refuses to read what is too long", function()
    fs.write(path "f", "12345")
    t.expect(fs.read(path "f", { max_bytes = 5 })):is("12345")
    t.expect(function() fs.read(path "f", { max_bytes = 4 }) end):fails "too_large"
  end)

  t.it("names the file in its errors", function()
    local err = t.expect(function() fs.read(path "none") end):fails "not_found"
    t.expect(err.path):is(path "none")
    t.expect(err.message):includes(path "none")
  end)

  t.it("reports changes", function()
    local watch = fs.watch(dir)
    fs.write(path "f", "1", { atomic = false })
    t.expect(watch:next { timeout = 5 }):includes { path = path "f", kind = "created" }
    t.eventually(function()
      fs.remove(path "f")
      local event = watch:next { timeout = 1 }
      return event and event.kind == "removed"
    end)
    watch:close()
    local event, err = watch:next()
    t.expect(event):is(nil)
    t.expect(err.kind):is("closed")
  end)

  t.it("follows a file through its replacements", function()
    fs.write(path "f", "1")
    local watch = fs.watch(path "f")
    fs.write(path "f", "2")
    t.expect(watch:next { timeout = 5 }.path):is(path "f")
  end)

  t.it("wakes a task that waits for a change, at its time limit", function()
    local watch = fs.watch(dir)
    local event, err = watch:next { timeout = 0.01 }
    t.expect(event):is(nil)
    t.expect(err.kind):is("timeout")
  end)

  t.it("knows paths", function()
    t.expect(fs.join("a", "..", "b", "./c")):is("b/c")
    t.expect(fs.dirname "/a/b"):is("/a")
    t.expect(fs.basename "/a/b"):is("b")
    t.expect(fs.abspath "/a/../b"):is("/b")
  end)
end)
