package engine

import "testing"

// Each of these computes something wrong, or ends the process, with the library's own functions.
func TestPitfalls(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"a caught error leaves variables shared": {`
			local n = 0
			local function add() n = n + 1 end
			pcall(error, "x")
			pcall(function() local t = nil; return t.x end)
			add(); add()
			print(n)`, "2"},
		"a caught error in xpcall leaves variables shared": {`
			local n = 0
			local function add() n = n + 1 end
			xpcall(function() error("x") end, function(m) return m end)
			add()
			print(n)`, "1"},
		"a yield crosses pcall": {`
			local co = coroutine.create(function(a)
				local ok, b = pcall(function() return coroutine.yield(a + 1) end)
				print(ok, b)
				local ok, err = pcall(function() coroutine.yield("again"); error("inside", 0) end)
				return ok, err
			end)
			print(coroutine.resume(co, 1))
			print(coroutine.resume(co, "sent"))
			print(coroutine.resume(co))
			print(coroutine.resume(co))
			print(coroutine.status(co))`, "true\t2\ntrue\tsent\ntrue\tagain\ntrue\tfalse\tinside\nfalse\tcannot resume dead coroutine\ndead"},
		"a yield crosses metamethods": {`
			local t = setmetatable({}, {
				__index = function(_, k) return coroutine.yield(k) end,
				__add = function() return coroutine.yield("add") end,
				__lt = function() return coroutine.yield("lt") end,
				__call = function(_, x) return coroutine.yield(x) end,
			})
			local f = coroutine.wrap(function() print(t.key, t + 1, t < t, t(5)) return "end" end)
			print(f()) print(f("v1")) print(f("v2")) print(f(true)) print(f("v4"))`, "key\nadd\nlt\n5\nv1\tv2\ttrue\tv4\nend"},
		"a yield crosses sort, gsub and a for iterator": {`
			local f = coroutine.wrap(function()
				local list = { 3, 1, 2 }
				table.sort(list, function(a, b) coroutine.yield("cmp") return a < b end)
				local s = ("abc"):gsub("%w", function(c) return coroutine.yield(c) end)
				for x in function() return coroutine.yield("next") end do s = s .. x end
				return table.concat(list), s
			end)
			local v, s repeat v, s = f("-") until v ~= "cmp"
			print(v) print(f(1)) print(f(2)) print(f(3)) print(f("x")) print(f(nil))`, "a\nb\nc\nnext\nnext\n123\t123x"},
		"resuming a coroutine that resumed us is an error": {`
			local co
			co = coroutine.create(function()
				local inner = coroutine.wrap(function() return coroutine.status(co), coroutine.resume(co) end)
				print(inner())
				print(coroutine.resume(co))
			end)
			print(coroutine.resume(co))`, "normal\tfalse\tcannot resume normal coroutine\nfalse\tcannot resume running coroutine\ntrue"},
		"errors in coroutines": {`
			local co = coroutine.create(function() local x = nil; x.y = 1 end)
			print(select("#", coroutine.resume(co)))
			print(coroutine.status(co))
			print(pcall(coroutine.wrap(function() error({}) end)) == false)
			print(pcall(function() coroutine.yield() end))`, "2\ndead\ntrue\nfalse\ttest.lua:6: attempt to yield from outside a coroutine"},
		"the main program is no coroutine": {`print(coroutine.running())`, "nil"},
		"xpcall takes arguments and its handler sees the stack": {`
			print(xpcall(function(...) return select("#", ...), ... end, print, 1, nil, 3))
			print(xpcall(function() error("e", 0) end, function(m) return m .. "!" end))
			print(xpcall(error, function() error("again") end))`, "true\t3\t1\tnil\t3\nfalse\te!\nfalse\terror in error handling"},
	} {
		t.Run(name, func(t *testing.T) { wantOutput(t, c.source, c.want) })
	}
}

func TestMorePitfalls(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"a list that shrinks stays fast": {`
			local t = {}
			for i = 1, 2e5 do t[i] = i end
			while #t > 0 do t[#t] = nil end
			print(#t, next(t))`, "0\tnil"},
		"shrinking by other names": {
			`
			local t = { 1, 2, 3 } t[#t] = nil print(#t, t[3])
			local m = setmetatable({ 1, 2 }, { __newindex = function() error("no") end }) m[#m] = nil print(#m)
			local e = {} e[#e] = nil print(#e)
			print(pcall(function() local s = "abc" s[#s] = nil end))
			print(pcall(function() local n n[#n] = nil end))`,
			"2\tnil\n1\n0\nfalse\ttest.lua:5: attempt to index local 's' (a string value)\nfalse\ttest.lua:6: attempt to get length of local 'n' (a nil value)",
		},
		"goto": {`
			for i = 1, 5 do
				if i % 2 == 0 then goto continue end
				io.write(i, " ")
				::continue::
			end
			do local n = 0 ::again:: n = n + 1 if n < 3 then goto again end print(n) end`, "1 3 5 3"},
		"goto out of nested loops keeps closures apart": {`
			local fs = {}
			for i = 1, 3 do
				local j = i * 10
				fs[#fs + 1] = function() return j end
				if i == 2 then goto out end
			end
			::out::
			print(#fs, fs[1](), fs[2]())`, "2\t10\t20"},
		"error objects answer like strings": {
			`
			local mur = require "mur"
			local _, err = pcall(mur.sleep)
			print(err:match("seconds expected"), err:find("test.lua", 1, true), err:upper():sub(1, 8), #err:rep(2) == 2 * #tostring(err), err.nothing)`,
			"seconds expected\t1\tTEST.LUA\ttrue\tnil",
		},
		"deep recursion in a sort, a gsub and a metamethod": {`
			local function deep(n)
				if n == 0 then return 0 end
				local r
				("x"):gsub(".", function() r = deep(n - 1) end)
				return r + 1
			end
			print(deep(500))
			local t = setmetatable({}, { __index = function(t, n) return n == 0 and 0 or t[n - 1] + 1 end })
			print(t[1000])`, "500\n1000"},
		"a panic value that is no error": {`print(select("#", pcall(error)), pcall(error, nil))`, "2\tfalse\tnil"},
		"pcall keeps nils at the end":    {`print(select("#", pcall(function() return 1, nil, nil end)))`, "4"},
	} {
		t.Run(name, func(t *testing.T) { wantOutput(t, c.source, c.want) })
	}
}

// TestJumpsToJumps: the library's compiler loses its way when a loop or a label begins with a jump.
func TestJumpsToJumps(t *testing.T) {
	wantOutput(t, `
		for k in pairs({ 1, 2 }) do goto continue ::continue:: end print("a")
		for i = 1, 2 do goto continue print("never") ::continue:: end print("b")
		local n = 0 while n < 2 do n = n + 1 goto continue print("never") ::continue:: end print("c")
		do local i = 0 ::top:: i = i + 1 if i < 3 then goto top end print("d", i) end
		do local i = 0 goto inner ::again:: goto out ::inner:: i = i + 1 if i == 2 then goto again end goto inner ::out:: print("e", i) end
		do ::a:: ::b:: goto done ::done:: print("f") end
		for _ in pairs({ 1 }) do do do break end end print("never") end print("g")
		repeat goto over print("never") ::over:: until true print("h")
		while true do while true do break end break end print("i")
		for _ in pairs({ 1 }) do for _ in pairs({ 1 }) do break end break end print("j")`,
		"a\nb\nc\nd\t3\ne\t2\nf\ng\nh\ni\nj")
}
