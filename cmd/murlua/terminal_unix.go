//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

func probeTerminal(file *os.File) terminal {
	fd := int(file.Fd())
	columns := func() int {
		size, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ)
		if err != nil {
			return 0
		}
		return int(size.Col)
	}
	_, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ)
	return terminal{isTerminal: err == nil, columns: columns}
}
