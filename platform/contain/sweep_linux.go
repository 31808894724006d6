package contain

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// Sweep ends every process that find lists, freezing first: each is stopped as it is found, and only when a
// whole pass finds nobody new are all of them killed, so that a process that forks faster than it can be killed
// does not get away. find is called until it lists nobody but survivors; it must list only processes that are
// ours to end, and reports it again when asked whether pid still is (belongs), which closes the window between
// reading a number and holding the process. Bounded by within (0: five seconds), whatever is found.
func Sweep(find func() []int, belongs func(pid int) bool, within time.Duration) Swept {
	if within <= 0 {
		within = settleWithin
	}
	end := time.Now().Add(within)
	s := sweep{belongs: belongs, given: map[int]bool{}}
	// A listing that walks the tree misses what is being handed to a new parent at that moment, so one that finds
	// nobody is believed only when it says so again.
	for quiet := 0; quiet < 2 && time.Now().Before(end); {
		held := s.freeze(find, end)
		if len(held) == 0 {
			quiet++
			continue
		}
		quiet = 0
		s.kill(held, end)
	}
	for _, pid := range find() {
		if !s.given[pid] && s.belongs(pid) {
			s.give(Name(pid))
		}
	}
	return s.out
}

type sweep struct {
	belongs func(int) bool
	given   map[int]bool // given up: cannot be signalled, or did not go
	out     Swept
}

type heldProcess struct {
	Process
	fd int
}

// freeze stops all processes that find lists until a pass finds nobody new, and returns them held.
func (s *sweep) freeze(find func() []int, end time.Time) []heldProcess {
	seen := map[int]bool{}
	var held []heldProcess
	for fresh := true; fresh && time.Now().Before(end); {
		fresh = false
		for _, pid := range find() {
			if seen[pid] || s.given[pid] {
				continue
			}
			p, err := s.hold(pid)
			if errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) {
				return held // no descriptor left: kill these first, the next round takes more
			}
			if err == nil {
				seen[pid], fresh = true, true
				held = append(held, p)
			}
		}
	}
	return held
}

func (s *sweep) hold(pid int) (heldProcess, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return heldProcess{}, err
	}
	if !s.belongs(pid) {
		unix.Close(fd)
		return heldProcess{}, unix.ESRCH
	}
	p := heldProcess{Process: Name(pid), fd: fd}
	if err := unix.PidfdSendSignal(fd, unix.SIGSTOP, nil, 0); err != nil {
		unix.Close(fd)
		if err == unix.EPERM {
			s.give(p.Process)
		}
		return heldProcess{}, err
	}
	return p, nil
}

// kill ends the held processes, waits for each to be over, and lets go of them.
func (s *sweep) kill(held []heldProcess, end time.Time) {
	for _, p := range held {
		_ = unix.PidfdSendSignal(p.fd, unix.SIGKILL, nil, 0)
	}
	for _, p := range held {
		if PidfdWait(p.fd, end) {
			s.out.Killed = append(s.out.Killed, p.Process)
		} else {
			s.give(p.Process)
		}
		unix.Close(p.fd)
	}
}

func (s *sweep) give(p Process) {
	s.given[p.PID] = true
	s.out.Survivors = append(s.out.Survivors, p)
}

// PidfdWait waits until the process that the pidfd holds has ended (it may still wait to be reaped), at most
// until end.
func PidfdWait(fd int, end time.Time) bool {
	poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for {
		left := max(0, time.Until(end))
		n, err := unix.Poll(poll, int(left.Milliseconds())+1)
		if n > 0 {
			return true
		}
		if err != unix.EINTR && (err != nil || left == 0) {
			return false
		}
	}
}
