package child

import "golang.org/x/sys/unix"

// awaitChild blocks a thread until the child can be waited for, and leaves it to be waited for.
func awaitChild(pid int) bool {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err == nil
		}
	}
}

// markCloseOnExec needs Linux 5.11; before that inherited descriptors stay as they are.
func markCloseOnExec() {
	_ = unix.CloseRange(3, ^uint(0)>>32, unix.CLOSE_RANGE_CLOEXEC)
}
