// Package meta holds the description of murlua's Lua face and reads it as data.
//
// The *.lua files next to this source are stubs in the annotation language of the Lua language server:
// one file per module, annotations and empty bodies, nothing that runs. They are the only place where a
// function of the Lua face is described. The help command, help at the REPL, the reference pages, the
// option names that a script is checked against and the editor stubs all come from them; a test compares
// them with what `require "mur"` really gives.
//
// Start with [Load], which returns everything as [Docs], and [Docs.Function], which finds one function
// by its full name. [Docs.Help] is the text for a terminal, [Markdown] the reference page of a module,
// [Files] the stubs themselves.
//
// A [Docs] is immutable and may be used by several goroutines. The package knows nothing of a running
// Lua state and imports nothing of this module.
package meta
