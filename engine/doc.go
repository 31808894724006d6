// Package engine hosts Lua scripts: it runs them as sequential-looking tasks, lets Go functions block without
// stopping other tasks, turns errors of both languages into one kind, and ends everything on request.
//
// Start with [New] and [Host.Run]; a module written in Go is a [Module] full of [Function] values.
//
// # Concurrency
//
// One [Host] is one Lua VM behind one lock. A task is a goroutine with a Lua thread of its own; only the holder of
// the lock touches Lua values. Tasks switch only where a Go function calls [Call.Block], so scripts need no locks.
// [Host.Spawn], [Host.Do], [Host.Stop], [Host.Kill] and [Host.Close] may be called from any goroutine that does not
// hold the lock; a [Call] and every Lua value belong to the goroutine that holds it.
//
// # Stopping
//
// A soft stop ends the contexts that blocking calls wait on: they return a "cancelled" error and the script may tidy
// up. A hard stop follows after a grace: no more Lua runs in the stopped tasks, only the functions given to mur.defer
// and the host's [Host.OnClose] hooks, each with a deadline of their own.
//
// # What the stock library does wrong
//
// The stock protected calls cut closures off from their variables, yields do not cross Go functions, and Go panics
// become strings. The host therefore runs every protected call on a Lua thread of its own and every coroutine on a
// goroutine of its own, and has its own base library. The stock protected call is used in protect.go alone.
package engine
