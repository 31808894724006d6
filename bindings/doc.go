// Package bindings gives the lifecycle packages to Lua: each file is one module of mur, and [World.Modules] is the
// table of them.
//
// Start with [World], which says what the modules may touch, and hand its [World.Modules] to a host. A module reads
// its arguments with the readers of the call, waits only inside its Block, and returns Go errors; errors.go is the one
// place that decides how they look in Lua.
//
// Conventions of the Lua face: essentials first and then one options table whose unknown keys are errors; failures
// are raised, and nil with an error is returned only for outcomes that a script has to expect; times are seconds.
//
// A World is used by one host. Its methods are safe for concurrent use.
package bindings
