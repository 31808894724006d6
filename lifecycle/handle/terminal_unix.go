//go:build unix

package handle

import (
	"fmt"
	"os"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// openTerminal makes a pseudo-terminal of the given size (0: 24 rows, 80 columns).
func openTerminal(rows, columns uint16) (master, slave *os.File, err error) {
	if master, slave, err = pty.Open(); err != nil {
		return nil, nil, fmt.Errorf("cannot open a terminal: %w", err)
	}
	if rows == 0 || columns == 0 {
		rows, columns = 24, 80
	}
	if err := pty.Setsize(master, &pty.Winsize{Rows: rows, Cols: columns}); err != nil {
		master.Close()
		slave.Close()
		return nil, nil, fmt.Errorf("cannot size a terminal: %w", err)
	}
	return master, slave, nil
}

// duplicate gives a second descriptor for the same file, so that each has one owner.
func duplicate(f *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("cannot duplicate a terminal: %w", err)
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}
