// Package rewrite changes parsed chunks so that the library's compiler gets right what it gets wrong.
//
// Numerals with leading zeros are decimal, assignments read everything before they write anything, conditions that are
// constants are decided, and ".." goes through a function of ours, which writes numbers as Lua does and keeps within the
// limit on strings. The chunk means the same afterwards, and its lines are those it had.
package rewrite
