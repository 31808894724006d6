---@meta mur.json

--- Reads and writes JSON.
---
--- An object becomes a table with string keys, an array a table with the keys 1 to n, and a null the value
--- `mur.json.null`, so that a document read and written again is the same document. A number keeps the
--- precision of a Lua number (53 bits).
---@class mur.json
local json = {}

--- Stands for a JSON null. It is true in a condition: compare with it.
---@type mur.Null
json.null = nil

---@class mur.EncodeOptions
---@field pretty? boolean Write one value to a line, indented by two blanks. Default false.
---@field indent? string|integer Indent by this text or this many blanks instead; implies `pretty`.

---@class mur.DecodeOptions
---@field drop_null? boolean Leave out object members that are null, and read a null anywhere else as false. Default false: keep them as `mur.json.null`.

--- Writes a value as JSON. A table with the keys 1 to n is an array, one with string keys an object. An empty table is
--- an object unless `mur.json.array` marked it. Keys are sorted, so that equal values give equal text.
---
--- Raises `bad_value` when the value holds a cycle, a function, a userdata other than null, a number that is not finite, or a
--- table that is neither array nor object; the message names the path to it.
---
--- ```lua
--- local mur = require "mur"
--- assert(mur.json.encode { b = { 1, 2 }, a = mur.json.null } == '{"a":null,"b":[1,2]}')
--- ```
---@param value any
---@param options? mur.EncodeOptions
---@return string text
function json.encode(value, options) end

--- Reads one JSON value. Anything but white space after it is an error.
---
--- Raises `bad_json` when the text is not JSON; the fields `line` and `column` (from 1) say where.
---
--- ```lua
--- local mur = require "mur"
--- local doc = mur.json.decode '{"names":["a","b"],"none":null}'
--- assert(doc.names[2] == "b" and doc.none == mur.json.null)
--- local ok, err = pcall(mur.json.decode, '{"a":}')
--- assert(not ok and err.kind == "bad_json" and err.column == 6)
--- ```
---@param text string
---@param options? mur.DecodeOptions
---@return any value
function json.decode(text, options) end

--- Marks a table as an array, so that it is written as `[]` when it is empty, and returns it.
---
--- ```lua
--- local mur = require "mur"
--- assert(mur.json.encode { list = mur.json.array() } == '{"list":[]}')
--- ```
---@param list? table Default: a new table.
---@return table list
function json.array(list) end

--- The type of `mur.json.null`.
---@class mur.Null

return json
