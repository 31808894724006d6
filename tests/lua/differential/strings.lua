-- The string library, without patterns.
--- sub
local s = "hello" print(s:sub(2), s:sub(2, 3), s:sub(-3), s:sub(-3, -2), s:sub(0), s:sub(10), s:sub(2, 1), s:sub(-100, 100))
--- sub with fractions
print(("hello"):sub(1.9, 3.1), ("hello"):sub("2", "3"))
--- len, upper, lower, reverse
print(("Hello"):len(), ("Hello"):upper(), ("Hello"):lower(), ("Hello"):reverse(), (""):reverse(), #"a\0b")
--- upper leaves bytes above ascii alone
print(("\195\164a"):upper() == "\195\164A", ("\228"):lower() == "\228")
--- rep
print(("ab"):rep(3), ("ab"):rep(0), ("ab"):rep(-1), (""):rep(5), ("x"):rep(2.9))
--- byte
print(("ABC"):byte(), ("ABC"):byte(2), ("ABC"):byte(1, 3), ("ABC"):byte(-1), ("ABC"):byte(10), (""):byte())
--- char
print(string.char(72, 105), string.char(), #string.char(0, 255))
print(pcall(string.char, 256)) print(pcall(string.char, -1)) print(pcall(string.char, "x"))
--- methods on literals and numbers
print(("x"):rep(3), (5 .. ""):len(), #tostring(12345), pcall(function() return (5):len() end))
--- format of integers
print(string.format("%d|%5d|%-5d|%05d|%+d|% d", 42, 42, 42, 42, 42, 42))
print(string.format("%d %d", 3.99, -3.99), string.format("%i", 5), string.format("%.3d", 5))
--- format of unsigned and bases
print(string.format("%u %o %x %X %#x %#o", 42, 8, 255, 255, 255, 8), string.format("%x", -1), string.format("%08x", 48879))
--- format of floats
print(string.format("%f %.2f %8.3f %-8.1f| %+.1f %e %.3E", 1.5, 1.239, 3.14159, 2.5, 1, 12345.678, 0.00012))
print(string.format("%g %g %g %g %G", 0.1, 1e20, 100000, 1e6, 1e-10), string.format("%.3g %#g", 1234567, 1))
--- format of infinities
print(string.format("%f %g %.1f %5.1f", 1/0, -1/0, 1/0, -1/0))
--- format of characters and strings
print(string.format("%c%c%c", 76, 117, 97), string.format("%s|%10s|%-10s|%.2s", "a", "right", "left", "cut"))
--- format of quotes
print(string.format("%q", 'he said "hi"\n\\ \r \0 end'))
--- format of a percent sign
print(string.format("100%%"))
--- format of numbers as strings
print(string.format("%s %s %s", 1, 1.5, 1e15), string.format("%d", "42"), string.format("%5.1f", "2.25"))
--- format without enough arguments
print(pcall(string.format, "%d")) print(pcall(string.format, "%s")) print(pcall(string.format, "%d %d", 1))
--- format of the wrong type
print(pcall(string.format, "%d", "x")) print(pcall(string.format, "%d", {})) print(pcall(string.format, "%f", true))
--- format with unknown options
print(pcall(string.format, "%y", 1)) print(pcall(string.format, "%")) print(pcall(string.format, "%10"))
--- format with too much
print(pcall(string.format, "%100d", 1)) print(pcall(string.format, "%.100f", 1)) print(pcall(string.format, "%-+ #0-d", 1))
--- format of long strings
print(#string.format("%s", ("x"):rep(200)), #string.format("%5s", ("x"):rep(200)), #string.format("%.150s", ("x"):rep(200)))
--- format of tables calls __tostring | differs: 5.1 takes only strings and numbers for %s
print(string.format("%s", setmetatable({}, { __tostring = function() return "me" end })))
--- format of nil and booleans | differs: 5.1 takes only strings and numbers for %s
print(string.format("%s %s", nil, true))
--- concatenation
print("a" .. "b" .. "c", 1 .. 2, "x" .. 1.5, ("a" .. "b") .. "c", "" .. "")
--- concatenation of the wrong type
print(pcall(function() return "a" .. nil end))
print(pcall(function() return {} .. "a" end))
print(pcall(function() local x return "a" .. "b" .. x end))
print(pcall(function() local t = {} return "a" .. t.name .. "b" end))
print(pcall(function() return "a" .. undefined_thing end))
print(pcall(function() return true .. "" end))
--- concatenation by metamethods
local mt = { __concat = function(a, b) return "<" .. tostring(type(a)) .. "," .. tostring(type(b)) .. ">" end }
local t = setmetatable({}, mt)
print(t .. "a", "a" .. t, t .. t, "x" .. "y" .. t, t .. "x" .. "y", 1 .. t)
--- concatenation is from the right
local log = {}
local mt = {} mt.__concat = function(a, b) log[#log + 1] = (type(a) == "table" and a.n or a) .. "+" .. (type(b) == "table" and b.n or b) return "r" end
local a, b = setmetatable({ n = "A" }, mt), setmetatable({ n = "B" }, mt)
print("1" .. a .. "2" .. b .. "3", table.concat(log, " "))
--- concatenation of call results
local function two() return "x", "y" end
print("a" .. two(), two() .. "b", (two()) .. (two()), #{ two() .. two() })
--- concatenation of varargs
local function f(...) return "<" .. ... end print(f("a", "b", "c"))
--- concatenation in return
local function f(x) return "a" .. x end print(f(1), select("#", f(1)))
--- concatenation in conditions and tables
local t = { "a" .. 1, k = "b" .. 2, ["c" .. 3] = true } print(t[1], t.k, t.c3, ("a" .. "b") == "ab" and "same")
--- many operands
local t = {} for i = 1, 150 do t[i] = "x" .. i end
print(#(t[1] .. t[2] .. t[3] .. t[4] .. t[5] .. t[6] .. t[7] .. t[8] .. t[9] .. t[10] .. 1 .. 2 .. 3))
--- escapes
print("a\tb\\c\"d\'e", '\65\066\z' == "ABz", #"\0\1\255", "line\
next")
--- long strings
print([[
first newline skipped]], [==[a]]b]=]c]==], #[[

x]])
--- long strings with carriage returns
print(#loadstring("return [[a\r\nb]]")(), loadstring("return [[a\r\nb]]")() == "a\nb") 
--- tostring
print(tostring(nil), tostring(true), tostring("x"), tostring(12), tostring(1.5))
print((tostring({}):gsub("0x%x+", "ADDR")), (tostring(print):gsub("0x%x+", "ADDR"):gsub("builtin", "function")))
--- tostring by metamethods
print(tostring(setmetatable({}, { __tostring = function() return "me" end })))
print(pcall(tostring, setmetatable({}, { __tostring = function() return 1 end })))
print(type(tostring(setmetatable({}, { __tostring = function() return {} end }))))
print(pcall(print, setmetatable({}, { __tostring = function() return {} end })))
print(pcall(tostring))
--- comparison of strings with zeros
print("a\0b" == "a\0b", "a\0b" == "a\0c", "\0" < "a", #"\0\0")
--- strings as table keys
local t = { ["a b"] = 1, [""] = 2, ["\0"] = 3 } print(t["a b"], t[""], t["\0"])
--- string arguments that are numbers
print(string.len(12345), string.rep(1, 3), string.upper(1.5), ("x").rep("y", 2))
--- bad arguments
print(pcall(string.rep)) print(pcall(string.rep, "x")) print(pcall(string.sub)) print(pcall(string.len, nil)) print(pcall(string.upper, {}))
print(pcall(string.byte, true)) print(pcall(string.rep, "x", {}))
--- bad self
print(pcall(function() return ("x"):rep({}) end))
print(pcall(function() return ("x"):bad() end))
print(pcall(function() return ("x").y.z end))
--- string indexing
print(("x").len == string.len, ("x").nothing, pcall(function() local s = "x" s.y = 1 end))
--- getmetatable of strings
print(getmetatable("").__index == string, getmetatable("a") == getmetatable("b"))
--- string.dump
print(pcall(string.dump, print))
--- unfinished strings | differs: syntax errors are in other words
print(loadstring("x = 'abc")) print(loadstring('x = "abc\n"'))  print(loadstring("x = [[abc"))
