-- Patterns: find, match, gmatch, gsub.
--- find
print(("hello"):find("l"), ("hello"):find("xyz"), ("hello"):find(""), ("hello"):find("l", 4), ("hello"):find("l", -2))
--- find beyond the end
print(("abc"):find("", 10), ("abc"):find("", 4), ("abc"):find("a", 10), ("abc"):find("c", -1), ("abc"):find("a", -10))
--- find plain
print(("a.b"):find(".", 1, true), ("a.b"):find("%.", 1, true), ("a+b"):find("+", 1, true), ("x"):find("", 1, true))
--- find with captures
print(("key=val"):find("(%w+)=(%w+)"), ("abc"):find("()b()"))
--- match
print(("hello 42"):match("%d+"), ("hello"):match("(h)(e)"), ("x"):match("y"), ("abc"):match("^b"), ("abc"):match("b", 2))
--- match of positions
print(("hello"):match("()ll()"), ("hello"):match("()"))
--- anchors
print(("abc"):match("^abc$"), ("abcd"):match("^abc$"), ("a^b"):match("a^b"), ("a$b"):match("a$b"), ("abc"):find("^b", 2))
--- classes
print(("aB1 _\t."):gsub("%a", "A"), ("aB1 _\t."):gsub("%d", "D"), ("aB1 _\t."):gsub("%s", "S"), ("aB1 _\t."):gsub("%w", "W"), ("aB1 _\t."):gsub("%p", "P"))
--- more classes
print(("aB1\n"):gsub("%l", "l"), ("aB1\n"):gsub("%u", "u"), ("aF9g"):gsub("%x", "x"), ("a\1b"):gsub("%c", "c"))
--- complement classes
print(("aB1 ."):gsub("%A", "-"), ("aB1 ."):gsub("%D", "-"), ("aB1 ."):gsub("%S", "-"), ("aB1 ."):gsub("%W", "-"), ("aB1 ."):gsub("%P", "-"))
--- sets
print(("abcdef"):gsub("[bd]", "X"), ("abcdef"):gsub("[^bd]", "X"), ("abcdef"):gsub("[b-d]", "X"), ("a-b"):gsub("[a%-]", "X"), ("a]b"):gsub("[]]", "X"))
--- sets with classes
print(("ab1_2"):gsub("[%a_]", "X"), ("ab1_2"):gsub("[^%d]", "X"), ("x-y"):gsub("[x-]", "X"), ("x-y"):gsub("[-y]", "X"))
--- zero bytes
print(#("a\0b\0"):gsub("%z", ""), ("a\0b"):find("%z"), ("a\0b"):find("\0"), ("a\0b"):match("a.b") == "a\0b")
--- repetitions
print(("aaa"):match("a*"), ("aaa"):match("a+"), ("aaa"):match("a-"), ("aaa"):match("a?"), ("bbb"):match("a*"), ("bbb"):match("a+"))
--- lazy repetitions
print(("<a><b>"):match("<.->"), ("<a><b>"):match("<.*>"), ("abcabc"):match("a.-c"))
--- alternatives by optional items
print(("color colour"):gsub("colou?r", "X"), ("1 12 123"):gsub("%d%d?", "N"))
--- balanced
print(("f(a(b)c)d"):match("%b()"), ("[[x]]"):match("%b[]"), ("(()"):match("%b()"), ("abc"):match("%b()"))
--- frontiers
print(("THE (quick) fox"):gsub("%f[%a]%a+", "W"), ("hello world"):find("%f[%w]%w+%f[%W]"), ("aaa"):gsub("%f[%a]", "|"))
--- back references
print(("abab"):match("(ab)%1"), ([["x" 'y']]):match([[(["'])(.-)%1]]), ("abcabd"):match("(ab)c%1"))
--- nested captures
print(("2024-05-06"):match("((%d+)-(%d+))-(%d+)"), ("ab"):match("((a)(b))"))
--- gsub with strings
print(("hello world"):gsub("o", "0"), ("hello"):gsub("", "-"), ("hello"):gsub("l+", "L"), ("abc"):gsub("%w", "%0%0"))
--- gsub with captures
print(("hello world"):gsub("(%w+) (%w+)", "%2 %1"), ("abc"):gsub("(a)", "[%1]"), ("abc"):gsub("a", "%1"))
--- gsub with a percent sign
print(("5"):gsub("5", "%%"), ("5"):gsub("5", "100%%"))
--- gsub with other escapes
print(("abc"):gsub("b", "%x"), ("abc"):gsub("b", "%."))
--- gsub with tables
print(("$name is $age"):gsub("%$(%w+)", { name = "Bob", age = 42 }), ("abc"):gsub("%w", { a = "1", b = true and "2", c = false }))
--- gsub with functions
print(("hello"):gsub("l", function(c) return c:upper() end), ("abc"):gsub("%w", function(c) if c == "b" then return nil end return c .. c end))
--- gsub with several captures for a function
print(("k=v, x=y"):gsub("(%w)=(%w)", function(a, b) return b .. "=" .. a end))
--- gsub with a function that returns numbers and false
print(("abc"):gsub("%w", function(c) if c == "a" then return 1 elseif c == "b" then return false end end))
--- gsub with a limit
print(("aaaa"):gsub("a", "b", 2), ("aaaa"):gsub("a", "b", 0), ("aaaa"):gsub("a", "b", -1), ("aaaa"):gsub("a", "b", 100))
--- gsub anchored
print(("aaa"):gsub("^a", "b"), ("aaa"):gsub("a$", "b"), ("aaa"):gsub("^b", "c"))
--- gsub of empty matches
print(("abc"):gsub("x*", "-"), ("abc"):gsub("b*", "-"), (""):gsub("", "x"), (""):gsub("a", "x"))
--- gsub with wrong replacements
print(pcall(string.gsub, "abc", "a")) print(pcall(string.gsub, "abc", "a", nil)) print(pcall(string.gsub, "abc", "a", true))
--- gsub with wrong results
print(pcall(string.gsub, "abc", "a", function() return {} end))
print(pcall(string.gsub, "abc", "a", { a = true }))
--- gsub with a wrong capture
print(pcall(string.gsub, "abc", "a", "%2"))
print(pcall(string.gsub, "abc", "(a)", "%2"))
--- gsub with a table that has __index
print(("abc"):gsub("%w", setmetatable({}, { __index = function(_, k) return k:upper() end })))
--- gsub with errors in the function
print(pcall(string.gsub, "abc", "a", function() error("inside", 0) end))
print(pcall(string.gsub, "abc", "a", function() error("inside") end))
--- gmatch
for w in ("one two three"):gmatch("%a+") do io.write(w, ",") end print()
--- gmatch with captures
for k, v in ("a=1, b=2"):gmatch("(%w+)=(%w+)") do io.write(k, ":", v, " ") end print()
--- gmatch of empty matches
local n = 0 for p in ("abc"):gmatch("()") do io.write(p, " ") end print()
for x in ("abc"):gmatch("b*") do io.write("[", x, "]") end print()
--- gmatch with an anchor
local n = 0 for w in ("^a^a"):gmatch("^a") do n = n + 1 end print(n)
--- gmatch collects
local t = {} for n in ("1,22,333"):gmatch("%d+") do t[#t + 1] = n end print(#t, t[1], t[2], t[3])
--- gmatch after its end
local f = ("a"):gmatch("a") print(f(), f(), f())
--- malformed patterns
for _, p in ipairs { "[a", "[]", "[^]", "%", "(a", "a)", "%b", "%bx", "%f", "%1", "(()", "[a%" } do
  print(p, pcall(string.find, "a]b", p))
end
--- too many captures
print(pcall(string.find, "a", ("()"):rep(33))) print(select("#", ("a"):find(("()"):rep(32))))
--- special characters by themselves
print(("a.b*c"):gsub("[.*]", "X"), ("a%b"):gsub("%%", "X"), ("(x)"):gsub("[()]", ""), ("a-b"):gsub("%-", "+"))
--- patterns with numbers
print(("a1b"):find(1), (12345):rep(1) == nil or ("12345"):match(3), ("a5"):gsub(5, 6))
--- trimming
print(("  x y  "):match("^%s*(.-)%s*$") .. "|", (("  x  "):gsub("^%s+", "")) .. "|")
--- splitting
local t = {} for f in ("a,b,,c"):gmatch("([^,]*),?") do t[#t + 1] = "<" .. f .. ">" end print(table.concat(t))
--- a csv line
for a, b in ('x = "1" y = "2"'):gmatch('(%w+) = "(%w+)"') do io.write(a, b, ";") end print()
--- url decoding
print((("a%20b%2Fc"):gsub("%%(%x%x)", function(h) return string.char(tonumber(h, 16)) end)))
--- capitalising
print((("the quick fox"):gsub("(%a)(%w*)", function(a, b) return a:upper() .. b end)))
--- longest first
print(("aXb"):match("%u"), ("aab"):match("a-b"), ("aab"):match("^(a*)(a?)b"), ("xaab"):match("(a+)(a+)b"))
--- a pattern that fails late
print(("a"):rep(30):match("a-a-a-b"))
--- string.find in bytes above ascii
print(("\228\246\252"):find("\246"), ("\228"):match("%a"), ("\228"):match("[\200-\255]") == "\228")
--- init as text
print(("hello"):find("l", "4"), pcall(string.find, "hello", "l", "x"))
--- missing arguments
print(pcall(string.find, "a")) print(pcall(string.match)) print(pcall(string.gmatch, "a")) print(pcall(string.gsub, "a"))
