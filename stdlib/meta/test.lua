---@meta mur.test

--- Describes tests, which `murlua test` runs, and says what has to be true.
---
--- A file of tests ends in `_test.lua`. It is loaded once, which describes its tests; then they run one after another. Each file
--- has a Lua state and a home directory of its own. When a test has ended, so has everything that it started; what is left
--- all the same (a process, a record, a directory, a port) fails the test and is named. The functions `expect`, `eventually` and `skip`
--- work in every script.
---
--- A member given as a murmur capsule is a stand-in, whose name says how it behaves: `honest`, `slow` (reports after 0.3 s), `silent` (never
--- reports), `garbled` (its first line is none), `lying` (reports another formation), `doorless` (reports no door), `impostor` (its door
--- answers for another session), `fleeting` (reports and exits with 4), `crashing` (exits with 3), `deaf` (ignores its lifeline and signals).
--- With MURMUR_MUR_BINARY set it is the real one.
---
--- An expectation that is not met raises `expectation`, with the field `diff` when tables or texts were compared.
---
--- ```lua
--- local t = require("mur").test
--- t.expect(1 + 1):is(2)
--- t.expect({ name = "coder", pid = 12 }):includes { name = "coder" }
--- t.expect(function() error "no such peer" end):fails "no such peer"
--- t.expect("ready").never:is_empty()
--- ```
---@class mur.test
local test = {}

---@class mur.TestOptions
---@field tags? string[] Words that `murlua test --tag` and `--skip-tag` select by.
---@field within? number Seconds that the test may run. Default 30, or those of the suite round it.
---@field each? any[] Describes one test for each of these values; the test's function gets the value and its number. In the name `{field}` stands for a field of the value and `{1}` for the value, or its first item.

---@class mur.SuiteOptions
---@field tags? string[] For all tests of the suite.
---@field within? number Seconds that each test of the suite may run. Default: that of the suite round it, or 30.

---@class mur.PendingOptions
---@field tags? string[]

---@class mur.EventuallyOptions
---@field within? number Seconds until it fails. Default 5.
---@field every? number The longest pause between two tries, in seconds; the first is a millisecond. Default 0.05.

--- Describes a suite: the tests and suites that its function describes.
---
--- Raises `usage` outside of a file that `murlua test` loads.
---@param name string
---@param body fun()
---@param options? mur.SuiteOptions
function test.describe(name, body, options) end

--- Describes a test.
---
--- Raises `usage` outside of a file that `murlua test` loads.
---@param name string
---@param body fun(value: any, number: integer)
---@param options? mur.TestOptions
function test.it(name, body, options) end

--- Describes a test that is not run, and is counted as pending.
---
--- Raises `usage` outside of a file that `murlua test` loads.
---@param name string
---@param reason? string|fun() Why, or the test as far as it is written.
---@param options? mur.PendingOptions
function test.pending(name, reason, options) end

--- Runs a function before the first test of the suite. When it fails, so does each test of the suite.
---@param fn fun()
function test.before_all(fn) end

--- Runs a function before each test of the suite, after those of the suites round it.
---@param fn fun()
function test.before_each(fn) end

--- Runs a function after each test of the suite, before those of the suites round it, also when the test failed.
---@param fn fun()
function test.after_each(fn) end

--- Runs a function after the last test of the suite.
---@param fn fun()
function test.after_all(fn) end

--- Runs a function when the test that calls this has ended, however it does; the last one given runs first.
---@param fn fun()
function test.finally(fn) end

--- Ends the test that calls this; it counts as pending. In a `before_all` it does so for all tests of the suite.
---@param reason? string
function test.skip(reason) end

--- Calls a function until it succeeds, and returns what it returned: until it returns nothing, or a value that is neither nil nor false. An error, too, is a try that failed.
---
--- Raises `expectation` when the time is over; the message has what the last try raised or returned.
---
--- ```lua
--- local t = require("mur").test
--- local tries = 0
--- t.eventually(function()
---   tries = tries + 1
---   return tries == 3
--- end, { within = 1 })
--- ```
---@async
---@param fn fun(): any
---@param options? mur.EventuallyOptions
---@return any ...
function test.eventually(fn, options) end

--- Takes a value to say what has to be true of it.
---@param value any
---@return mur.Expectation expectation
function test.expect(value) end

--- What has to be true of a value. Methods return the expectation, so that several can follow each other, unless they say otherwise.
---@class mur.Expectation
---@field never mur.Expectation The opposite of what its methods say has to be true.
local Expectation = {}

--- The value equals another one, tables by what they hold.
---@param value any
---@return mur.Expectation
function Expectation:is(value) end

--- The value has a type: one of Lua's, or an object's, such as "formation".
---@param type string
---@return mur.Expectation
function Expectation:is_a(type) end

--- The value is a number close to another.
---@param number number
---@param tolerance? number Default 1e-9.
---@return mur.Expectation
function Expectation:is_near(number, tolerance) end

--- The value is a table or string with nothing in it.
---@return mur.Expectation
function Expectation:is_empty() end

--- The value equals one of a list.
---@param values any[]
---@return mur.Expectation
function Expectation:is_one_of(values) end

--- The value is a number above another.
---@param number number
---@return mur.Expectation
function Expectation:is_above(number) end

--- The value is a number below another.
---@param number number
---@return mur.Expectation
function Expectation:is_below(number) end

--- The value is a number, and not below another.
---@param number number
---@return mur.Expectation
function Expectation:is_at_least(number) end

--- The value is a number, and not above another.
---@param number number
---@return mur.Expectation
function Expectation:is_at_most(number) end

--- The value is a list or string of a length.
---@param length integer
---@return mur.Expectation
function Expectation:has_length(length) end

--- The value includes something: a text in a text, an item in a list; of a table, what is given of it, in depth.
---@param part any
---@return mur.Expectation
function Expectation:includes(part) end

--- The value is a string that matches a Lua pattern.
---@param pattern string
---@return mur.Expectation
function Expectation:matches(pattern) end

--- The value is a function that raises an error when it is called. Returns the error.
---@async
---@param what? string|table Its kind or a part of its message, or a table with some of its fields.
---@return any error
function Expectation:fails(what) end

--- The value is a function that raises nothing when it is called. Returns what it returns.
---@async
---@return any ...
function Expectation:succeeds() end

--- The value is the one that was approved before, with `murlua test --update-snapshots`, and is kept in the file `NAME_test.snap` next to the tests.
---@param name? string For a test that has several.
---@return mur.Expectation
function Expectation:matches_snapshot(name) end

---@class mur.FakeDoorOptions
---@field session? string Answer with an agent card that names this session.
---@field body? string Answer with this instead.
---@field status? integer Default 200.
---@field delay? number Seconds until it answers. Default 0.

--- Opens an HTTP server on the loopback that answers every request alike, as a door does or does not. It is closed with the test.
---
--- ```lua
--- local mur = require "mur"
--- local session = "ses_" .. ("0"):rep(32)
--- local door = mur.test.door { session = session }
--- assert(mur.door.probe(door.url) == session)
--- ```
---@async
---@param options? mur.FakeDoorOptions
---@return mur.FakeDoor door
function test.door(options) end

--- Starts a process for a test and returns who it is. It is ended with the test.
---
--- - `sleeping` waits to be ended.
--- - `zombie` has exited, and nobody has waited for it.
--- - `reused` is another one by now: the number is that of a process that started at another time.
--- - `foreign` is another user's.
---
--- Raises `unsupported` when there can be no such process here; another user's needs root.
---@async
---@param kind "sleeping"|"zombie"|"reused"|"foreign"
---@return mur.TestProcess process
function test.process(kind) end

---@class mur.TestProcess
---@field pid integer
---@field process_start string

--- A server that answers as a test wants it to.
---@class mur.FakeDoor
---@field url string `localhost:port`, as records have it.
---@field port integer
---@field requests integer How many requests came.
local FakeDoor = {}

--- Closes it. Nobody answers there afterwards.
function FakeDoor:close() end
