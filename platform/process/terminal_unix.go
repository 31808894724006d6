//go:build unix

package process

import "os"

// HasControllingTerminal reports whether this process has a controlling terminal, whatever its
// standard streams are: whether /dev/tty opens.
func HasControllingTerminal() bool {
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	_ = tty.Close()
	return true
}
