-- Numbers: how they are read, written and computed.
--- tostring of whole numbers
print(1, -1, 0, -0, 100, 1e3, 2^31, 2^53, -2^53)
--- tostring of large numbers
print(1e14, 1e15, 1e16, 123456789012345, 1e100, -1e100)
--- tostring of fractions
print(0.1, 1/3, -1/3, 2/3, 1e-5, 123.456, 1e-10, 3.14159265358979)
--- tostring of infinities
print(1/0, -1/0, math.huge, -math.huge)
--- numbers in concatenations
print(1 .. "", 1.5 .. "", 1/3 .. "", 1e15 .. "", 2^63 .. "", 1e100 .. "", -1/0 .. "")
--- zeros
local zero = 0 print(zero == -zero, 1/zero > 0, 1/-zero < 0)
--- not a number
local nan = 0/0 print(nan == nan, nan ~= nan, nan < 1, nan > 1)
--- numerals
print(3, 3.0, 3.1416, 314.16e-2, 0.31416E1, 0xff, 0x56, .5, 5., 0xA, 0Xa)
--- numerals with leading zeros
print(010, 0010, 007, 08, 00.5)
--- hexadecimal numerals
print(0xffffffff, 0x7fffffffffffffff, 0xdeadBEEF)
--- exponents
print(1e2, 1E2, 1e+2, 1e-2, 12e0)
--- arithmetic
print(7 + 3, 7 - 3, 7 * 3, 7 / 2, 7 % 3, 7 ^ 2, -7)
--- modulo
print(5 % 3, -5 % 3, 5 % -3, -5 % -3, 5.5 % 2, -0.5 % 1, 0 % 5)
--- powers
print(2 ^ 10, 2 ^ 0.5, 2 ^ -1, (-2) ^ 2, -2 ^ 2, 2 ^ 3 ^ 2)
--- precedence
print(1 + 2 * 3, (1 + 2) * 3, 2 * 3 % 4, not 1 == 2, 1 .. 2 == "12", 2 - 3 - 4, -3 ^ 2)
--- strings as numbers
print("10" + 1, "0x10" + 1, " 5 " * 2, "1e2" / 1, "3" ^ "2", -"2", "10" % 3)
--- strings with leading zeros as numbers
print("010" + 0, "0010" * 1, "08" + 0, "-010" + 0)
--- strings that are no numbers in arithmetic
print(pcall(function() return "abc" + 1 end))
print(pcall(function() return 1 + "" end))
print(pcall(function() return "1 2" + 0 end))
print(pcall(function() return -"x" end))
--- strings with underscores are no numbers
print(pcall(function() return "1_000" + 0 end))
print(pcall(function() return "0b11" + 0 end))
--- tonumber
print(tonumber("10"), tonumber("  10  "), tonumber("10a"), tonumber(""), tonumber(" "), tonumber("1e3"), tonumber("1E+2"))
--- tonumber of fractions
print(tonumber("1.5"), tonumber(".5"), tonumber("5."), tonumber("."), tonumber("-.5"), tonumber("+1"))
--- tonumber of hexadecimals
print(tonumber("0x10"), tonumber("0xA"), tonumber("0xg"), tonumber("0x"), tonumber("-0x10"))
--- tonumber with a base
print(tonumber("10", 2), tonumber("ff", 16), tonumber("zz", 36), tonumber("8", 8), tonumber("7", 8), tonumber("FF", 16), tonumber("0xff", 16))
--- tonumber of other things
print(tonumber(nil), tonumber(true), tonumber({}), tonumber(5), tonumber("0b1"), tonumber("1_0"))
--- tonumber with a wrong base
print(pcall(tonumber, "1", 1)) print(pcall(tonumber, "1", 37)) print(pcall(tonumber))
--- integer loops
for i = 1, 3 do io.write(i, " ") end for i = 3, 1, -1 do io.write(i, " ") end for i = 1, 0 do io.write("never") end print()
--- loops with fractions
for i = 1, 2, 0.25 do io.write(i, " ") end print()
--- loops whose variable is changed
for i = 1, 3 do local j = i; i = 10; io.write(j, i, " ") end print()
--- loops with closures
local fs = {} for i = 1, 3 do fs[i] = function() i = i + 1 return i end end print(fs[1](), fs[1](), fs[2](), fs[3]())
--- loops with wrong bounds
print(pcall(function() for i = {}, 2 do end end))
print(pcall(function() for i = 1, "x" do end end))
print(pcall(function() for i = 1, 2, {} do end end))
--- comparisons
print(1 < 2, 2 <= 2, 3 > 4, 3 >= 4, 1 == 1.0, "1" == 1, 1 ~= 2)
--- comparisons of strings
print("a" < "b", "a" < "B", "" < "a", "abc" < "abd", "Z" < "a", "a\0b" < "a\0c", "10" < "9")
--- comparisons of unlike things
print(pcall(function() return 1 < "2" end))
print(pcall(function() return {} < {} end))
print(pcall(function() return nil < 1 end))
print(pcall(function() return {} <= 1 end))
print(pcall(function() return true > false end))
print(pcall(function() return print < print end))
--- math functions
print(math.floor(1.5), math.floor(-1.5), math.ceil(1.5), math.ceil(-1.5), math.abs(-3), math.sqrt(16))
--- math.max and math.min
print(math.max(1, 3, 2), math.min(1, 3, 2), math.max(-1), math.max("10", 9))
print(pcall(math.max)) print(pcall(math.min, {}))
--- math.fmod and math.modf
print(math.fmod(7, 3), math.fmod(-7, 3), math.fmod(7, -3), math.modf(3.7), math.modf(-3.7))
--- math.frexp and math.ldexp
print(math.frexp(8), math.ldexp(0.5, 4), math.frexp(0))
--- logarithms
print(math.log(1), math.log10(1000), math.exp(0))
--- trigonometry
print(math.sin(0), math.cos(0), math.tan(0), math.deg(math.pi), math.rad(180) == math.pi, math.atan2(1, 1))
--- math.pi and math.huge
print(math.pi, math.huge > 1e308, -math.huge < -1e308)
--- math.random in its range
math.randomseed(42)
for i = 1, 100 do local r = math.random() assert(r >= 0 and r < 1) end
for i = 1, 100 do local r = math.random(6) assert(r >= 1 and r <= 6 and r == math.floor(r)) end
for i = 1, 100 do local r = math.random(-3, 3) assert(r >= -3 and r <= 3) end
print(pcall(math.random, 0)) print(pcall(math.random, 2, 1)) print(pcall(math.random, 1, 2, 3))
--- math functions of strings
print(math.floor("3.7"), math.sqrt("16"), pcall(math.floor, "x"))
--- math functions without argument
print(pcall(math.floor)) print(pcall(math.sqrt, nil)) print(pcall(math.sin, {}))
--- integer overflow stays floating
print(2^53 + 1, 9007199254740993, 2^64, 1e308 * 10)
--- division by zero
print(1/0, -1/0, 0/1, pcall(function() return 1 % 0 ~= 1 % 0 end))
--- unary minus of a table
print(pcall(function() local t = {} return -t end))
--- number keys that are equal
local t = {} t[1] = "a" t[1.0] = "b" t["1"] = "c" print(t[1], t["1"], #t)
--- large keys
local t = {} t[2^40] = "big" t[-1] = "minus" t[0.5] = "half" t[0] = "zero" print(t[2^40], t[-1], t[0.5], t[0], #t)
--- nan and nil as keys
print(pcall(function() local t = {} t[0/0] = 1 end))
print(pcall(function() local t = {} t[nil] = 1 end))
print(({})[nil], ({})[0/0])
--- hexadecimal as text
print(string.format("%x %X %#x %o", 255, 255, 255, 8))
--- rounding of halves
print(string.format("%.0f %.0f %.0f %.1f %.2f", 0.5, 1.5, 2.5, 0.25, 1.005))
--- loops with numeric strings | differs: a numeric for takes numbers only
print(pcall(function() for i = "1", 2 do io.write(i, " ") end end))
