package engine

import (
	"errors"
	"syscall"
)

// errorNumber is the number of a failed system call, as the third result of io and os functions; 0 when it has none.
func errorNumber(err error) int {
	var number syscall.Errno
	if errors.As(err, &number) {
		return int(number)
	}
	return 0
}
