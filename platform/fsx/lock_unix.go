//go:build unix

package fsx

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// openNoWait neither follows a link nor waits for whoever is at the other end of a pipe.
func openNoWait(path string) (*os.File, error) {
	const flags = os.O_RDWR | os.O_CREATE | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY
	file, err := os.OpenFile(path, flags, PrivateFileMode)
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENXIO) || errors.Is(err, unix.EISDIR) {
		return nil, ErrNotRegular
	}
	return file, err
}

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
