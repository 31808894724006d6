-- Coroutines.
--- create, resume, status
local co = coroutine.create(function(a, b) return a + b end) print(type(co), coroutine.status(co)) print(coroutine.resume(co, 1, 2)) print(coroutine.status(co)) print(coroutine.resume(co))
--- yield passes values both ways
local co = coroutine.create(function(a) local b = coroutine.yield(a + 1) local c, d = coroutine.yield(b * 2) return c + d end) print(coroutine.resume(co, 1)) print(coroutine.resume(co, 10)) print(coroutine.resume(co, 3, 4)) print(coroutine.resume(co))
--- wrap
local f = coroutine.wrap(function(...) print(...) print(coroutine.yield(1, 2)) return 3 end) print(f("a", "b")) print(f("c")) print(pcall(f))
--- generators
local function gen(n) return coroutine.wrap(function() for i = 1, n do coroutine.yield(i) end end) end for i in gen(4) do io.write(i, " ") end print()
--- yield of nothing
local co = coroutine.create(function() coroutine.yield() return end) print(coroutine.resume(co)) print(coroutine.resume(co)) print(coroutine.resume(co))
--- yield of nils
local co = coroutine.create(function() coroutine.yield(nil, nil) end) print(select("#", coroutine.resume(co)))
--- errors
local co = coroutine.create(function() error("inside", 0) end) print(coroutine.resume(co)) print(coroutine.status(co)) print(coroutine.resume(co))
--- errors with positions
local co = coroutine.create(function() local x = nil; return x.y end) print(coroutine.resume(co))
--- errors with tables
local e = {} local co = coroutine.create(function() error(e) end) local ok, got = coroutine.resume(co) print(ok, got == e)
--- errors through wrap
local f = coroutine.wrap(function() error("inside", 0) end) print(pcall(f)) print(pcall(f))
--- status
local co co = coroutine.create(function() print(coroutine.status(co)) local inner = coroutine.create(function() print(coroutine.status(co)) end) coroutine.resume(inner) end) coroutine.resume(co) print(coroutine.status(co))
--- running
print(coroutine.running()) local co co = coroutine.create(function() print(coroutine.running() == co) end) coroutine.resume(co)
--- resuming the running one
local co co = coroutine.create(function() return coroutine.resume(co) end) print(coroutine.resume(co))
--- resuming a normal one
local co co = coroutine.create(function() local inner = coroutine.create(function() return coroutine.resume(co) end) return coroutine.resume(inner) end) print(coroutine.resume(co))
--- wrapping the running one
local f f = coroutine.wrap(function() return pcall(f) end) print(f())
--- yield outside | differs: the message says what is wrong
print(pcall(coroutine.yield)) print(pcall(function() coroutine.yield(1) end))
--- wrong arguments | differs: functions of the host may be coroutines
print(pcall(coroutine.create)) print(pcall(coroutine.create, 1)) print(pcall(coroutine.resume)) print(pcall(coroutine.resume, 1)) print(pcall(coroutine.status, {})) print(pcall(coroutine.wrap, nil))
--- coroutines share variables
local n = 0 local co = coroutine.wrap(function() while true do n = n + 1 coroutine.yield() end end) co() co() n = n + 10 co() print(n)
--- many coroutines
local cos = {} for i = 1, 100 do cos[i] = coroutine.wrap(function() local s = 0 for j = 1, 5 do s = s + i coroutine.yield(s) end end) end local sum = 0 for r = 1, 5 do for i = 1, 100 do sum = sum + cos[i]() end end print(sum)
--- nested generators
local function inner() return coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) end local outer = coroutine.wrap(function() for i in inner() do for j in inner() do coroutine.yield(i * 10 + j) end end end) for v in outer do io.write(v, " ") end print()
--- producer and consumer
local function producer() return coroutine.create(function() for _, v in ipairs { "a", "b", "c" } do coroutine.yield(v) end end) end
local p = producer() while true do local ok, v = coroutine.resume(p) if not v then break end io.write(v, " ") end print(coroutine.status(p))
--- permutations
local function perm(a, n) n = n or #a if n <= 1 then coroutine.yield(a) else for i = 1, n do a[n], a[i] = a[i], a[n] perm(a, n - 1) a[n], a[i] = a[i], a[n] end end end
for p in coroutine.wrap(function() perm { 1, 2, 3 } end) do io.write(table.concat(p), " ") end print()
--- yield inside pcall | differs: a yield may cross pcall
local co = coroutine.create(function() return pcall(function() return coroutine.yield(1) end) end) print(coroutine.resume(co)) print(coroutine.resume(co, 2))
--- yield inside a metamethod | differs: a yield may cross metamethods
local t = setmetatable({}, { __index = function(_, k) return coroutine.yield(k) end }) local co = coroutine.create(function() return t.x end) print(coroutine.resume(co)) print(coroutine.resume(co, 5))
--- yield inside an iterator | differs: a yield may cross iterators
local co = coroutine.wrap(function() for x in function() return coroutine.yield("next") end do return x end end) print(co()) print(co("v"))
--- yield inside sort | differs: a yield may cross sort
local co = coroutine.wrap(function() local t = { 2, 1 } table.sort(t, function(a, b) coroutine.yield("c") return a < b end) return "sorted" .. t[1] end) print(co()) local v repeat v = co() until v ~= "c" print(v)
--- tail yield
local co = coroutine.wrap(function() return coroutine.yield(1) end) print(co()) print(co(2, 3))
--- a coroutine as its own iterator state
local co = coroutine.create(function() for i = 1, 2 do coroutine.yield(i) end end) for ok, v in coroutine.resume, co do if not v then break end io.write(tostring(ok), v, " ") end print()
--- functions of the library as coroutines | differs: functions of the host may be coroutines
local co = coroutine.create(print) print(coroutine.resume(co, 1, 2)) local f = coroutine.wrap(math.max) print(f(3, 9))
--- deep recursion inside
local co = coroutine.create(function() local function f(n) if n == 0 then return coroutine.yield("deep") end return (f(n - 1)) end return f(1000) end) print(coroutine.resume(co)) print(coroutine.resume(co, "out"))
--- stack overflow inside
local co = coroutine.create(function() local function f() return f() + 1 end return f() end) local ok, m = coroutine.resume(co) print(ok, m:match("stack overflow"))
--- exceptions cross resumes
local co = coroutine.create(function() local ok, e = pcall(error, "x", 0) coroutine.yield(ok, e) error("y", 0) end) print(coroutine.resume(co)) print(coroutine.resume(co))
--- tracebacks of coroutines
local co = coroutine.create(function() coroutine.yield() end) coroutine.resume(co) print(type(debug.traceback(co)), debug.traceback("m"):match("^m\nstack traceback:") ~= nil, debug.traceback({}) ~= nil)
