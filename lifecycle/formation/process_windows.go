package formation

import (
	"os"
	"syscall"
)

func attributes(bool) *syscall.SysProcAttr { return nil }

// killGroup does nothing: Windows has no process groups.
func killGroup(int) {}

// awaitExit leaves the waiting to os/exec.
func awaitExit(*os.Process) bool { return false }

func closeInherited() {}
