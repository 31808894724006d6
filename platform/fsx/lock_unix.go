//go:build unix

package fsx

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock uses flock, whose lock belongs to the open file and not to the process, so that closing
// another descriptor of the same file elsewhere in the process does not drop it.
func tryLock(file *os.File) error {
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var locked error
	if err := raw.Control(func(fd uintptr) { locked = flock(int(fd)) }); err != nil {
		return err
	}
	return locked
}

func flock(fd int) error {
	for {
		switch err := unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB); {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrLocked
		default:
			return err
		}
	}
}
