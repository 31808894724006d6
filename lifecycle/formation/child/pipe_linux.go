package child

import (
	"os"

	"golang.org/x/sys/unix"
)

// outputPipe makes the pipe for a stream of a process. Its write end is handed on and closed: nobody waits for it here, so
// it is not made known to the poller.
func outputPipe() (reader, writer *os.File, err error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	_ = unix.SetNonblock(fds[0], true) // a pipe can always be
	return os.NewFile(uintptr(fds[0]), "|0"), os.NewFile(uintptr(fds[1]), "|1"), nil
}
