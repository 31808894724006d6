-- Metatables.
--- __index as a table
local t = setmetatable({ a = 1 }, { __index = { a = 2, b = 3 } }) print(t.a, t.b, t.c)
--- __index as a function
local t = setmetatable({}, { __index = function(t, k) return k .. "!" end }) print(t.x, t[1], rawget(t, "x"))
--- __index chains
local a = { x = 1 } local b = setmetatable({ y = 2 }, { __index = a }) local c = setmetatable({}, { __index = b }) print(c.x, c.y, c.z)
--- __newindex as a function
local log = {} local t = setmetatable({ old = 1 }, { __newindex = function(t, k, v) log[#log + 1] = k rawset(t, k, v) end }) t.new = 1 t.old = 2 t.new = 3 print(table.concat(log, ","), t.new, t.old)
--- __newindex as a table
local store = {} local t = setmetatable({}, { __newindex = store }) t.x = 1 print(rawget(t, "x"), store.x)
--- __call
local t = setmetatable({}, { __call = function(self, a, b) return a, b, self ~= nil end }) print(t(1, 2)) print(pcall(t, 3))
--- __call through __call
local f = setmetatable({}, { __call = function(_, x) return x end }) local g = setmetatable({}, { __call = f }) print(pcall(g, 1))
--- arithmetic
local mt = {} for _, op in ipairs { "add", "sub", "mul", "div", "mod", "pow" } do mt["__" .. op] = function(a, b) return op .. (type(a) == "table" and "T" or a) .. (type(b) == "table" and "T" or b) end end mt.__unm = function(a) return "unm" end
local t = setmetatable({}, mt) print(t + 1, 1 + t, t - t, t * 2, 2 / t, t % 2, t ^ 2, -t)
--- arithmetic with strings
local t = setmetatable({}, { __add = function(a, b) return "sum" end }) print(t + "x", "x" + t, t + "5")
--- arithmetic from the second operand
local a, b = {}, setmetatable({}, { __add = function() return "b" end }) print(a + b, b + a)
--- __eq
local mt = { __eq = function(a, b) return a.v == b.v end } local a, b, c = setmetatable({ v = 1 }, mt), setmetatable({ v = 1 }, mt), setmetatable({ v = 2 }, mt) print(a == b, a == c, a ~= b, a == 1, rawequal(a, b))
--- __eq needs one function
local a, b = setmetatable({}, { __eq = function() return true end }), setmetatable({}, { __eq = function() return true end }) print(a == b)
--- __lt and __le
local mt = { __lt = function(a, b) return a.v < b.v end, __le = function(a, b) return a.v <= b.v end } local a, b = setmetatable({ v = 1 }, mt), setmetatable({ v = 2 }, mt) print(a < b, a > b, a <= b, a >= b, a <= a)
--- __le by __lt
local mt = { __lt = function(a, b) return a.v < b.v end } local a, b = setmetatable({ v = 1 }, mt), setmetatable({ v = 2 }, mt) print(a <= b, b <= a, a >= b)
--- comparison results are booleans
local mt = { __lt = function() return 1 end, __eq = function() return nil end } local a, b = setmetatable({}, mt), setmetatable({}, mt) print(a < b, a == b)
--- comparison with unlike things
local t = setmetatable({}, { __lt = function() return true end }) print(pcall(function() return t < 1 end)) print(pcall(function() return 1 < t end))
--- __concat
local t = setmetatable({}, { __concat = function(a, b) return "cat" end }) print(t .. 1, 1 .. t, t .. t)
--- __tostring
local t = setmetatable({}, { __tostring = function() return "T!" end }) print(t, tostring(t))
--- __metatable
local t = setmetatable({}, { __metatable = "locked" }) print(getmetatable(t), pcall(setmetatable, t, {}))
--- getmetatable and setmetatable
local mt = {} local t = setmetatable({}, mt) print(getmetatable(t) == mt, getmetatable({}), getmetatable(1), setmetatable(t, nil) == t, getmetatable(t))
--- setmetatable wrongly
print(pcall(setmetatable, 1, {})) print(pcall(setmetatable, {})) print(pcall(setmetatable, {}, 1)) print(pcall(getmetatable))
--- __len is for userdata only | differs: tables have it too
local t = setmetatable({ 1, 2 }, { __len = function() return 42 end }) print(#t)
--- inheritance
local Animal = {} Animal.__index = Animal function Animal.new(n) return setmetatable({ name = n }, Animal) end function Animal:speak() return self.name .. " speaks" end
local Dog = setmetatable({}, { __index = Animal }) Dog.__index = Dog function Dog.new(n) local d = Animal.new(n) return setmetatable(d, Dog) end function Dog:bark() return self.name .. " barks" end
local d = Dog.new("Rex") print(d:speak(), d:bark(), getmetatable(d) == Dog)
--- overriding
local A = {} A.__index = A function A:f() return "A" end local B = setmetatable({}, { __index = A }) B.__index = B function B:f() return "B" .. A.f(self) end print(setmetatable({}, B):f())
--- read-only tables
local t = setmetatable({}, { __index = { x = 1 }, __newindex = function(_, k) error("read-only " .. k, 0) end }) print(t.x, pcall(function() t.y = 1 end))
--- default values
local t = setmetatable({}, { __index = function() return 0 end }) t.a = t.a + 1 t.b = t.b + 5 print(t.a, t.b, t.c)
--- proxies
local log = {} local real = { a = 1 } local p = setmetatable({}, { __index = function(_, k) log[#log + 1] = "r" .. k return real[k] end, __newindex = function(_, k, v) log[#log + 1] = "w" .. k real[k] = v end }) p.b = p.a print(real.b, table.concat(log, " "))
--- errors in metamethods
local t = setmetatable({}, { __index = function(_, k) error("no " .. k, 0) end, __add = function() error("add", 0) end }) print(pcall(function() return t.x end)) print(pcall(function() return t + 1 end))
--- indexing through what cannot be indexed
local t = setmetatable({}, { __index = 5 }) print(pcall(function() return t.x end))
--- loops in __index
local a, b = {}, {} setmetatable(a, { __index = b }) setmetatable(b, { __index = a }) print(pcall(function() return a.x end))
--- several results of metamethods are cut
local t = setmetatable({}, { __index = function() return 1, 2 end, __add = function() return 3, 4 end }) print(t.x, t + 1)
--- __call with several results
local t = setmetatable({}, { __call = function(self, ...) return ... end }) print(t(1, 2, 3)) print((t(1, 2)))
--- tail call of a callable
local t = setmetatable({}, { __call = function(self, x) return x * 2 end }) local function f(x) return t(x) end print(f(21))
--- metatables of globals
setmetatable(_G, { __index = function(_, k) return "undefined " .. k end }) print(nothing) setmetatable(_G, nil) print(nothing)
--- strict globals
setmetatable(_G, { __newindex = function(_, k) error("assignment to " .. k, 2) end }) print(pcall(function() undeclared = 1 end))
--- __mod and __pow of numbers stay
print(5 % 3, 2 ^ 3)
--- a vector
local V = {} V.__index = V V.__add = function(a, b) return setmetatable({ x = a.x + b.x }, V) end V.__eq = function(a, b) return a.x == b.x end V.__unm = function(a) return setmetatable({ x = -a.x }, V) end V.__lt = function(a, b) return a.x < b.x end
local a, b = setmetatable({ x = 1 }, V), setmetatable({ x = 2 }, V) print((a + b).x, (-a).x, a < b, a + a == b)
