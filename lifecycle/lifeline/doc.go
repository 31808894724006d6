// Package lifeline makes and holds lifelines: pipes that tell a process when the one that started it
// has ended.
//
// A creator makes a [Line] before it spawns anything, hands the read end to one child through
// [Line.Reader], calls [Line.Spawned] when the child has its copy, and keeps the only write end until it
// wants the child to wind down. It never writes. When the creator dies, by SIGKILL too, the kernel
// closes the write end.
//
// The child names the descriptor to itself in an environment variable ([Formation] or [Spawner]) and
// takes it over with [Claims.Take], which refuses everything that is not the read end of a pipe. A [Held]
// line's [Held.Ended] channel closes once, at end of file, also when that came before anybody looked.
//
// Both ends are close-on-exec from birth, so no other child of the creator ever holds a write end.
// All types are safe for concurrent use. Windows has no inheritable descriptors in this sense: there
// [New] and [Claims.Take] report [errors.ErrUnsupported].
package lifeline
