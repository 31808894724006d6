//go:build !linux && !darwin && !windows

package process

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"syscall"
)

var errUnsupported = errors.New("start times cannot be read on " + runtime.GOOS)

var surroundings = sync.OnceValue(func() here {
	host, _ := os.Hostname()
	return here{origin: Origin{Host: host}}
})

// held is only a number. Without start times no identity is ever confirmed here, so that nothing is
// signalled and nothing removed but on the proof that no process holds the number.
type held struct{ pid int }

func hold(pid int) (*held, error) {
	if err := syscall.Kill(pid, 0); errors.Is(err, syscall.ESRCH) {
		return nil, os.ErrProcessDone
	}
	return &held{pid}, nil
}

func startToken(int, here) (string, error) { return "", errUnsupported }

func (h *held) keep() error { return nil }

func (h *held) close() {}

func (h *held) interrupt() {}

func (h *held) method() Method { return ByNumber }

func (h *held) inode() string { return "" }

func (h *held) exited() (bool, error) {
	return errors.Is(syscall.Kill(h.pid, 0), syscall.ESRCH), nil
}

func (h *held) signal(syscall.Signal) error { return errUnsupported }

func (h *held) await(closed <-chan struct{}) bool { return pollExit(h, closed) }

func outOfDescriptors(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}
