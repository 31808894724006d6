-- Loading code, environments, os and io.
--- loadstring
print(loadstring("return 1 + 1")()) print(loadstring("return ...")(1, 2)) print(type(loadstring("x =")))
--- loadstring runs in the globals
g = 1 loadstring("g = g + 1")() print(g)
--- loadstring does not see locals
local x = 1 print(loadstring("return x")())
--- chunk names
print(pcall(loadstring("error('e')", "=name"))) print(pcall(loadstring("error('e')", "@file.lua"))) print(pcall(loadstring("error('e')"))) print(pcall(loadstring("error('e')\nreturn 1")))
--- load with a function
local parts = { "return ", "1", "+2", nil } local i = 0 print(load(function() i = i + 1 return parts[i] end)())
--- load with a function that returns empty strings
local i = 0 print(load(function() i = i + 1 return ({ "return 7", "" })[i] end)())
--- load with a function that returns something else
print(load(function() return {} end))
--- load with a string | differs: it takes strings and an environment, as later versions do
print(load("return x", "chunk", "t", { x = 5 })())
--- load wrongly
print(pcall(load)) print(pcall(load, nil)) print(pcall(loadstring)) print(pcall(loadstring, {}))
--- load with an error in the function
print(pcall(load, function() error("reader", 0) end))
--- setfenv and getfenv
local function f() return v end setfenv(f, { v = "env" }) print(f(), getfenv(f).v, getfenv(1) == _G, getfenv(print) == _G)
--- setfenv of the running function
local function f() setfenv(1, { print = print, v = 2 }) print(v) end f() print(v)
--- environments are inherited by what is made inside
local env = setmetatable({}, { __index = _G }) local f = setfenv(loadstring("function h() return type(env_name) end env_name = 1 return h"), env) local h = f() print(h(), env.env_name, env_name)
--- setfenv wrongly
print(pcall(setfenv, 1)) print(pcall(setfenv, print, {})) print(pcall(getfenv, -1)) print(pcall(getfenv, "x"))
--- require of what is loaded
print(require("string") == string, require("table") == table, package.loaded.math == math)
--- require with preload
package.preload.mine = function(name) return { name = name } end print(require("mine").name, require("mine") == require("mine"), package.loaded.mine.name)
--- require that returns nothing
package.preload.nothing = function() end print(require("nothing"), package.loaded.nothing)
--- require that fails and succeeds later | differs: a failed load leaves nothing behind
local n = 0 package.preload.flaky = function() n = n + 1 if n == 1 then error("first", 0) end return "ok" end print(pcall(require, "flaky") == false, package.loaded.flaky == nil or package.loaded.flaky) 
--- require of what does not exist
local ok, m = pcall(require, "no.such.module") print(ok, tostring(m):match("module 'no.such.module' not found") ~= nil)
--- dofile and loadfile of nothing
print(loadfile("nothing.lua")) print(pcall(dofile, "nothing.lua"))
--- dofile
local f = io.open("made.lua", "w") f:write("return 1, 2, ...") f:close() print(dofile("made.lua")) print(loadfile("made.lua")(3)) os.remove("made.lua")
--- a shebang line in a file
local f = io.open("made.lua", "w") f:write("#!/usr/bin/lua\nreturn 'ran'") f:close() print(dofile("made.lua")) os.remove("made.lua")
--- io.open of nothing
print(io.open("nothing.txt")) print(io.open("/nothing/x", "w")) print(pcall(io.open))
--- writing and reading a file
local f = io.open("f.txt", "w") print(f:write("one\ntwo\n", 3, "\n", 4.5, "\n")) print(f:close()) for l in io.lines("f.txt") do io.write("[", l, "]") end print() os.remove("f.txt")
--- reading by formats
local f = io.open("f.txt", "w") f:write("12 0x1F -3.5e1 word\nline two\n\nrest\nof it") f:close()
f = io.open("f.txt") print(f:read("*n", "*n", "*n")) print(f:read("*l")) print(f:read(4)) print(f:read("*l")) print(f:read("*l")) print(f:read("*a")) print(f:read("*l")) print(f:read("*a")) print(f:read(0)) f:close() os.remove("f.txt")
--- reading at the end
local f = io.open("f.txt", "w") f:close() f = io.open("f.txt") print(f:read()) print(f:read("*a")) print(f:read("*n")) print(f:read(5)) print(f:read(0)) f:close() os.remove("f.txt")
--- seek
local f = io.open("f.txt", "w+") f:write("hello world") print(f:seek()) print(f:seek("set", 6)) print(f:read(5)) print(f:seek("cur", -5)) print(f:read("*a")) print(f:seek("end")) print(f:seek("set")) f:close() os.remove("f.txt")
--- appending
local f = io.open("f.txt", "w") f:write("a") f:close() f = io.open("f.txt", "a") f:write("b") f:close() f = io.open("f.txt") print(f:read("*a")) f:close() os.remove("f.txt")
--- lines of a file
local f = io.open("f.txt", "w") f:write("a\n\nb") f:close() f = io.open("f.txt") local t = {} for l in f:lines() do t[#t + 1] = "<" .. l .. ">" end print(table.concat(t), io.type(f)) f:close() print(io.type(f)) os.remove("f.txt")
--- io.type
print(io.type(io.stdout), io.type(5), io.type("x"), pcall(io.type))
--- closed files
local f = io.open("f.txt", "w") f:close() print(pcall(f.write, f, "x")) print(pcall(f.read, f)) print(pcall(f.close, f)) print(tostring(f)) print(pcall(function() return f:lines() end)) os.remove("f.txt")
--- files opened wrongly
local f = io.open("f.txt", "w") print(f:read()) f:close() f = io.open("f.txt", "r") print(f:write("x")) f:close() os.remove("f.txt")
--- io.lines of nothing
print(pcall(io.lines, "nothing.txt"))
--- io.input and io.output
local f = io.open("f.txt", "w") f:write("content\n") f:close() io.input("f.txt") print(io.read()) print(io.read()) io.close(io.input()) io.input(io.stdin)
io.output("g.txt") io.write("to file") io.close() io.output(io.stdout) for l in io.lines("g.txt") do print(l) end os.remove("f.txt") os.remove("g.txt")
--- io.write wrongly
print(pcall(io.write, {})) print(pcall(io.write, nil)) io.write(1, " ", 1.5, " ", "x", "\n")
--- read formats that do not exist
print(pcall(io.stdin.read, io.stdin, "*x")) print(pcall(io.stdin.read, io.stdin, "x"))
--- os.remove and os.rename
print(os.remove("nothing")) print(os.rename("nothing", "else")) local f = io.open("f.txt", "w") f:close() print(os.rename("f.txt", "g.txt")) print(os.remove("g.txt"))
--- os.time of a date
print(os.time { year = 2024, month = 2, day = 29, hour = 12, min = 30, sec = 15 }) print(os.time { year = 2024, month = 1, day = 1 }) print(os.time { year = 2024, month = 14, day = -3, hour = 25 })
--- os.time wrongly
print(pcall(os.time, {})) print(pcall(os.time, { year = 2024 })) print(pcall(os.time, 5))
--- os.date in formats
print(os.date("!%Y-%m-%d %H:%M:%S", 0)) print(os.date("!%c", 1709210415)) print(os.date("!%x %X %p %A %a %B %b %d %j %w %y", 1709210415)) print(os.date("!%I %M %U %W %Z %%", 1709210415))
--- os.date as a table
local d = os.date("!*t", 1709210415) print(d.year, d.month, d.day, d.hour, d.min, d.sec, d.wday, d.yday, d.isdst)
--- os.date and os.time agree
local now = os.time() print(os.time(os.date("*t", now)) == now, type(os.date()), os.date("%Y") == tostring(os.date("*t").year))
--- os.clock and os.difftime
print(type(os.clock()), os.difftime(10, 4), os.difftime(5.5, 1))
--- os.getenv
print(os.getenv("HOME") ~= nil, os.getenv("NO_SUCH_VARIABLE"), pcall(os.getenv))
--- os.tmpname
local n = os.tmpname() print(type(n), io.open(n) ~= nil) os.remove(n)
--- os.exit
io.write("before\n") os.exit(3)
--- os.exit in pcall
pcall(os.exit, 4) print("not reached")
--- io.tmpfile
local f = io.tmpfile() f:write("temporary") f:seek("set") print(f:read("*a")) f:close()
--- collectgarbage
print(type(collectgarbage("count")), collectgarbage(), collectgarbage("collect")) print(pcall(collectgarbage, "x"))
--- _VERSION and _G
print(_VERSION, _G._G == _G, type(_G))
--- the arg table
print(arg[0], arg[1], #arg)
