// Package output keeps what a process writes and lets others read along.
//
// [Pump] reads a stream to its end and hands it on in blocks of whole lines, in order, the last one too, with
// bounded memory however long a line is. A [File] keeps blocks on disk: owner-only, rotated by size, never losing a
// byte in between. From another process [Read] reads a kept file, and [Follow] all that a folder keeps, across rotations and
// with the files that come later, as the system notices changes.
//
// Bytes pass as they are: colours, invalid UTF-8 and carriage returns are nobody's business here.
//
// A File is safe for concurrent use, also by several pumps; a Pump, a Read and a Follow each belong to the
// goroutine that calls them.
package output
