package process

import (
	"errors"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

var errNoToken = errors.New("its start time could not be read")

// held is one process: a descriptor of it where the kernel gives one, else its number.
type held struct {
	pid int
	how Method
	fd  int // of a pidfd or of /proc/<pid>; -1 otherwise
	// file owns fd once the process is kept.
	file *os.File
	// token is what the process started with, when only the number is left to go by.
	token string
}

// hold takes hold of the process that has the number. The ways are tried from the surest down; the
// lack of descriptors is an error and not a reason to take a less sure way.
func hold(pid int) (*held, error) {
	fd, err := retry(func() (int, error) { return unix.PidfdOpen(pid, 0) })
	switch {
	case err == nil:
		return &held{pid: pid, how: ByHandle, fd: fd}, nil
	// The number of a thread that is not its process's first: EINVAL, from Linux 6.15 on ENOENT.
	case errors.Is(err, unix.ESRCH), errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOENT):
		return nil, os.ErrProcessDone
	case outOfDescriptors(err):
		return nil, err
	}
	return holdWithoutPidfd(pid)
}

// holdWithoutPidfd serves kernels before 5.3 and sandboxes that forbid pidfd_open.
func holdWithoutPidfd(pid int) (*held, error) {
	if err := unix.Kill(pid, 0); errors.Is(err, unix.ESRCH) {
		return nil, os.ErrProcessDone
	}
	fd, err := openProc(pid)
	if outOfDescriptors(err) {
		return nil, err
	}
	if err == nil {
		if err := sendSignal(fd, 0); err == nil || errors.Is(err, unix.EPERM) && signalsAllowed() {
			return &held{pid: pid, how: ByProcDirectory, fd: fd}, nil
		}
		_ = unix.Close(fd)
	}
	process := &held{pid: pid, how: ByNumber, fd: -1}
	if stat, err := readStat(pid); err == nil {
		process.token = stat.start
	}
	return process, nil
}

// signalsAllowed tells a process's EPERM from that of a sandbox: one may always ask about oneself.
func signalsAllowed() bool {
	fd, err := openProc(os.Getpid())
	if err != nil {
		return false
	}
	defer func() { _ = unix.Close(fd) }()
	return sendSignal(fd, 0) == nil
}

func openProc(pid int) (int, error) {
	return retry(func() (int, error) {
		return unix.Open("/proc/"+strconv.Itoa(pid), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
}

// keep prepares for await: a pidfd joins the runtime's poller.
func (h *held) keep() error {
	if h.how != ByHandle {
		return nil
	}
	if err := unix.SetNonblock(h.fd, true); err != nil {
		return err
	}
	h.file = os.NewFile(uintptr(h.fd), "pidfd")
	return nil
}

func (h *held) close() {
	switch {
	case h.file != nil:
		_ = h.file.Close()
	case h.fd >= 0:
		_ = unix.Close(h.fd)
	}
}

func (h *held) method() Method { return h.how }

// inode is the process's own number where pidfds have one (Linux 6.9 and later), else "".
func (h *held) inode() string {
	if h.how != ByHandle || !pidfs() {
		return ""
	}
	var stat unix.Stat_t
	if err := unix.Fstat(h.fd, &stat); err != nil {
		return ""
	}
	return strconv.FormatUint(stat.Ino, 10)
}

// exited reports whether the whole process has ended, waited for or not.
func (h *held) exited() (bool, error) {
	if h.how == ByHandle {
		return readable(h.fd)
	}
	err := h.probe()
	if errors.Is(err, unix.ESRCH) {
		return true, nil
	}
	stat, err := readStat(h.pid)
	// A stat that cannot be read says nothing.
	return err == nil && (stat.dead() || h.handedOn(stat)), nil
}

// handedOn reports whether the number belongs to another process by now.
func (h *held) handedOn(stat stat) bool { return h.token != "" && stat.start != h.token }

func (h *held) probe() error {
	if h.how == ByProcDirectory {
		return sendSignal(h.fd, 0)
	}
	return unix.Kill(h.pid, 0)
}

func (h *held) signal(sig syscall.Signal) error {
	err := h.send(sig)
	if errors.Is(err, unix.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

func (h *held) send(sig syscall.Signal) error {
	if h.fd >= 0 {
		return sendSignal(h.fd, sig)
	}
	// Only the number is left: it must still be the process that was held.
	stat, err := readStat(h.pid)
	switch {
	case err != nil && errors.Is(unix.Kill(h.pid, 0), unix.ESRCH):
		return unix.ESRCH
	case err != nil:
		return err
	case h.token == "":
		return errNoToken
	case h.handedOn(stat) || stat.dead():
		return unix.ESRCH
	}
	return unix.Kill(h.pid, sig)
}

// await returns true when the process has exited and false when closed is closed and interrupt was
// called.
func (h *held) await(closed <-chan struct{}) bool {
	if h.how != ByHandle {
		return pollExit(h, closed)
	}
	raw, err := h.file.SyscallConn()
	if err == nil {
		err = raw.Read(func(fd uintptr) bool {
			exited, err := readable(int(fd))
			return err == nil && exited
		})
	}
	if err != nil {
		// Either interrupted, or there is nothing to be woken by.
		return pollExit(h, closed)
	}
	return true
}

func (h *held) interrupt() {
	if h.file != nil {
		_ = h.file.SetReadDeadline(time.Unix(1, 0))
	}
}

// readable reports whether a pidfd says that its process has exited.
func readable(fd int) (bool, error) {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	// An interrupted poll has said nothing about the process.
	n, err := retry(func() (int, error) { return unix.Poll(fds, 0) })
	return n == 1 && fds[0].Revents&unix.POLLIN != 0, err
}

func sendSignal(fd int, sig syscall.Signal) error { return unix.PidfdSendSignal(fd, sig, nil, 0) }

func outOfDescriptors(err error) bool {
	return errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE)
}

func retry(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}
