// Package credential holds what proves who is calling: secrets that do not show themselves, the tokens of a
// formation and the tokens of a door.
//
// Start with [Secret], which every package uses for a token that it holds or passes on, then with [Authority],
// the Ed25519 key by which a launcher lets its members call each other, and [Verifier], by which a member's door
// checks such a call.
//
// Keys live in memory only and are never written anywhere; a token dies with the process that can verify it.
// Everything here is safe for concurrent use, does no input or output, and starts no goroutine.
package credential
