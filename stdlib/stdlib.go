// Package stdlib holds the Lua sources that come with the host, embedded. Each file <name>.lua is the module
// mur.<name>; it gets the Go module of the same name, or nil, as its argument and returns the module's table.
package stdlib

import "embed"

// Files holds the sources, in one flat folder.
//
//go:embed *.lua
var Files embed.FS
