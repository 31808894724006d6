// Package value holds Lua values as they were at one moment, to show and compare them.
//
// [Of] copies a Lua value, with everything it reaches, into a [Value] that no longer needs the Lua host.
// [Format] prints one as a person wants to read it, within limits, and [Diff] says where two of them differ.
//
// Copying reads tables raw: it runs no metamethod, so it neither blocks nor calls a script. What an opaque
// value (a userdata, a table with __tostring) calls itself comes from a function the caller may pass.
// A Value is never changed after it was made and is safe for concurrent use.
package value
