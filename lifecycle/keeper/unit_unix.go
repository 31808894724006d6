//go:build unix && !linux

package keeper

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"murlua/platform/process"
)

// A unit is a process group. Its number is only used while its first process is not reaped.
type unit struct {
	attr  *syscall.SysProcAttr
	group int // 0: the command is in this process's own group
}

func newUnit(c *Command) (*unit, error) {
	attr := &syscall.SysProcAttr{Setpgid: !c.Foreground && !c.Terminal}
	if c.Terminal {
		attr.Setsid, attr.Setctty = true, true
	}
	if c.Foreground {
		return &unit{attr: attr}, nil
	}
	return &unit{attr: attr, group: -1}, nil
}

func (u *unit) attributes() *syscall.SysProcAttr { return u.attr }

func (u *unit) adopt(p *os.Process) error {
	if u.group != 0 {
		u.group = p.Pid
		return nil
	}
	u.group = -p.Pid // of a process alone: kill(2) with the two signs swapped
	return nil
}

func (u *unit) signal(signal syscall.Signal) error {
	err := unix.Kill(-u.group, signal)
	if err == nil && u.group > 1 {
		_ = unix.Kill(-u.group, unix.SIGCONT)
	}
	return err
}

func (u *unit) kill() { _ = unix.Kill(-u.group, unix.SIGKILL) } // what has gone already is what was wanted

// awaitExit returns when the process has ended, without reaping it, as far as the system can tell.
func (u *unit) awaitExit(p *os.Process) {
	if held, err := process.Open(p.Pid); err == nil {
		<-held.Exited()
		held.Close()
	}
}

func (u *unit) close() {}

func statusOfState(state *os.ProcessState) Status {
	if wait, ok := state.Sys().(syscall.WaitStatus); ok {
		return statusOf(uint32(wait))
	}
	return Status{Code: -1, Lost: true}
}
