// Package numeral reads and writes numbers as Lua 5.1 does.
package numeral
