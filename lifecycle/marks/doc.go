// Package marks keeps notes of whose a keeper's marks are, so that what a host and its keeper leave when both are
// killed at the same moment is known for what it is, and ended by whoever comes next.
//
// A host writes a note with [Write] before it has the first command started that is told by its mark alone, and
// removes the file when its keeper has ended. [EndAll] is what the next host does; [Find] and [Left.End] do the same
// by hand, one note at a time.
//
// # What a note proves
//
// A note names a keeper's marks, its host and itself, with what never changes hands (see [process.Identity]). Only
// when both are proved to have ended, its processes are looked for: those that carry exactly this keeper's marks,
// which are random, and belong to this user. Everything else is left: a process that gave itself other limits, one of
// another user, one of a host in another pid namespace or on another machine that shares the folder. Of an earlier
// boot nothing lives, so the note alone is removed. A process never ends what it is part of itself.
//
// # The folder
//
// It belongs to this user and is open to nobody else, or it is not used at all: a note makes us kill. The files are
// <mark, 16 hex digits>.json, 0600. A plain file of such a name that is no note was never written by a host, which
// puts its files in place whole; it is removed. So is, after an hour, what a host was killed over. Whatever else is there is left alone, and never opened for long.
//
// Notes mean nothing where there are no marks (see [contain.Mark]): outside Linux nothing is written, found or ended.
// Everything may be called concurrently, by several processes too.
package marks
