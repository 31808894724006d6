package fsx

import (
	"errors"
	"fmt"
)

var (
	// ErrNotRegular is wrapped by [ReadRegular] for a path that is no regular file: a directory, a
	// symbolic link, a pipe, a device, a socket.
	ErrNotRegular = errors.New("not a regular file")
	// ErrTooLarge is wrapped by [ReadRegular] for a file above the limit.
	ErrTooLarge = errors.New("larger than the limit")
)

// Version tells one content of one file from another. The zero Version is of no file.
type Version struct {
	device, inode, size uint64
	modified, changed   int64
}

// ReadRegular reads the whole regular file at path, of at most limit bytes, and its version. It
// follows no symbolic link at path, and blocks for nothing: a pipe is refused, not waited for.
func ReadRegular(path string, limit int) ([]byte, Version, error) {
	data, version, err := readRegular(path, limit)
	switch {
	case errors.Is(err, ErrTooLarge):
		return nil, version, fmt.Errorf("%s: %w of %d bytes", path, ErrTooLarge, limit)
	case err != nil:
		return nil, version, fmt.Errorf("%s: %w", path, Reason(err))
	}
	return data, version, nil
}

// RemoveVersion removes the file at path if it is still the version that was read, and reports
// whether it did. What was put in its place meanwhile stays.
//
// Between the last look and the removal there are two adjacent system calls and no more.
func RemoveVersion(path string, version Version) (removed bool, err error) {
	removed, err = removeVersion(path, version)
	if err != nil {
		return false, fmt.Errorf("%s: %w", path, Reason(err))
	}
	return removed, nil
}
