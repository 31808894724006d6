// Package process says which process is meant, whether it is still there, and signals that one and no
// other.
//
// A process id is a number that is handed on: by the time it is used it may name somebody else's
// process. An [Identity] is the number together with what does not change hands: the start token, and
// beside it the [Origin], the facts without which number and token mean nothing (which boot, which
// namespaces). [Identify] takes the identity of a running process, [Inspect] says whether it still
// runs, and [OpenIdentity] takes hold of it so that it can be signalled and its exit noticed:
//
//	ref, state := process.OpenIdentity(id)
//	if state.Kind != process.Alive {
//		return state.Reason
//	}
//	defer ref.Close()
//	err := ref.Signal(syscall.SIGTERM)
//
// # What each platform guarantees
//
// On Linux a [Ref] is a pidfd, opened before the identity is read: while it is open the number cannot
// come to mean another process unnoticed, so no signal can reach a stranger, and the kernel wakes
// whoever waits for the exit. Where pidfd_open is missing or forbidden, a descriptor of /proc/<pid>
// gives the same for signals. Where that fails too, the identity is read again right before kill(2),
// which narrows the window and cannot close it. On macOS the last way is the only one; exits are
// noticed by kqueue. On Windows the process handle closes the window, and the only signal is the one
// that ends the process. [Ref.Method] says which way was taken. When no descriptor is left, nothing is
// signalled.
//
// Everything here is safe for concurrent use. Nothing here waits for, or reaps, a child.
package process
