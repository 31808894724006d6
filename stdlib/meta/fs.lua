---@meta mur.fs

--- Reads, writes, lists and watches files. A relative path is taken from the folder that murlua was started in.
---
--- A failure raises `not_found`, `exists`, `denied`, `not_a_directory`, `is_a_directory`, `not_empty` or `io`, with the field `path`.
---@class mur.fs
local fs = {}

---@class mur.FileReadOptions
---@field max_bytes? integer Refuse a file longer than this. Default 64 MiB.

---@class mur.FileWriteOptions
---@field mode? string Permission bits in octal: "600". Default: those that the file has, or "644".
---@field atomic? boolean Write a file next to it and rename that, so that a reader sees the old text or the new one, never a part. Default true.

---@class mur.FileInfo
---@field path string
---@field name string The last element of the path.
---@field type "file"|"directory"|"link"|"pipe"|"socket"|"device"
---@field size integer In bytes.
---@field mode string Permission bits, octal: "644".
---@field modified number The time of the last change.

--- Reads a whole file.
---
--- Raises `not_found` when there is no such file.
--- Raises `too_large` when it is longer than `max_bytes`.
---
--- ```lua
--- local mur = require "mur"
--- local path = mur.fs.tempdir() .. "/note"
--- mur.fs.write(path, "hello")
--- assert(mur.fs.read(path) == "hello")
--- ```
---@async
---@param path string
---@param options? mur.FileReadOptions
---@return string text
function fs.read(path, options) end

--- Writes a whole file, replacing what was there.
---
--- Raises `not_found` when its folder does not exist.
---
--- ```lua
--- local mur = require "mur"
--- mur.fs.write(mur.fs.tempdir() .. "/key", "secret", { mode = "600" })
--- ```
---@async
---@param path string
---@param text string
---@param options? mur.FileWriteOptions
function fs.write(path, text, options) end

--- Adds to the end of a file, which is made when it does not exist. One call is one write: lines of several
--- writers do not mix.
---
--- ```lua
--- local mur = require "mur"
--- local path = mur.fs.tempdir() .. "/log"
--- mur.fs.append(path, "one\n")
--- mur.fs.append(path, "two\n")
--- assert(mur.fs.read(path) == "one\ntwo\n")
--- ```
---@async
---@param path string
---@param text string
---@param options? mur.FileWriteOptions Only `mode`.
function fs.append(path, text, options) end

--- Returns what a folder holds, sorted by name. Links are not followed.
---
--- ```lua
--- local mur = require "mur"
--- for _, entry in ipairs(mur.fs.list ".") do print(entry.type, entry.name) end
--- ```
---@async
---@param path string
---@return mur.FileInfo[] entries
function fs.list(path) end

--- Returns the paths that match a pattern, sorted: `*` and `?` stay within one name, `**` crosses folders, `[a-z]` is a set
--- and `{a,b}` a choice. Names that begin with a dot match only a pattern that begins with a dot.
---
--- Raises `bad_pattern` when a bracket or brace is not closed.
---
--- ```lua
--- local mur = require "mur"
--- local dir = mur.fs.tempdir()
--- mur.fs.mkdir(dir .. "/a/b")
--- mur.fs.write(dir .. "/a/b/x.lua", "")
--- assert(#mur.fs.glob(dir .. "/**/*.lua") == 1)
--- ```
---@async
---@param pattern string
---@return string[] paths
function fs.glob(pattern) end

--- Tells whether something is there. A link that leads nowhere is not.
---
--- ```lua
--- local mur = require "mur"
--- assert(mur.fs.exists ".")
--- ```
---@async
---@param path string
---@return boolean exists
function fs.exists(path) end

---@class mur.FileStatOptions
---@field follow? boolean Describe what a link leads to. Default true.

--- Describes a file or folder; `nil, err` when there is none.
---
--- ```lua
--- local mur = require "mur"
--- local info = mur.fs.stat "."
--- assert(info.type == "directory")
--- local none, err = mur.fs.stat "no such file"
--- assert(none == nil and err.kind == "not_found")
--- ```
---@async
---@param path string
---@param options? mur.FileStatOptions
---@return mur.FileInfo|nil info
---@return mur.Error|nil err
function fs.stat(path, options) end

---@class mur.MkdirOptions
---@field mode? string Permission bits, in octal, of the folders that are made. Default "755".
---@field parents? boolean Make the folders above it too, and accept one that is there. Default true.

--- Makes a folder.
---
--- Raises `exists` when something else is there, or anything with `parents = false`.
---
--- ```lua
--- local mur = require "mur"
--- mur.fs.mkdir(mur.fs.tempdir() .. "/a/b/c")
--- ```
---@async
---@param path string
---@param options? mur.MkdirOptions
function fs.mkdir(path, options) end

---@class mur.RemoveOptions
---@field recursive? boolean Remove a folder with everything in it. Default false.

--- Removes a file or an empty folder. Links are removed, not followed. Returns false when there was nothing.
---
--- Raises `not_empty` when a folder holds something and `recursive` is not set.
---
--- ```lua
--- local mur = require "mur"
--- local dir = mur.fs.tempdir()
--- mur.fs.write(dir .. "/x", "")
--- assert(mur.fs.remove(dir .. "/x") == true)
--- assert(mur.fs.remove(dir .. "/x") == false)
--- ```
---@async
---@param path string
---@param options? mur.RemoveOptions
---@return boolean removed
function fs.remove(path, options) end

--- Renames a file or folder, replacing a file at the new path.
---
--- ```lua
--- local mur = require "mur"
--- local dir = mur.fs.tempdir()
--- mur.fs.write(dir .. "/a", "")
--- mur.fs.rename(dir .. "/a", dir .. "/b")
--- assert(mur.fs.exists(dir .. "/b"))
--- ```
---@async
---@param from string
---@param to string
function fs.rename(from, to) end

---@class mur.TempdirOptions
---@field prefix? string Begins the folder's name. Default "murlua-".

--- Makes a folder of the script's own, mode 700, that is removed with everything in it when the script ends.
---
--- ```lua
--- local mur = require "mur"
--- local dir = mur.fs.tempdir()
--- assert(mur.fs.stat(dir).mode == "700")
--- ```
---@async
---@param options? mur.TempdirOptions
---@return string path
function fs.tempdir(options) end

---@class mur.WatchOptions
---@field recursive? boolean Watch the folders below it too. Default false.

---@class mur.FileEvent
---@field path string
---@field kind "created"|"changed"|"removed" A rename is a removal and a creation.

--- Watches a file or folder. The system reports the changes; nothing is polled. Changes of one path that come before they are
--- read are reported once, and the files that an atomic write makes on its way are not.
---
--- Raises `not_found` when there is no such path.
--- Raises `unsupported` when this system offers no such notice.
---
--- ```lua
--- local mur = require "mur"
--- local dir = mur.fs.tempdir()
--- local watch = mur.fs.watch(dir)
--- mur.fs.write(dir .. "/x", "hello", { atomic = false })
--- local event = watch:next { timeout = 5 }
--- assert(event.path == dir .. "/x" and event.kind == "created")
--- watch:close()
--- ```
---@async
---@param path string
---@param options? mur.WatchOptions
---@return mur.Watch watch
function fs.watch(path, options) end

--- A running watch.
---@class mur.Watch
local Watch = {}

---@class mur.NextOptions
---@field timeout? number Seconds to wait. Default: no limit.

--- Waits for the next change; `nil, err` with the kind `timeout` or `closed` when none comes.
---@async
---@param options? mur.NextOptions
---@return mur.FileEvent|nil event
---@return mur.Error|nil err
function Watch:next(options) end

--- Ends the watch. A second call does nothing. The end of the script closes it too.
function Watch:close() end

--- Joins path elements with one slash between them and removes `.` and `..` where that can be told from the text.
---
--- ```lua
--- local mur = require "mur"
--- assert(mur.fs.join("a/", "../b", "c.lua") == "b/c.lua")
--- ```
---@param ... string
---@return string path
function fs.join(...) end

--- Returns the path without its last element.
---
--- ```lua
--- local mur = require "mur"
--- assert(mur.fs.dirname "/a/b.lua" == "/a")
--- ```
---@param path string
---@return string path
function fs.dirname(path) end

--- Returns the last element of the path.
---
--- ```lua
--- local mur = require "mur"
--- assert(mur.fs.basename "/a/b.lua" == "b.lua")
--- ```
---@param path string
---@return string name
function fs.basename(path) end

--- Returns the path from the root.
---
--- ```lua
--- local mur = require "mur"
--- assert(mur.fs.abspath("x"):sub(1, 1) == "/")
--- ```
---@param path string
---@return string path
function fs.abspath(path) end

return fs
