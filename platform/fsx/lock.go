package fsx

import (
	"errors"
	"fmt"
	"os"
)

// ErrLocked is returned by [TryLock] when another holder has the lock.
var ErrLocked = errors.New("another process holds the lock")

// Lock is an advisory lock on a file, held until [Lock.Unlock] or the end of the process, whichever
// comes first: a holder that is killed leaves no lock behind.
type Lock struct{ file *os.File }

// TryLock takes the exclusive lock on the file path, made at [PrivateFileMode] when missing, without
// waiting. Two holders exclude each other also within one process. The error wraps [ErrLocked] when
// the lock is taken. The caller ends the lock with [Lock.Unlock].
//
// The file stays after the lock has ended: removing it would let two holders lock two files of one
// name.
func TryLock(path string) (*Lock, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, PrivateFileMode)
	if err != nil {
		return nil, fmt.Errorf("cannot lock %s: %w", path, Reason(err))
	}
	if err := tryLock(file); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("cannot lock %s: %w", path, err)
	}
	return &Lock{file}, nil
}

// Unlock ends the lock. It may be called more than once.
func (l *Lock) Unlock() error {
	if err := l.file.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("cannot unlock %s: %w", l.file.Name(), Reason(err))
	}
	return nil
}
