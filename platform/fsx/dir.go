package fsx

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// PrivateDirMode is the mode of a directory that only its owner may enter.
const PrivateDirMode os.FileMode = 0o700

// EnsurePrivateDir makes the directory path, and its missing parents, and sets path to
// [PrivateDirMode] whatever it was before. Parents that existed keep their mode; those made here are
// private too.
//
// The error is "<path>: <reason>".
func EnsurePrivateDir(path string) error {
	if err := os.MkdirAll(path, PrivateDirMode); err != nil {
		return fmt.Errorf("%s: %w", path, Reason(err))
	}
	// Chmod also undoes a umask that was stricter than the mode.
	if err := os.Chmod(path, PrivateDirMode); err != nil {
		return fmt.Errorf("%s: %w", path, Reason(err))
	}
	return nil
}

// Reason strips the operation and the path that the standard library puts in front of a file error,
// for messages that name the path themselves. Any other error comes back as it is.
func Reason(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	var call *os.SyscallError
	if errors.As(err, &call) {
		return call.Err
	}
	return err
}

// NotDirectory is the error for a path that must be a directory and is something else.
func NotDirectory(path string) error {
	return fmt.Errorf("%s: %w", path, syscall.ENOTDIR)
}
