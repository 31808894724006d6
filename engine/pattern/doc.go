// Package pattern matches Lua 5.1 patterns. It is pure: subject and pattern are strings, positions are byte offsets.
//
// Patterns backtrack, so a short one can take very long. A [Matcher] therefore calls back every few thousand steps and
// ends when the callback returns an error: a deadline always gets through.
package pattern
