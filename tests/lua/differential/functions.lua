-- Functions, scopes, closures, control flow.
--- several results
local function f() return 1, 2, 3 end print(f()) print((f())) print(f(), f()) print(f(), 10)
--- missing and surplus arguments
local function f(a, b) return a, b end print(f()) print(f(1)) print(f(1, 2, 3))
--- varargs
local function f(...) local a, b = ... return select("#", ...), a, b end print(f()) print(f(nil)) print(f(nil, nil)) print(f(1, 2, 3))
--- varargs in the middle
local function f(...) return ..., "end" end print(f(1, 2)) local function g(...) return (...) end print(g(1, 2))
--- varargs of the main chunk
print(select("#", ...))
--- the old arg table
local function f(...) return arg and arg.n end print(f(1, 2, 3))
--- select
print(select(1, "a", "b"), select(2, "a", "b"), select(-1, "a", "b"), select("#"), select("#", nil, nil)) print(select(3, "a", "b"))
--- select wrongly
print(pcall(select, 0, 1)) print(pcall(select, -5, 1)) print(pcall(select)) print(pcall(select, "x"))
--- closures share variables
local function counter() local n = 0 return function() n = n + 1 return n end, function() return n end end
local inc, get = counter() inc() inc() print(get()) local inc2, get2 = counter() inc2() print(get2(), get())
--- closures in loops are separate
local t = {} for i = 1, 3 do local j = i * 10 t[i] = function() j = j + 1 return i, j end end print(t[1]()) print(t[1]()) print(t[3]())
--- closures in while loops
local t, i = {}, 1 while i <= 3 do local k = i t[i] = function() return k end i = i + 1 end print(t[1](), t[2](), t[3]())
--- closures in repeat
local fs = {} local i = 0 repeat local x = i fs[#fs + 1] = function() return x end i = i + 1 until x >= 2 print(fs[1](), fs[2](), fs[3]())
--- closures of loops that break
local f for i = 1, 5 do local j = i if i == 3 then f = function() return j end break end end print(f())
--- closures after goto-less continue
local fs = {} for i = 1, 4 do if i % 2 == 0 then fs[#fs + 1] = function() return i end end end print(fs[1](), fs[2]())
--- deep upvalues
local a = 1 local function f() local function g() local function h() a = a + 1 return a end return h end return g end print(f()()(), a)
--- recursion
local function fact(n) if n <= 1 then return 1 end return n * fact(n - 1) end print(fact(10), fact(20))
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end print(fib(20))
--- mutual recursion
local even, odd function even(n) if n == 0 then return true end return odd(n - 1) end function odd(n) if n == 0 then return false end return even(n - 1) end print(even(101))
--- tail calls do not use the stack
local function loop(n) if n == 0 then return "done" end return loop(n - 1) end print(loop(100000))
--- tail calls of methods
local o = {} function o:loop(n) if n == 0 then return self == o end return self:loop(n - 1) end print(o:loop(50000))
--- methods
local o = { n = 5 } function o:get(x) return self.n + (x or 0) end function o.static(x) return x end print(o:get(), o:get(1), o.get(o), o.static(7))
--- methods in nested tables
local a = { b = {} } function a.b.f(x) return x * 2 end function a.b:g() return self == a.b end print(a.b.f(4), a.b:g())
--- calls without parentheses
local function f(x) return type(x) == "table" and #x or x end print(f "str", f { 1, 2 }, f [[long]])
--- chained calls
local o = {} function o.f() return o end function o:g(x) return x end print(o.f().f():g(3), (function() return 4 end)())
--- and, or, not
print(nil and 1, false or 2, 1 and 2, nil or false, not nil, not 0, false == nil, 1 and nil or 3)
--- short circuits
local n = 0 local function f() n = n + 1 return true end local _ = true or f() local _ = false and f() print(n)
--- conditions
local function t(x) if x then return "T" else return "F" end end print(t(0), t(""), t({}), t(nil), t(false), t(true))
--- elseif
local function f(x) if x < 0 then return "neg" elseif x == 0 then return "zero" elseif x < 10 then return "small" else return "big" end end print(f(-1), f(0), f(5), f(50))
--- while and break
local i = 0 while true do i = i + 1 if i > 5 then break end end print(i)
--- repeat sees its locals
local i = 0 repeat local done = i >= 3 i = i + 1 until done print(i)
--- nested breaks
for i = 1, 3 do for j = 1, 3 do if j == 2 then break end io.write(i, j, " ") end end print()
--- blocks hide names
local x = 1 do local x = 2 print(x) end print(x) local x = x + 10 print(x)
--- local functions see themselves
local function f(n) return n > 0 and f(n - 1) or "end" end print(f(3)) local g = function(n) return g end print(g())
--- globals
x = 5 print(x, _G.x, _G["x"]) _G.y = 6 print(y) x = nil print(x, rawget(_G, "x"))
--- multiple assignment
local a, b, c = 1, 2 print(a, b, c) a, b = b, a print(a, b) local d, e = (function() return 1, 2 end)() print(d, e)
--- assignment evaluates first
local a = { 1, 2, 3 } local i = 1 i, a[i] = 2, "x" print(i, a[1], a[2])
--- generic for with a stateless iterator
local function range(n) return function(n, i) if i < n then return i + 1 end end, n, 0 end for i in range(4) do io.write(i, " ") end print()
--- generic for with a closure
local function list(t) local i = 0 return function() i = i + 1 return t[i] end end for v in list { "a", "b" } do io.write(v, " ") end print()
--- generic for with several values
for a, b, c in (function() local n = 0 return function() n = n + 1 if n < 3 then return n, n * 2, n * 3 end end end)() do io.write(a, b, c, " ") end print()
--- generic for with what cannot be called
print(pcall(function() for x in 5 do end end)) print(pcall(function() for x in nil do end end))
--- generic for over next
local s = 0 for k, v in next, { 1, 2, 3 } do s = s + v end print(s)
--- generic for with __call
local it = setmetatable({ n = 0 }, { __call = function(self) self.n = self.n + 1 if self.n <= 3 then return self.n end end }) for x in it do io.write(x, " ") end print()
--- comments
-- one line
--[[ several
lines ]] print(1) --[==[ with ]] inside ]==] print(2) ---[[ not long
print(3)
--- semicolons
local a = 1; local b = 2; print(a + b);
--- names
local _, _x, x1, And, END = 1, 2, 3, 4, 5 print(_, _x, x1, And, END)
--- many locals
local s = "" for i = 1, 150 do s = s .. "local v" .. i .. " = " .. i .. "\n" end print(loadstring(s .. "return v1 + v150")())
--- too many locals
local s = "" for i = 1, 250 do s = s .. "local v" .. i .. " = " .. i .. "\n" end print(type(loadstring(s)))
--- deep nesting
local s = ("("):rep(100) .. "1" .. (")"):rep(100) print(loadstring("return " .. s)())
--- functions compared
local f = function() end print(f == f, f == function() end, print == print)
--- type | differs: functions of the host may be coroutines
print(type(nil), type(1), type("x"), type({}), type(print), type(function() end), type(true), type(coroutine.create(print)))
--- type wrongly
print(pcall(type))
--- unpack of arguments
local function f(...) return unpack({ ... }, 1, select("#", ...)) end print(f(1, nil, 3))
--- default arguments
local function f(x, y) x = x or 10 y = y == nil and true or y return x, y end print(f()) print(f(1, false))
--- memoize
local function memo(f) local c = {} return function(x) if c[x] == nil then c[x] = f(x) end return c[x] end end local n = 0 local f = memo(function(x) n = n + 1 return x * x end) print(f(4), f(4), n)
--- currying
local function add(a) return function(b) return function(c) return a + b + c end end end print(add(1)(2)(3))
--- returning nothing
local function f() end print(f()) print((f())) print(select("#", f()), select("#", (f())))
--- return in the middle of a block
local function f() do return 1 end end print(f()) local function g(x) if x then return "yes" end return "no" end print(g(true), g(false))
--- numeric for keeps its bounds
local n = 3 for i = 1, n do n = 10 io.write(i, " ") end print(n)
--- relational operators give booleans
print(1 == 1, "a" == "a", 1 ~= 1, not (1 == 2))
--- line numbers in functions
local function f()
  return debug.getinfo(1, "l").currentline
end
print(f())
--- debug.getinfo
local function f() return debug.getinfo(1, "n").name, debug.getinfo(1, "S").short_src, debug.getinfo(f, "S").what end
local a, b, c = f() print(a, b, c, debug.getinfo(print).what, debug.getinfo(f, "S").linedefined)
