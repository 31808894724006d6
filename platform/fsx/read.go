package fsx

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
// whether it did. What was put in its place meanwhile stays, however close the two come: the file is
// moved aside first, looked at there, and moved back if it is another one. For that moment it cannot be
// seen under its name.
func RemoveVersion(path string, version Version) (removed bool, err error) {
	found, err := versionAt(path)
	if errors.Is(err, os.ErrNotExist) || err == nil && found != version {
		return false, nil
	}
	if err == nil {
		removed, err = takeAway(path, version)
	}
	if err != nil {
		return false, fmt.Errorf("%s: %w", path, Reason(err))
	}
	return removed, nil
}

func takeAway(path string, version Version) (removed bool, err error) {
	// Not named after the file, whose name may be as long as names can be.
	aside := filepath.Join(filepath.Dir(path), StagingName("removed"))
	if err := os.Rename(path, aside); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			err = nil
		}
		return false, err
	}
	taken, err := versionAt(aside)
	// Moving is a change too.
	taken.changed = version.changed
	if err == nil && taken == version {
		return true, os.Remove(aside)
	}
	return false, putBack(aside, path)
}

// putBack moves a file back to its name, unless a newer one has that by now.
func putBack(aside, path string) error {
	err := os.Link(aside, path)
	if err == nil || errors.Is(err, os.ErrExist) {
		return os.Remove(aside)
	}
	// There are file systems without links.
	return os.Rename(aside, path)
}
