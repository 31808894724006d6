// Package listener finds the processes that listen on a TCP port of this machine.
//
// [Holders] is all there is. It answers for people who have to be told who is in the way; nothing may be decided or
// signalled by it, because a process that it names may have ended since.
package listener

// Process is one that holds a listening socket. Name is what the kernel calls its program.
type Process struct {
	PID  int
	Name string
}
