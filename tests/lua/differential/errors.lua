-- Errors: what they say and how they travel.
--- error with a string
print(pcall(error, "msg")) print(pcall(function() error("msg") end)) print(pcall(function() error("msg", 0) end))
--- error with levels
local function f() error("one", 1) end local function g() error("two", 2) end
print(pcall(f))
print(pcall(function()
  g()
end))
--- error with other values
print(pcall(error, nil)) print(pcall(error)) print(pcall(error, 42)) print(pcall(error, true)) local t = {} print(select(2, pcall(error, t)) == t)
--- error numbers become no strings
print(type(select(2, pcall(error, 42))))
--- assert
print(pcall(assert, false)) print(pcall(assert, nil, "msg")) print(pcall(assert, false, "msg", 1)) print(assert(1, 2, 3)) print(pcall(assert))
--- pcall
print(pcall(function() return 1, 2 end)) print(pcall(pcall, error, "x")) print(pcall()) 
--- pcall of what cannot be called
print(pcall(nil)) print(pcall(5)) print(pcall({})) print(pcall("x"))
--- pcall passes arguments
print(pcall(function(...) return select("#", ...), ... end, 1, nil, 3))
--- pcall of callables
print(pcall(setmetatable({}, { __call = function(_, x) return x end }), 7))
--- nested pcall
print(pcall(function() local ok, e = pcall(error, "in", 0) error("out:" .. e, 0) end))
--- xpcall
print(xpcall(function() return 1, 2 end, print)) print(xpcall(function() error("e", 0) end, function(m) return "handled " .. m end))
--- xpcall with arguments | differs: arguments are passed on, as later versions do
print(xpcall(function(...) return select("#", ...) end, print, 1, 2))
--- xpcall with an error in its handler
print(xpcall(function() error("a", 0) end, function() error("b", 0) end))
--- xpcall sees other values
print(xpcall(function() error({ code = 1 }) end, function(e) return e.code end))
--- xpcall and the stack
local function f() error("deep") end
print(xpcall(f, function(m) return (debug.traceback(m, 1):match("in function 'error'")) end))
--- calling nil
print(pcall(function() local f f() end)) print(pcall(function() undefined_function() end)) print(pcall(function() local t = {} t.x() end)) print(pcall(function() local t = {} t:m() end))
print(pcall(function() local t = { a = {} } t.a.b() end)) print(pcall(function() (nil)() end))
--- calling other things
print(pcall(function() local x = 5 x() end)) print(pcall(function() local s = "x" s() end)) print(pcall(function() local t = {} t() end)) print(pcall(function() return (true)() end))
--- calling upvalues
local up print(pcall(function() up() end)) local n = 5 print(pcall(function() return n() end))
--- indexing nil
print(pcall(function() local t return t.x end)) print(pcall(function() return undefined_table.x end)) print(pcall(function() local t = {} return t.a.b end)) print(pcall(function() local t t.x = 1 end)) print(pcall(function() local t = {} t.a.b = 1 end))
--- indexing nil with variables
print(pcall(function() local t, k = nil, "x" return t[k] end)) print(pcall(function() local t = { {} } return t[1][2][3] end)) print(pcall(function() local t = {} return t[1].x end))
--- indexing upvalues
local up print(pcall(function() return up.x end)) print(pcall(function() up.x = 1 end))
--- indexing other things
print(pcall(function() local n = 5 return n.x end)) print(pcall(function() local b = true return b.x end)) print(pcall(function() return print.x end)) print(pcall(function() local f = print f.x = 1 end))
--- indexing call results
print(pcall(function() local function f() end return f().x end)) print(pcall(function() return tostring(1).x.y end))
--- arithmetic on nil
print(pcall(function() local x return x + 1 end)) print(pcall(function() local x return 1 + x end)) print(pcall(function() return undefined_number * 2 end)) print(pcall(function() local t = {} return t.n - 1 end)) print(pcall(function() local t = {} return 2 ^ t.n end))
--- arithmetic on other things
print(pcall(function() local x = {} return x + 1 end)) print(pcall(function() local x = true return x / 2 end)) print(pcall(function() return print % 2 end)) print(pcall(function() local s = "x" return s * 2 end))
--- arithmetic on upvalues
local up print(pcall(function() return up + 1 end)) print(pcall(function() up = up - 1 end))
--- arithmetic on fields of upvalues
local up = {} print(pcall(function() up.n = up.n + 1 end)) print(pcall(function() return -up.n end)) print(pcall(function() return #up.n end))
--- arithmetic with constants
print(pcall(function() local x return x + 1, 2 end)) print(pcall(function() local x return 5 * x end))
--- concatenation
print(pcall(function() local x return "a" .. x end)) print(pcall(function() local x = {} return x .. "a" end)) print(pcall(function() local t = {} return "a" .. t.b .. "c" end)) local up print(pcall(function() return "x" .. up end))
--- comparison
print(pcall(function() return 1 < nil end)) print(pcall(function() return {} < 1 end)) print(pcall(function() return "a" < 1 end)) print(pcall(function() return {} < {} end)) print(pcall(function() return nil <= nil end))
--- bad arguments name function and argument
print(pcall(function() string.rep() end)) print(pcall(function() ("x"):rep() end)) print(pcall(function() table.concat({}, {}) end)) print(pcall(function() setmetatable(1) end)) print(pcall(function() tonumber() end)) print(pcall(function() ipairs() end))
--- bad arguments of methods
print(pcall(function() ("x"):rep("y") end)) print(pcall(function() ("x"):sub() end)) print(pcall(function() local s = string s.len() end)) print(pcall(function() string.len(nil) end))
--- errors through several functions
local function a() error("bottom") end local function b() a() end local function c() b() end print(pcall(c))
--- errors through C functions
print(pcall(table.sort, { 2, 1 }, function() error("cmp", 0) end)) print(pcall(string.gsub, "a", "a", function() error("repl", 0) end)) print(pcall(function() for _ in function() error("iter", 0) end do end end))
--- error objects keep their identity
local e = setmetatable({}, { __tostring = function() return "E" end }) local ok, got = pcall(function() error(e) end) print(got == e, tostring(got))
--- rethrowing
local e = {} local ok, got = pcall(function() local _, inner = pcall(error, e) error(inner) end) print(got == e)
--- rethrowing strings adds no position with level zero
print(pcall(function() local _, m = pcall(error, "m") error(m, 0) end))
--- variables after errors
local n = 0 local function inc() n = n + 1 end for i = 1, 3 do pcall(function() inc() error("x") end) end print(n) inc() print(n)
--- variables of outer functions after errors
local function outer() local v = 1 local function set(x) v = x end local function get() return v end pcall(function() set(2) error("e") end) set(3) v = v + 1 return v, get() end print(outer())
--- loops and errors
local t = {} for i = 1, 5 do local ok, e = pcall(function() if i % 2 == 0 then error(i, 0) end return i end) t[#t + 1] = tostring(ok) .. tostring(e) end print(table.concat(t, " "))
--- stack overflow
local function f() return f() + 1 end local ok, m = pcall(f) print(ok, m:match("stack overflow"))
--- stack overflow in a metamethod
local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k .. "x"] end local ok, m = pcall(function() return t.a end) print(ok, m:match("overflow"))
--- recovery from stack overflow
local function f() return f() + 1 end for i = 1, 3 do pcall(f) end print("fine", pcall(function() return 1 end))
--- errors while compiling
print(loadstring("x =") == nil, loadstring("for") == nil, (loadstring("x = 1 1"))) print(loadstring("return 1")())
--- error positions in several lines | differs: an expression over several lines has the line where it begins
print(pcall(function()
  local x = 1
  local y = nil
  return x +
    y
end))
--- error positions of calls in arguments | differs: an expression over several lines has the line where it begins
print(pcall(function()
  print(
    tostring(1),
    undefined_thing.x
  )
end))
--- errors with percent signs
print(pcall(error, "100% %d %s", 0)) print(pcall(function() error("50%") end))
--- errors with zero bytes and newlines
local ok, m = pcall(error, "a\nb", 0) print(m) local ok, m = pcall(error, "a\0b", 0) print(#m)
--- field names in deep tables
local cfg = { server = {} } print(pcall(function() return cfg.server.options.port end)) print(pcall(function() cfg.server.listen() end)) print(pcall(function() cfg.server:listen() end))
--- global functions misspelt
print(pcall(function() pritn("x") end)) print(pcall(function() return string.fomat("x") end)) print(pcall(function() table.insrt({}, 1) end))
--- method on nil
print(pcall(function() local obj obj:method() end)) print(pcall(function() local t = {} t.obj:method() end)) print(pcall(function() undefined_obj:method() end))
--- for with bad values
print(pcall(function() for i = 1, nil do end end)) print(pcall(function() for i = nil, 1 do end end)) print(pcall(function() for i = 1, 2, nil do end end)) print(pcall(function() local n for i = 1, n do end end))
