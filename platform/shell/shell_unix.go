//go:build unix

package shell

import (
	"os/exec"
	"syscall"
)

func interpreter(command string) (name string, args []string) {
	return "/bin/sh", []string{"-c", command}
}

// ownGroup gives the command a process group, which is killed as one.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

func exitSignal(exit *exec.ExitError) int {
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return int(status.Signal())
	}
	return 0
}
