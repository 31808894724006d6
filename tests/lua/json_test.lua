local mur = require "mur"
local t = mur.test
local json = mur.json

t.describe("mur.json", function()
  t.it("writes {name}", function(case)
    t.expect(json.encode(case.value, case.options)):is(case.text)
  end, { each = {
    { name = "null", value = json.null, text = "null" },
    { name = "numbers without an exponent where it can", value = { 1, -2.5, 1e15, 2 ^ 52 }, text = "[1,-2.5,1000000000000000,4503599627370496]" },
    { name = "a text with everything that needs escaping", value = "a\"\\\n\r\t\1", text = [["a\"\\\n\r\t\u0001"]] },
    { name = "UTF-8 as it is", value = "äö€😀", text = '"äö€😀"' },
    { name = "keys in order", value = { z = 1, a = 2, m = 3 }, text = '{"a":2,"m":3,"z":1}' },
    { name = "nested values", value = { list = { { x = { 1, 2 } } } }, text = '{"list":[{"x":[1,2]}]}' },
    { name = "an empty table as an object", value = {}, text = "{}" },
    { name = "a marked empty table as an array", value = json.array(), text = "[]" },
    { name = "one value to a line", value = { a = { 1 } }, options = { pretty = true }, text = '{\n  "a": [\n    1\n  ]\n}' },
    { name = "with another indent", value = { 1 }, options = { indent = 1 }, text = "[\n 1\n]" },
  } })

  t.it("reads what it wrote: {1}", function(text)
    t.expect(json.encode(json.decode(text))):is(text)
  end, { each = {
    "null", "true", "[]", "{}", '{"a":[],"b":{},"c":null}', "[1,2.5,-3]", '["\\u0000","é"]', '[[[[[]]]]]', '{"":1}',
  } })

  t.it("tells arrays from objects", function()
    local doc = json.decode '{"list":[1,2],"map":{"1":"one"}}'
    t.expect(#doc.list):is(2)
    t.expect(doc.map["1"]):is("one")
    t.expect(doc.map[1]):is(nil)
  end)

  t.it("joins surrogate pairs and replaces halves of them", function()
    t.expect(json.decode [["\ud83d\ude00"]]):is("😀")
    t.expect(json.decode [["\ud83d"]]):is("\239\191\189")
  end)

  t.it("may leave nulls out", function()
    local doc = json.decode('{"a":null,"b":1}', { drop_null = true })
    t.expect(doc):is { b = 1 }
  end)

  t.it("says where a text stops being JSON: line {line}, column {column}", function(case)
    local err = t.expect(function() json.decode(case.text) end):fails "bad_json"
    t.expect({ err.line, err.column }):is { case.line, case.column }
  end, { each = {
    { text = "", line = 1, column = 1 },
    { text = "[1,\n 2,]", line = 2, column = 4 },
    { text = "{'a':1}", line = 1, column = 2 },
    { text = "nul", line = 1, column = 1 },
    { text = "[1] 2", line = 1, column = 5 },
    { text = '"open', line = 1, column = 6 },
    { text = "1e", line = 1, column = 3 },
  } })

  t.it("refuses what JSON does not have, and names the way to it", function()
    local function refusal(value) return t.expect(function() json.encode(value) end):fails("bad_value").path end
    t.expect(refusal { a = { b = { print } } }):is("value.a.b[1]")
    t.expect(refusal { 1, nil, 3 }):is("value")
    t.expect(refusal { [1] = 1, x = 2 }):is("value")
    t.expect(refusal { x = 0 / 0 }):is("value.x")
    local loop = {}
    loop.self = loop
    t.expect(refusal(loop)):is("value.self")
  end)

  t.it("refuses options that it does not have", function()
    local err = t.expect(function() json.encode({}, { prety = true }) end):fails "usage"
    t.expect(err.message):matches "did you mean 'pretty'"
  end)
end)
