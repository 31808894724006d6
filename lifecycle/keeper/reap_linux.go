package keeper

import (
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"murlua/platform/contain"
)

// waitPidfd reaps exactly the process that the pidfd holds, if it is our child and has ended. os/exec's own
// children are never touched, because only processes that are held here are waited for.
func waitPidfd(fd int) (Status, bool) {
	// The kernel's siginfo of SIGCHLD on 64-bit machines: si_code is the third int, then padding, si_pid, si_uid,
	// and si_status is the seventh.
	var info [128]byte
	const pidfdType = 3 // P_PIDFD, Linux 5.4
	err := unix.Waitid(pidfdType, fd, (*unix.Siginfo)(unsafe.Pointer(&info)), unix.WEXITED|unix.WNOHANG, nil)
	if pid := *(*int32)(unsafe.Pointer(&info[16])); err != nil || pid == 0 {
		return Status{}, false
	}
	code := *(*int32)(unsafe.Pointer(&info[8]))
	status := *(*int32)(unsafe.Pointer(&info[24]))
	const (
		exited = 1 // CLD_EXITED
		dumped = 3 // CLD_DUMPED
	)
	if code == exited {
		return Status{Code: int(status)}, true
	}
	return Status{Code: -1, Signal: syscall.Signal(status), Core: code == dumped}, true
}

// reapAdopted reaps an orphan that was swept, once it has ended.
func reapAdopted(pid int) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return // somebody else's child, and reaped
	}
	defer unix.Close(fd)
	if contain.PidfdWait(fd, time.Now().Add(time.Second)) {
		waitPidfd(fd)
	}
}
