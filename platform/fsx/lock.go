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
// waiting. Two holders exclude each other also within one process; processes that the holder starts do
// not hold it too. The error wraps [ErrLocked] when the lock is taken, and [ErrNotRegular] when path is a
// symbolic link, which is not followed, a pipe, or anything else that is no regular file. The caller
// ends the lock with [Lock.Unlock], which leaves the file, or with [Lock.Remove].
func TryLock(path string) (*Lock, error) {
	for range lockAttempts {
		file, err := openLock(path)
		if err != nil {
			return nil, fmt.Errorf("cannot lock %s: %w", path, Reason(err))
		}
		if err := tryLock(file); err != nil {
			_ = file.Close()
			return nil, fmt.Errorf("cannot lock %s: %w", path, err)
		}
		// The last holder may have removed the file between our opening and our locking it. Then the lock is one on a file
		// without a name, and somebody else can lock a new one of this name.
		if isStill(file, path) {
			return &Lock{file}, nil
		}
		_ = file.Close()
	}
	return nil, fmt.Errorf("cannot lock %s: %w", path, ErrLocked)
}

// lockAttempts bounds how often a file that others take and remove at the same moment is tried.
const lockAttempts = 100

// openLock opens the regular file at path, and makes it when there is nothing.
func openLock(path string) (*os.File, error) {
	file, err := openNoWait(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = ErrNotRegular
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

func isStill(file *os.File, path string) bool {
	opened, err := file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(path)
	return err == nil && os.SameFile(opened, named)
}

// Write replaces what the file holds by data, at [PrivateFileMode]. A reader, who needs no lock, may see a part of it
// meanwhile. An error may leave the file empty.
func (l *Lock) Write(data []byte) error {
	err := l.file.Chmod(PrivateFileMode)
	if err == nil {
		err = l.file.Truncate(0)
	}
	if err == nil {
		_, err = l.file.WriteAt(data, 0)
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", l.file.Name(), Reason(err))
	}
	return nil
}

// Unlock ends the lock. It may be called more than once.
func (l *Lock) Unlock() error {
	if err := l.file.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("cannot unlock %s: %w", l.file.Name(), Reason(err))
	}
	return nil
}

// Remove removes the file and then ends the lock; where an open file cannot be removed it only ends the lock. It must not
// follow [Lock.Unlock]: the file may be somebody else's then.
func (l *Lock) Remove() error {
	_ = os.Remove(l.file.Name()) // while it is locked, so that nobody holds it
	return l.Unlock()
}
