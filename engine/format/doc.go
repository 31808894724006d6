// Package format writes values as C's printf does, as far as Lua 5.1's string.format uses it. It is pure.
package format
