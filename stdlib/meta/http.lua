---@meta mur.http

--- An HTTP client. It speaks HTTP/1.1 and, over TLS, HTTP/2, and keeps connections open for the script's next requests.
---
--- A host name is tried at every address that it has, so a server that listens only on ::1 or only on
--- 127.0.0.1 answers as `localhost` all the same; when none answers, the error has them all in `addresses`.
---
--- A status of 400 or more is an answer, not an error.
---@class mur.http
local http = {}

---@class mur.TLSOptions
---@field ca? string Path of a PEM file with the authorities to trust, instead of the system's.
---@field cert? string Path of a PEM file with the client's certificate.
---@field key? string Path of a PEM file with its key.
---@field server_name? string The name that the server's certificate must have. Default: the URL's host.
---@field insecure? boolean Do not check the server's certificate. Default false.

---@class mur.RequestOptions
---@field method? string Default "GET", or "POST" when there is a body.
---@field headers? table<string, string|string[]> A name in any case; a list sends the header several times.
---@field query? table<string, string|number|boolean> Added to the URL, escaped, in the order of their names.
---@field body? string
---@field json? any Sent as JSON, with its content type. Not together with `body`.
---@field timeout? number Seconds for everything, the body included. Default 30; 0 is no limit.
---@field connect_timeout? number Seconds for each address. Default 5.
---@field redirects? integer How many redirects to follow. Default 10; 0 returns the redirect itself.
---@field max_body? integer Bytes of the body that are accepted. Default 16 MiB. Not for streams.
---@field unix? string Path of a unix socket to connect to, whatever the URL's host is.
---@field tls? mur.TLSOptions

---@class mur.Request : mur.RequestOptions
---@field url string

---@class mur.Response
---@field status integer
---@field reason string The words after the status: "Not Found".
---@field headers table<string, string> Names in lower case; several values are joined with ", ".
---@field body string
---@field url string After redirects.
---@field took number Seconds from the call to the end of the body.

--- Sends a request and reads the answer.
---
--- Raises `unreachable` when no address accepts a connection; the field `addresses` lists `{ address, error }`.
--- Raises `timeout` when the answer is not complete in time.
--- Raises `tls` when the server's certificate is not trusted.
--- Raises `too_large` when the body is longer than `max_body`.
--- Raises `bad_url` when the URL is not an http or https one.
--- Raises `io` when the connection breaks.
---
--- ```lua
--- local mur = require "mur"
--- local ok, err = pcall(mur.http.request, { url = "http://localhost:1/", timeout = 2 })
--- assert(not ok and err.kind == "unreachable" and #err.addresses >= 1)
--- ```
---@async
---@param request mur.Request
---@return mur.Response response
function http.request(request) end

--- Gets a URL: `mur.http.request` in short.
---
--- ```lua
--- local mur = require "mur"
--- local ok, response = pcall(mur.http.get, "http://localhost:1/health", { timeout = 1 })
--- if ok then print(response.status) end
--- ```
---@async
---@param url string
---@param options? mur.RequestOptions
---@return mur.Response response
function http.get(url, options) end

--- Posts to a URL: a string as it is, any other value as JSON.
---
--- ```lua
--- local mur = require "mur"
--- pcall(mur.http.post, "http://localhost:1/jobs", { name = "sum" }, { timeout = 1 })
--- ```
---@async
---@param url string
---@param body any
---@param options? mur.RequestOptions
---@return mur.Response response
function http.post(url, body, options) end

--- Sends a request and returns when the headers of the answer are there. The body is read piece by piece; `timeout` limits the
--- wait for the headers and then for each piece.
---
--- Raises what `mur.http.request` raises.
---
--- ```lua
--- local mur = require "mur"
--- local ok, stream = pcall(mur.http.stream, { url = "http://localhost:1/events" })
--- if ok then
---   for line in stream:lines() do print(line) end
--- end
--- ```
---@async
---@param request mur.Request
---@return mur.HTTPStream stream
function http.stream(request) end

--- An answer whose body is still being read. Close it when you leave it unread.
---@class mur.HTTPStream
---@field status integer
---@field headers table<string, string> Names in lower case.
local HTTPStream = {}

--- Returns the next piece of the body as soon as some is there, at most 64 KiB; nil at its end.
---
--- Raises `timeout` when none comes in time.
--- Raises `io` when the connection breaks.
---@async
---@return string|nil piece
function HTTPStream:read() end

--- Returns an iterator over the lines of the body, without their line ends.
---
--- Raises what `read` raises.
---@return fun(): string|nil
function HTTPStream:lines() end

--- Gives the connection up. A second call does nothing.
function HTTPStream:close() end

return http
