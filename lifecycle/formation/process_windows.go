package formation

import (
	"os"
	"syscall"
)

func attributes(bool) *syscall.SysProcAttr { return nil }

// killGroup does nothing: Windows has no process groups.
func killGroup(int) {}

func awaitExit(*os.Process) {}

func closeInherited() {}
