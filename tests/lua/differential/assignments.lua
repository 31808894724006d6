-- Assignments: everything on the right is read before anything on the left is written.
--- swaps of locals
local a, b = 1, 2 a, b = b, a print(a, b) local c = 3 a, b, c = c, a, b print(a, b, c) a, b, c = b, c, a print(a, b, c)
--- swaps of parameters
local function f(a, b) a, b = b, a return a, b end print(f(1, 2)) local function g(a, b, c) c, a = a, c return a, b, c end print(g(1, 2, 3))
--- swaps of upvalues
local a, b = 1, 2 local function swap() a, b = b, a end swap() print(a, b)
--- swaps of globals
A, B = 1, 2 A, B = B, A print(A, B)
--- swaps of fields
local t = { x = 1, y = 2, 3, 4 } t.x, t.y = t.y, t.x t[1], t[2] = t[2], t[1] print(t.x, t.y, t[1], t[2])
--- swaps of mixed targets
local a, t = 1, { x = 2 } a, t.x = t.x, a print(a, t.x) t.x, a = a, t.x print(a, t.x) G = 5 a, G = G, a print(a, G)
--- sums of both
local a, b = 1, 2 a, b = b, a + b print(a, b) a, b = a + b, a print(a, b) a, b = a + b, a - b print(a, b)
--- fibonacci
local a, b = 0, 1 for i = 1, 10 do a, b = b, a + b end print(a, b)
--- the greatest common divisor
local function gcd(a, b) while b ~= 0 do a, b = b, a % b end return a end print(gcd(48, 18), gcd(17, 5))
--- the index is read first
local i, t = 1, {} i, t[i] = i + 1, 20 print(i, t[1], t[2]) local j = 1 t[j], j = "a", 2 print(t[1], j)
--- the table is read first
local t, u = { n = "t" }, { n = "u" } local old = t t, t.n = u, "changed" print(old.n, t.n)
--- too few and too many values
local a, b, c = 1, 2 a, b, c = 9 print(a, b, c) a, b = 1, 2, 3 print(a, b) a, b = b print(a, b)
--- values from calls
local function two() return 1, 2 end local a, b, c a, b, c = 0, two() print(a, b, c) a, b, c = two() print(a, b, c) a, b, c = two(), 5 print(a, b, c) a, b = (two()) print(a, b)
--- values from varargs
local function f(...) local a, b a, b = ... return b, a end print(f(1, 2, 3)) print(f())
--- the same target twice
local a a, a = 1, 2 print(a)
--- calls see the old values
local a = 1 local function get() return a end local b a, b = 2, get() print(a, b)
--- redeclaring
local a, b = 1, 2 local a, b = b, a print(a, b) local a = a + 10 print(a)
--- a table that holds its variable
local t = 5 t = { t, t } print(t[1], t[2]) local u = 1 u = { x = u, y = { u } } print(u.x, u.y[1])
--- a call with its variable
local x = 5 x = tostring(x) print(x, type(x)) x = x:rep(2) print(x) x = (x .. "!"):upper() print(x)
--- a parameter that is assigned a call with itself
local function f(x) x = tostring(x) return x, type(x) end print(f(5))
local function g(a, x) x = tostring(x) .. a return x end print(g("s", 5))
local function h(x) x = { x } return x[1] end print(h(7))
local function k(x) x = x and x + 1 or 0 return x end print(k(1), k(nil))
local function m(s) s = s:upper() return s end print(m("abc"))
local function n(t) t = t.inner.value return t end print(n({ inner = { value = "deep" } }))
local function o(x) x = math.max(x, math.min(x, 2), 1) return x end print(o(5))
local function p(x) x = function() return x end return type(x()) end print(p(1))
local function q(x) x = "<" .. x .. ">" return x end print(q("y"))
local function r(x) x = -x return x end print(r(3))
local function s(x) x = not x return x end print(s(false))
local function u(x) x = #x return x end print(u("four"))
local function v(x) x = x == 1 return x end print(v(1), v(2))
local function w(x) x = x < 3 and x or { x } return type(x) end print(w(1), w(4))
--- logical operators on their variable
local a, b = 1, nil a = b or a print(a) a = a and a + 1 print(a) b = b or a b = b and b * 2 or 0 print(b) a = (a and b) or (b and a) print(a) a = not a or b print(a)
--- logical operators with calls
local function f(x) return x end local a = f(nil) or f(2) a = f(a) and f(a + 1) or f(0) print(a) a = a and f(nil) print(a)
--- comparisons into their variable
local a = 1 a = a == 1 print(a) a = a ~= true print(a) local b = 3 b = b > 2 and b < 5 print(b) b = not (b == true) print(b)
--- nested logical operators
local a, b, c = nil, 2, 3 print((a or b) and c, a and b or c, (a and b) or (b and c), not (a or b) == false, (a == nil and "nil") or b) local x = (a or b) and (b or c) and c print(x)
--- conditions in arguments and tables
local a, b = 1, nil print(a and b, b or a, #{ a or b, a and 2 })
--- a local function sees itself, a function value does not
local f = function(n) return f end print(f() == nil) local function g() return g end print(g() == g)
--- wrapping a global function under its own name
local tostring = function(x) return "<" .. tostring(x) .. ">" end print(tostring(1)) local print = function(...) return print("wrapped", ...) end print(2)
--- wrapping several functions at once
local tostring, type = function(x) return "s" .. tostring(x) end, function(x) return "t" .. type(x) end print(tostring(1), type(1))
--- recursive values in one statement
local t = { f = function(n) return n end } t.f, t.g = t.g, t.f print(t.f, t.g(3))
--- generic for without all three values
for k, v in next, { 10, 20, 30 } do io.write(k, "=", v, " ") end print() for k in next, { a = 1 } do io.write(k, " ") end print()
for k, v, x in next, { 1 } do io.write(k, v, tostring(x), " ") end print() local function it(s, c) if not c then return 1 elseif c < s then return c + 1 end end for i in it, 3 do io.write(i, " ") end print()
--- generic for after other code
do local a, b, c, d, e = 5, 6, 7, 8, 9 local s = a + b + c + d + e end local n = 0 for k, v in next, { 1, 2, 3 } do n = n + v end print(n)
--- generic for with call results
local function args() return { 1, 2 }, nil end local n = 0 for k in next, args() do n = n + k end print(n) for k, v in next, (args()) do n = n + v end print(n) local function all() return next, { 5 } end for k, v in all() do io.write(k, v, "\n") end
--- generic for with an iterator only
local n = 0 for x in function() n = n + 1 if n < 4 then return n end end do io.write(x, " ") end print()
--- generic for with more values than three
for k, v in next, { 1 }, nil, "surplus" do print(k, v) end
--- generic for with nil as state
local n = 3 for i in function(s, c) n = n - 1 if n >= 0 then return n, s end end, nil, nil do io.write(i, " ") end print()
--- nested generic for
local n = 0 for _, a in next, { { 1, 2 }, { 3 } } do for _, b in next, a do n = n + b end end print(n)
--- numeric for over its own variable
local i = 3 for i = i, i + 2 do io.write(i, " ") end print(i)
--- assignments in closures of loops
local fs = {} for i = 1, 3 do local x, y = i, i * 2 x, y = y, x fs[i] = function() x, y = y, x return x, y end end print(fs[1]()) print(fs[1]()) print(fs[3]())
--- deep targets
local t = { a = { b = { 1, 2 } } } t.a.b[1], t.a.b[2] = t.a.b[2], t.a.b[1] print(t.a.b[1], t.a.b[2]) t.a.c, t.a.d = t.a.b, t.a.c print(t.a.c == t.a.b, t.a.d)
--- targets with calls
local n = 0 local t = {} local function at() n = n + 1 return t end at().x, at().y = 1, 2 print(t.x, t.y, n)
--- targets with method results
local o = { v = {} } function o:get() return self.v end o:get().x, o.y = 1, 2 print(o.v.x, o.y)
--- upvalues and locals together
local a = 1 local function f() local b = 2 a, b = b, a return a, b end print(f()) print(a)
--- assigning functions
local f, g f, g = function() return "f" end, function() return f() .. "g" end print(f(), g())
--- varargs into tables
local function f(...) local t = { n = select("#", ...), ... } t.n, t[1] = t[1], t.n return t.n, t[1] end print(f("a", "b"))
--- repeat with locals in its condition
local n = 0 repeat local a, b = n, n + 1 a, b = b, a n = n + 1 until a > 3 print(n)
--- while with a swap
local a, b, n = 10, 3, 0 while b > 0 do a, b, n = b, a % b, n + 1 end print(a, b, n)
--- long expressions
local a, b, c, d = 1, 2, 3, 4 a = a + b * c - d / a ^ b print(a) b = (a + b) * (c - d) % 7 print(b) c = a < b == (c > d) print(c)
--- concatenation into its variable
local s = "a" s = s .. s .. s print(s) s = "<" .. s .. ">" .. #s print(s) local function f(s, n) s = s .. n return s end print(f("x", 1))
--- method calls on their variable
local s = " x " s = s:gsub("^%s+", ""):gsub("%s+$", "") print(s) local t = { next = { next = { v = "end" } } } t = t.next t = t.next print(t.v)
--- linked lists
local list for i = 1, 3 do list = { next = list, value = i } end while list do io.write(list.value, " ") list = list.next end print()
--- a stack of values
local s, n = {}, 0 for i = 1, 3 do n, s[n + 1] = n + 1, i * i end print(n, s[1], s[2], s[3])
--- boolean defaults
local function f(o) o = o or {} local x = o.x == nil and 5 or o.x local y = o.y ~= false return x, y end print(f()) print(f { x = 1, y = false })
--- a variable tested and set
local x = nil if not x then x = x or "set" end print(x) local y = x and #x > 2 and x:sub(1, 1) or "short" print(y)
--- functions that return their assigned parameter
local function f(a, b, c) b = b or a c = c or (a and b) a, c = c, a return a, b, c end print(f(1)) print(f(1, 2)) print(f(nil, 2, 3))
--- vararg functions that assign parameters
local function f(a, ...) a = tostring(a) local b = ... b = { b, a } return b[1], b[2] end print(f(1, 2)) local function g(...) local x = ... x = tostring(x) return x end print(g(5))
