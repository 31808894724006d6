-- Tables and their library.
--- constructors | differs: the length of a table with holes may be any border
local t = { 1, 2, 3, x = 1, ["y z"] = 2, [10] = "ten", 4 } print(#t, t[4], t.x, t["y z"], t[10])
--- constructors with calls last
local function f() return 1, 2, 3 end local t, u = { f() }, { f(), f() } print(#t, #u, #{ (f()) }, #{ f(), nil })
--- constructors with varargs
local function f(...) return #{ ... }, select("#", ...) end print(f(1, 2, 3), f())
--- trailing separators
print(#{ 1, 2, }, #{ 1; 2; }, #{})
--- nested tables
local t = { a = { b = { c = 1 } } } t.a.b.d = 2 print(t.a.b.c, t.a.b.d, t["a"]["b"]["c"])
--- many elements
local t = {} for i = 1, 1000 do t[i] = i end print(#t, t[1000], t[1001])
local big = loadstring("return {" .. ("1,"):rep(300) .. "}")() print(#big)
--- insert
local t = { 1, 2 } table.insert(t, 3) table.insert(t, 1, 0) table.insert(t, 3, "x") print(table.concat(t, ","))
--- insert wrongly
print(pcall(table.insert)) print(pcall(table.insert, {})) print(pcall(table.insert, {}, 1, 2, 3)) print(pcall(table.insert, {}, "x", 1)) print(pcall(table.insert, nil, 1))
--- remove
local t = { 1, 2, 3, 4 } print(table.remove(t), table.remove(t, 1), table.concat(t, ","), table.remove({}), table.remove(t, 10), #t)
--- remove until empty
local t = { "a", "b", "c" } while #t > 0 do io.write(table.remove(t, 1), " ") end print(#t)
--- concat
print(table.concat({}), table.concat({ 1, 2, 3 }), table.concat({ 1, 2, 3 }, "-"), table.concat({ 1, 2, 3 }, "-", 2), table.concat({ 1, 2, 3 }, "-", 2, 2), table.concat({ 1, 2 }, "-", 3))
--- concat of fractions
print(table.concat({ 1.5, 1/3, 1e20, "x" }, " "))
--- concat wrongly
print(pcall(table.concat, { 1, {}, 3 })) print(pcall(table.concat, { 1, 2 }, "", 1, 3)) print(pcall(table.concat, { true })) print(pcall(table.concat))
--- sort
local t = { 3, 1, 2 } table.sort(t) print(table.concat(t, " ")) table.sort(t, function(a, b) return a > b end) print(table.concat(t, " "))
--- sort strings
local t = { "banana", "apple", "Cherry", "a", "" } table.sort(t) print(table.concat(t, " "))
--- sort many
local t = {} for i = 1, 200 do t[i] = (i * 7919) % 211 end table.sort(t) for i = 2, 200 do assert(t[i - 1] <= t[i]) end print(t[1], t[200])
--- sort wrongly
print(pcall(table.sort, { 1, "x" })) print(pcall(table.sort, { {}, {} })) print(pcall(table.sort, { 1, 2 }, 1)) print(pcall(table.sort))
--- sort with errors in the order
print(pcall(table.sort, { 1, 2, 3 }, function() error("in order", 0) end))
--- sort with metamethods
local mt = { __lt = function(a, b) return a.n < b.n end } local t = {} for i = 1, 5 do t[i] = setmetatable({ n = (i * 3) % 5 }, mt) end
table.sort(t) for i = 1, 5 do io.write(t[i].n, " ") end print()
--- unpack
print(unpack({ 1, 2, 3 })) print(unpack({ 1, 2, 3 }, 2)) print(unpack({ 1, 2, 3 }, 2, 3)) print(unpack({}, 1, 3)) print(select("#", unpack({}, 1, 0)))
--- unpack wrongly
print(pcall(unpack)) print(pcall(unpack, 1)) print(pcall(unpack, {}, "x"))
--- maxn and getn
print(table.maxn({ 1, 2, [10] = 1, [-1] = 2 }), table.maxn({}), table.maxn({ [1.5] = 1 }), table.getn({ 1, 2 }))
--- foreach and foreachi
table.foreachi({ "a", "b" }, function(i, v) io.write(i, v, " ") end) print(table.foreach({ x = 1 }, function(k, v) return k .. v end))
--- pairs visits everything
local t, n, sum = { 1, 2, 3, x = 4, y = 5, [10] = 6 }, 0, 0 for k, v in pairs(t) do n, sum = n + 1, sum + v end print(n, sum)
--- pairs after removals
local t = { a = 1, b = 2, c = 3 } for k in pairs(t) do t[k] = nil end print(next(t))
--- pairs while clearing
local t = {} for i = 1, 100 do t["k" .. i] = i end local n = 0 for k, v in pairs(t) do t[k] = nil n = n + 1 end print(n, next(t))
--- pairs while assigning to what is there
local t = { a = 1, b = 2, c = 3 } for k, v in pairs(t) do t[k] = v * 2 end print(t.a, t.b, t.c)
--- ipairs stops at nil
local t = { 1, 2, nil, 4 } local n = 0 for i, v in ipairs(t) do n = n + 1 end print(n)
--- ipairs sees what is added
local t = { 1 } for i, v in ipairs(t) do if i < 5 then t[i + 1] = i end end print(#t)
--- next
print(next({})) print(next({ 10 })) print(next({ 10 }, 1)) print(next({ x = 1 })) print(pcall(next)) print(pcall(next, 1))
--- pairs and ipairs wrongly
print(pcall(pairs)) print(pcall(pairs, nil)) print(pcall(ipairs, "x")) print(pcall(ipairs))
--- length of strings and tables
print(#"", #"abc", #{ 1, 2, 3 }, #{ n = 1 }, #{ [1] = 1, [2] = 2 })
--- length after changes
local t = { 1, 2, 3 } t[#t + 1] = 4 t[#t] = nil print(#t) t[#t] = nil print(#t)
--- length of other things
print(pcall(function() return #nil end)) print(pcall(function() return #5 end)) print(pcall(function() local x = true return #x end)) print(pcall(function() local t = {} return #t.x end))
--- keys of every kind
local f, t0 = function() end, {} local t = { [f] = 1, [t0] = 2, [true] = 3, [1.5] = 4 } print(t[f], t[t0], t[true], t[1.5], t[false])
--- tables are compared by identity
local a, b = {}, {} print(a == a, a == b, { 1 } == { 1 })
--- holes are nil
local t = { 1, nil, 3 } print(t[1], t[2], t[3])
--- rawget, rawset and rawequal
local t = setmetatable({}, { __index = function() return "meta" end, __newindex = function() end, __eq = function() return true end })
t.x = 1 print(t.x, rawget(t, "x")) rawset(t, "x", 2) print(t.x, rawequal(t, t), rawequal(t, {}), rawequal(1, 1))
--- raw functions wrongly
print(pcall(rawget)) print(pcall(rawget, 1, 2)) print(pcall(rawset, {}, nil, 1)) print(pcall(rawequal, 1))
--- a queue
local q = { first = 1, last = 0 } for i = 1, 3 do q.last = q.last + 1 q[q.last] = i end
while q.first <= q.last do io.write(q[q.first], " ") q[q.first] = nil q.first = q.first + 1 end print()
--- negative and zero indices
local t = {} for i = -2, 2 do t[i] = i end print(t[-2], t[0], t[2], #t)
--- a set of numbers that begins with a large one
local t = {} t[100] = true t[1] = true local n = 0 for k in pairs(t) do n = n + k end print(n)
--- table functions through metatables
local t = setmetatable({}, { __index = table }) t:insert("a") t:insert("b") print(t:concat(","), #t)
--- multiple assignment to fields
local t = {} t.a, t.b, t.c = 1, 2 print(t.a, t.b, t.c) t.a, t.b = t.b, t.a print(t.a, t.b)
--- evaluation before assignment
local i, t = 1, {} i, t[i] = i + 1, 20 print(i, t[1], t[2])
--- self reference
local t = {} t.t = t print(t.t.t.t == t)
--- numeric strings are other keys
local t = {} t["1"] = "s" t[1] = "n" print(t[1], t["1"], t["01"])
--- removing in the middle
local t = { 1, 2, 3, 4, 5 } for i = #t, 1, -1 do if t[i] % 2 == 0 then table.remove(t, i) end end print(table.concat(t, " "))
--- copying
local t, c = { 1, 2, x = { 3 } }, {} for k, v in pairs(t) do c[k] = v end print(c[1], c[2], c.x == t.x, #c)
--- counting words
local n = {} for w in ("a b a c b a"):gmatch("%a") do n[w] = (n[w] or 0) + 1 end print(n.a, n.b, n.c)
