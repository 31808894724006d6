-- Conditions, logical operators and jumps.
--- logical operators into their own variable
local a, b, c = 5, nil, 7
local function id(...) return ... end
local x = not a and c print(x)
x = 1 x = not a and c print(x)
local function r() return not a and c end print(r())
print(not a and c, not b and c, not a or c, not b or c)
local t = {} t.x = not a and c print(t.x) t = { not a and c, y = not a and 1 } print(t[1], t.y)
g = 3 g = not a and c print(g)
local up = 1 local function s() up = not a and c end s() print(up)
x = 1 x = not a and 2 print(x) x = 1 x = not a and "s" print(x) x = 1 x = not a and nil print(x) x = 1 x = not a and {} print(x) x = 1 x = not a and id(2) print(x)
x = 1 x = not b or 2 print(x) x = 1 x = not b or id(2) print(x) x = 1 x = not b or c print(x)
x = 1 x = not b and not a and c print(x)
x = 1 x = (not a and c) or 9 print(x) x = 1 x = (not a or c) and 9 print(x) x = 1 x = c and not a and 3 print(x)
x = 1 x = not a and not c print(x) x = 1 x = not not a and c print(x) x = 1 x = not (a == 5) and c print(x) x = 1 x = not (a and c) and 4 print(x)
x = 1 x = a == 9 and c print(x) x = 1 x = a ~= 5 and c print(x) x = 1 x = a > 9 and c print(x) x = 1 x = a == 5 or c print(x) x = 1 x = a < 9 or c print(x)
x = 1 x = nil and c print(x) x = 1 x = false and c print(x) x = 1 x = true and c print(x) x = 1 x = true or c print(x) x = 1 x = nil or c print(x) x = 1 x = 0 and c print(x) x = 1 x = "" or c print(x)
x = 1 x = c and nil print(x) x = 1 x = c and false print(x) x = 1 x = c and true print(x) x = nil x = b or false print(x) x = 1 x = b and true print(x) x = 1 x = b or nil print(x)
x = 1 x = #"ab" and c print(x) x = 1 x = -a and c print(x) x = 1 x = a + 1 and c print(x) x = 1 x = b and b + 1 print(x)
x = 1 x = x and not x print(x) x = 1 x = not x and x print(x) x = nil x = not x and 5 print(x) x = nil x = not x or x print(x)
--- constant conditions
if 0 then print("zero") else print("no") end
if "x" then print("s") end
if "" then print("e") else print("no") end
if nil then print("no") else print("nil") end
if not 0 then print("no") else print("not") end
if not nil then print("yes") end
if not false then print("yes2") end
if not true then print("no") end
if {} then print("table") end
if function() end then print("function") end
if 0 then print("a") elseif 1 then print("b") end
local n = 0 while 1 do n = n + 1 if n > 2 then break end end print(n)
n = 0 while "x" do n = n + 1 if n > 2 then break end end print(n)
n = 0 while not nil do n = n + 1 if n > 2 then break end end print(n)
n = 0 while 0 do n = n + 1 if 1 then break end end print(n)
n = 0 repeat n = n + 1 until 1 print(n)
n = 0 repeat n = n + 1 if n > 3 then break end until nil print(n)
n = 0 repeat n = n + 1 if n > 3 then break end until false print(n)
n = 0 repeat n = n + 1 until "x" print(n)
for i = 1, 3 do if 0 then break end print("never") end
for k in pairs({ 1 }) do if 0 then break end print("never") end
for k in pairs({ 1 }) do if "x" then break end print("never") end
for k in pairs({ 1 }) do if true then break end print("never") end
for k in pairs({ 1 }) do if k then break end print("never") end
for k in pairs({ 1 }) do if 0 then break else print("x") end print("never") end
for k in pairs({ 1 }) do if not nil then break end print("never") end
for k in pairs({ 1 }) do if 1 == 1 then break end print("never") end
for i = 1, 2 do if 0 then break end local z = i end
print(0 and 1, 0 or 1, "" and 1, nil and 1, nil or 1, not 0, not "", not nil)
print(1 and 2 and 3, nil and 2 or 3, false or nil, nil or false, 1 and nil, 1 and false)
if 0 and nil then print("no") else print("else") end
if nil or 0 then print("yes") else print("no") end
if (0) then print("paren") end
local function f() if 0 then return 1 end return 2 end print(f())
local function g() while 1 do return 1 end end print(g())
local function h(x) if x and 0 then return "a" end return "b" end print(h(1), h(nil))
--- logical operators into fresh variables
local a, b, c = 5, nil, 7
for i = 1, 3 do local x = not a and c print(x) x = 9 end
for i = 1, 2 do local y = 8 do local z = 9 end local x = not a and c print(x) end
for i = 1, 2 do local x, y = not a and c, not b or c print(x, y) x, y = 5, 6 end
local function f(x) x = not x and 5 return x end print(f(1), f(nil), f(false))
local function g(x, y) y = not x or y return y end print(g(1, 2), g(nil, 2))
local function h(x) if not x and 5 then return "t" end return "f" end print(h(1), h())
--- loops that break at once
for k in pairs({ 1 }) do break end print("after1")
for i = 1, 3 do break end print("after2")
for i = 1, 3 do do break end print("never") end print("after3")
while true do break end print("after4")
repeat do break end until false print("after5")
for k in pairs({ 1 }) do if k then break end end print("after6")
for k in pairs({ 1 }) do do break end print("never") end
for k in pairs({ 1 }) do do break end print("never") end
print("after7")
--- endless loops that break
local n = 0 while true do n = n + 1 if n > 2 then break end end print(n)
n = 0 repeat n = n + 1 until true print(n)
n = 0 while true do n = n + 1 do break end end print(n)
n = 0 while true do n = n + 1 do break end end
n = 0 repeat n = n + 1 if n > 3 then break end until false print(n)
print("end")
--- false first operands of and
local function id(x) return x end local x = 1 x = id(false) and 2 print(x) x = 1 x = id(nil) and 2 print(x) x = 1 x = id(3) and id(nil) and 4 print(x) x = 1 x = (id(false) or id(nil)) and 5 print(x)
local t = { f = false } x = 1 x = t.f and 2 print(x) x = 1 x = t.g and t.g.h print(x) x = 1 x = t[1] or t.f print(x) x = 1 x = #t > 0 and t[1] print(x) x = 1 x = not t and t.f or 6 print(x)
