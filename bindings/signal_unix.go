//go:build unix

package bindings

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// signalByName finds a signal by its name with SIG in front.
func signalByName(name string) (syscall.Signal, bool) {
	signal := unix.SignalNum(name)
	return signal, signal != 0
}
