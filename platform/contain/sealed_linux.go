package contain

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Seal makes the process that attr starts the first one of a new pid namespace, with mounts of its own so that
// it can have a /proc that shows that namespace. An ordinary user gets a user namespace in which it is itself.
func Seal(attr *syscall.SysProcAttr) {
	attr.Cloneflags |= unix.CLONE_NEWPID | unix.CLONE_NEWNS
	if os.Geteuid() == 0 {
		return
	}
	attr.Cloneflags |= unix.CLONE_NEWUSER
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN} // for the mount; EnterSealed drops it again
}

// EnterSealed finishes in the new process what [Seal] began: a /proc of its own. Call it on the thread that will
// start the command. Without a right /proc nothing could be found, so its failure refuses the class.
func EnterSealed() error {
	if os.Getpid() != 1 {
		return fmt.Errorf("cannot seal: this is process %d of its namespace, not the first", os.Getpid())
	}
	if err := unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("cannot keep mounts private: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("cannot mount /proc for the namespace: %w", err)
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("cannot drop the capability to mount: %w", err)
	}
	return nil
}
