// Package stdlib holds the Lua sources that come with the host, embedded. Each file <name>.lua is the module
// mur.<name>; it gets the Go module of the same name, or nil, as its argument and returns the module's table. A file
// <name>-<part>.lua is a part that mur.<name> requires, and no module to others.
package stdlib

import "embed"

// Files holds the sources, in one flat folder.
//
//go:embed *.lua
var Files embed.FS
