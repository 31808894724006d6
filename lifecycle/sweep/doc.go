// Package sweep finds what sessions, formations and hosts left behind, and removes or ends what it is told to.
//
// Start with [Find], which changes nothing: it lists records, formation directories, files that are no records, and
// what hosts that are gone left running, each with what is known about its life. Then [Act] does one thing to one
// item. What is to happen to which item is the caller's policy; this package only refuses what would be wrong:
// everything is verified again right before it is done, no process is signalled that was not identified at that
// moment, and nothing that may still be in use is removed. A reading that could not be taken is no evidence.
//
// Items are plain data; the functions may be called concurrently.
package sweep
