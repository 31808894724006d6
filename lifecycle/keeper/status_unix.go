//go:build unix

package keeper

import "syscall"

// statusOf reads a status as wait4 gives it.
func statusOf(wait uint32) Status {
	w := syscall.WaitStatus(wait)
	if w.Signaled() {
		return Status{Code: -1, Signal: w.Signal(), Core: w.CoreDump()}
	}
	return Status{Code: w.ExitStatus()}
}
