//go:build unix

package member

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// openInherited takes over the descriptor of the formation channel: a pipe, or a regular file for those who start a
// member by hand.
func openInherited(value string) (*os.File, error) {
	if strings.Trim(value, "0123456789") != "" {
		return nil, errors.New("it is not a decimal descriptor number")
	}
	number, err := strconv.ParseUint(value, 10, 64)
	switch {
	case err != nil || number > math.MaxInt32:
		return nil, errors.New("the descriptor number is out of range")
	case number < 3:
		return nil, fmt.Errorf("descriptor %d is a standard stream", number)
	}
	fd := int(number)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return nil, fmt.Errorf("descriptor %d is not open", fd)
	}
	switch stat.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFIFO:
		// The runtime's poller then watches it, so that closing it wakes the reader.
		if err := unix.SetNonblock(fd, true); err != nil {
			return nil, fmt.Errorf("descriptor %d cannot be watched: %w", fd, err)
		}
	default:
		return nil, fmt.Errorf("descriptor %d is neither a pipe nor a regular file", fd)
	}
	unix.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), "formation channel"), nil
}
