package process

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// zombie is SZOMB of sys/proc.h.
const zombie = 5

var errNoToken = errors.New("its start time could not be read")

// held is a process's number and what it started with. There is nothing on macOS that holds a
// process and takes a signal; a kqueue only tells of its exit.
type held struct {
	pid   int
	token string
	queue int // -1 until kept
}

func hold(pid int) (*held, error) {
	if err := unix.Kill(pid, 0); errors.Is(err, unix.ESRCH) {
		return nil, os.ErrProcessDone
	}
	token, dead, _ := describe(pid)
	if dead {
		return nil, os.ErrProcessDone
	}
	return &held{pid: pid, token: token, queue: -1}, nil
}

// describe reads when the process started. Of a number that nothing holds the kernel says nothing
// (EIO), and a process that has exited and was not waited for it calls a zombie; both are dead.
func describe(pid int) (token string, dead bool, err error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	switch {
	case err != nil && errors.Is(unix.Kill(pid, 0), unix.ESRCH):
		return "", true, os.ErrProcessDone
	case err != nil:
		return "", false, err
	case int(info.Proc.P_pid) != pid:
		return "", false, errNoToken
	}
	started := info.Proc.P_starttime
	return fmt.Sprintf("%d.%06d", started.Sec, started.Usec), info.Proc.P_stat == zombie, nil
}

func startToken(pid int, _ here) (string, error) {
	token, _, err := describe(pid)
	return token, err
}

// keep registers for the exit. The filter belongs to the process and not to its number.
func (h *held) keep() error {
	queue, err := unix.Kqueue()
	if err != nil {
		return err
	}
	unix.CloseOnExec(queue)
	events := make([]unix.Kevent_t, 2)
	unix.SetKevent(&events[0], h.pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	events[0].Fflags = unix.NOTE_EXIT
	unix.SetKevent(&events[1], 1, unix.EVFILT_USER, unix.EV_ADD)
	if _, err := unix.Kevent(queue, events, nil, nil); err != nil && !errors.Is(err, unix.ESRCH) {
		_ = unix.Close(queue)
		return err
	}
	h.queue = queue
	return nil
}

// await returns true when the process has exited and false when closed is closed and interrupt was
// called.
func (h *held) await(closed <-chan struct{}) bool {
	events := make([]unix.Kevent_t, 1)
	for {
		// It may have exited before the filter was added.
		if exited, _ := h.exited(); exited {
			return true
		}
		n, err := unix.Kevent(h.queue, nil, events, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n == 0 {
			return pollExit(h, closed)
		}
		return events[0].Filter == unix.EVFILT_PROC
	}
}

func (h *held) interrupt() {
	wake := make([]unix.Kevent_t, 1)
	unix.SetKevent(&wake[0], 1, unix.EVFILT_USER, 0)
	wake[0].Fflags = unix.NOTE_TRIGGER
	_, _ = unix.Kevent(h.queue, wake, nil, nil)
}

func (h *held) close() {
	if h.queue >= 0 {
		_ = unix.Close(h.queue)
	}
}

func (h *held) method() Method { return ByNumber }

func (h *held) inode() string { return "" }

func (h *held) exited() (bool, error) {
	if err := unix.Kill(h.pid, 0); errors.Is(err, unix.ESRCH) {
		return true, nil
	}
	token, dead, err := describe(h.pid)
	return dead || err == nil && h.token != "" && token != h.token, nil
}

func (h *held) signal(sig syscall.Signal) error {
	token, dead, err := describe(h.pid)
	switch {
	case dead:
		return os.ErrProcessDone
	case err != nil:
		return err
	case h.token == "":
		return errNoToken
	case token != h.token:
		return os.ErrProcessDone
	}
	err = unix.Kill(h.pid, sig)
	if errors.Is(err, unix.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

func outOfDescriptors(err error) bool {
	return errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE)
}
