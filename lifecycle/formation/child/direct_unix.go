//go:build unix

package child

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"murlua/platform/process"
)

func attributes(ownGroup bool) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: ownGroup}
}

// killGroup kills the process group that the process with that number leads. Numbers that would mean our own
// group or everybody are refused.
func killGroup(pid int) {
	if pid > 1 {
		_ = unix.Kill(-pid, unix.SIGKILL)
	}
}

func signalGroup(p *os.Process, signal syscall.Signal) {
	if p.Pid > 1 {
		_ = unix.Kill(-p.Pid, signal)
	}
}

// awaitExit returns when the process has ended, without reaping it; the process is an unreaped child, so its
// number is its own throughout. False means that it cannot be waited for in this way.
func awaitExit(p *os.Process) bool {
	held, err := process.Open(p.Pid)
	if err != nil {
		return awaitChild(p.Pid)
	}
	defer held.Close()
	<-held.Exited()
	return true
}

// closeInherited makes every descriptor above the standard streams close-on-exec: those that this program opened are already,
// those that it inherited itself may not be, and would reach every member.
func closeInherited() { markCloseOnExec() }
