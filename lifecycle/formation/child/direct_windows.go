package child

import (
	"os"
	"syscall"
)

func attributes(bool) *syscall.SysProcAttr { return nil }

// killGroup does nothing: Windows has no process groups.
func killGroup(int) {}

// signalGroup reaches the process alone, and only to kill it.
func signalGroup(p *os.Process, _ syscall.Signal) { _ = p.Kill() }

// awaitExit leaves the waiting to os/exec.
func awaitExit(*os.Process) bool { return false }

func closeInherited() {}
