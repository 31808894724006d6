// Package repl evaluates what a person types, line after line, in a running Lua host. It knows no terminal: a
// prompt, a socket or a test feeds it and shows what it returns.
//
// Start with [New] and [Session.Eval]. Input is an expression, whose values are shown, or statements; what ends
// in the middle asks for more. Variables that a line declares with local stay for the lines after it: the
// session keeps them, and functions of earlier lines see later changes, as they would in one chunk.
//
// A Session is used by one goroutine at a time. Several sessions may share one host: each has its own locals,
// and evaluates in a task of its own that can be stopped without touching the others.
package repl
