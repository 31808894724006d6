package process

import (
	"errors"
	"os"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/windows"
)

var surroundings = sync.OnceValue(func() here {
	host, _ := os.Hostname()
	return here{origin: Origin{Host: host}}
})

// held is a process handle. The number cannot be handed on while it is open.
type held struct {
	handle windows.Handle
	stop   windows.Handle // an event that ends await; 0 until kept
}

func hold(pid int) (*held, error) {
	const rights = windows.PROCESS_QUERY_LIMITED_INFORMATION | windows.SYNCHRONIZE
	handle, err := windows.OpenProcess(rights|windows.PROCESS_TERMINATE, false, uint32(pid))
	if errors.Is(err, windows.ERROR_ACCESS_DENIED) {
		handle, err = windows.OpenProcess(rights, false, uint32(pid))
	}
	switch {
	case errors.Is(err, windows.ERROR_INVALID_PARAMETER):
		return nil, os.ErrProcessDone
	case err != nil:
		return nil, err
	}
	return &held{handle: handle}, nil
}

// startToken is the creation time, in units of 100 ns since 1601.
func startToken(pid int, _ here) (string, error) {
	process, err := hold(pid)
	if err != nil {
		return "", err
	}
	defer process.close()
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(process.handle, &created, &exited, &kernel, &user); err != nil {
		return "", err
	}
	return strconv.FormatUint(uint64(created.HighDateTime)<<32|uint64(created.LowDateTime), 10), nil
}

func (h *held) keep() (err error) {
	h.stop, err = windows.CreateEvent(nil, 1, 0, nil)
	return err
}

func (h *held) close() {
	_ = windows.CloseHandle(h.handle)
	if h.stop != 0 {
		_ = windows.CloseHandle(h.stop)
	}
}

func (h *held) method() Method { return ByHandle }

func (h *held) inode() string { return "" }

func (h *held) exited() (bool, error) {
	event, err := windows.WaitForSingleObject(h.handle, 0)
	return err == nil && event == windows.WAIT_OBJECT_0, err
}

// signal ends the process, whatever the signal: there is no other on Windows.
func (h *held) signal(sig syscall.Signal) error {
	if exited, _ := h.exited(); exited {
		return os.ErrProcessDone
	}
	if sig == 0 {
		return nil
	}
	return windows.TerminateProcess(h.handle, 128+uint32(sig))
}

// await returns true when the process has exited and false when interrupt was called.
func (h *held) await(closed <-chan struct{}) bool {
	event, err := windows.WaitForMultipleObjects([]windows.Handle{h.handle, h.stop}, false, windows.INFINITE)
	if err != nil {
		return pollExit(h, closed)
	}
	return event == windows.WAIT_OBJECT_0
}

func (h *held) interrupt() { _ = windows.SetEvent(h.stop) }

func outOfDescriptors(error) bool { return false }
