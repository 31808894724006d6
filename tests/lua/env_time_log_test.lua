local mur = require "mur"
local t = mur.test

t.describe("mur.env", function()
  t.it("reads the environment", function()
    t.expect(mur.env.get "HOME"):is_a("string")
    t.expect(mur.env.get "NO_SUCH_VARIABLE"):is(nil)
    t.expect(mur.env.get("NO_SUCH_VARIABLE", "x")):is("x")
    t.expect(mur.env.all().HOME):is(mur.env.get "HOME")
  end)

  t.it("insists on a variable that has to be set", function()
    local err = t.expect(function() mur.env.need "NO_SUCH_VARIABLE" end):fails "not_set"
    t.expect(err.name):is("NO_SUCH_VARIABLE")
  end)

  t.it("expands {text}", function(case)
    t.expect(mur.env.expand(case.text, { A = "1", B = "" })):is(case.want)
  end, { each = {
    { text = "$A", want = "1" }, { text = "${A}2", want = "12" }, { text = "$B-$NO_SUCH_VARIABLE-", want = "--" },
    { text = "$$A", want = "$A" }, { text = "$ $1 ${", want = "$ $1 ${" },
  } })

  t.it("reads files of variables", function()
    local file = mur.fs.join(mur.fs.tempdir(), ".env")
    mur.fs.write(file, "# c\nA=1\nexport B='$A'\nC=\"$A\\n\" # d\n")
    t.expect(mur.env.load(file)):is { A = "1", B = "$A", C = "1\n" }
    mur.fs.write(file, "A=1\nno\n")
    t.expect(t.expect(function() mur.env.load(file) end):fails("bad_env_file").line):is(2)
  end)
end)

t.describe("mur.time", function()
  t.it("tells the time", function()
    t.expect(mur.time.now()):is_near(os.time(), 5)
    local before = mur.time.monotonic()
    mur.sleep(0.01)
    t.expect(mur.time.monotonic() - before):is_at_least(0.01)
  end)

  t.it("writes {1}", function(case)
    t.expect(mur.time.format(case[1], case[2])):is(case[3])
  end, { each = {
    { 0, {}, "1970-01-01T00:00:00Z" }, { 1767225599.9, {}, "2025-12-31T23:59:59Z" },
    { 0.125, { fraction = 3 }, "1970-01-01T00:00:00.125Z" }, { -1, {}, "1969-12-31T23:59:59Z" },
  } })

  t.it("reads {1}", function(case)
    t.expect(mur.time.parse(case[1])):is(case[2])
  end, { each = {
    { "1970-01-01T00:00:00Z", 0 }, { "1970-01-01T01:00:00+01:00", 0 }, { "2026-01-01T00:00:00.5Z", 1767225600.5 },
  } })

  t.it("refuses {1}", function(text)
    t.expect(function() mur.time.parse(text) end):fails "bad_time"
  end, { each = { "", "2026-01-01", "2026-02-30T00:00:00Z", "now" } })

  t.it("reads lengths of time: {1}", function(case)
    t.expect(mur.time.seconds(case[1])):is(case[2])
  end, { each = { { "90s", 90 }, { "1h30m", 5400 }, { "1.5h", 5400 }, { "7d", 604800 }, { "10ms", 0.01 }, { 3, 3 } } })

  t.it("measures from a time until now", function()
    t.expect(mur.time.since(mur.time.now() - 60)):is_near(60, 5)
    t.expect(mur.time.since(mur.time.format(mur.time.now() + 60))):is_below(0)
  end)
end)

t.describe("mur.log", function()
  local file
  t.before_each(function() file = mur.fs.join(mur.fs.tempdir(), "log") end)
  t.after_each(function() mur.log.configure { level = "info", json = false } end)

  t.it("writes text for people", function()
    mur.log.configure { file = file }
    mur.log.info("ready", { port = 80, name = "a b" })
    t.expect(mur.fs.read(file)):matches '^%d%d:%d%d:%d%d%.%d%d%d info  ready name="a b" port=80\n$'
  end)

  t.it("writes JSON for programs", function()
    mur.log.configure { file = file, json = true }
    mur.log.warn("a \"quote\"", { list = { 1, 2 } })
    local line = mur.json.decode(mur.fs.read(file))
    t.expect(line):includes { level = "warn", message = 'a "quote"', list = { 1, 2 } }
    t.expect(mur.time.since(line.time)):is_below(60)
  end)

  t.it("leaves out what is below the level", function()
    mur.log.configure { file = file, level = "error" }
    mur.log.warn "no"
    mur.log.error "yes"
    t.expect(mur.fs.read(file)):matches "error yes\n$"
    t.expect(mur.fs.read(file)).never:includes "no\n"
  end)
end)
