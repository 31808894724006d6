package fsx

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

func openNoWait(path string) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, ErrNotRegular
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, PrivateFileMode)
}

// tryLock locks a byte far behind the end: nobody can read one that is locked.
func tryLock(file *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}
