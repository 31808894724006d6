package keeper

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"murlua/platform/contain"
)

// A Kept is one started command. All methods are safe for concurrent use.
type Kept struct {
	link    *link
	id      uint32
	class   contain.Class
	command Command
	started chan struct{}
	failure *StartError // set before started closes
	exited  chan struct{}
	empty   chan struct{}

	mu        sync.Mutex
	pid       int
	pidfd     int // -1: none
	abandoned bool
	status    Status
	gone      goneNotice
}

func newKept(l *link, id uint32, class contain.Class, command *Command) *Kept {
	c := *command
	c.Stdin, c.Stdout, c.Stderr, c.Files, c.Env = nil, nil, nil, nil, nil // not ours to hold
	return &Kept{
		link: l, id: id, class: class, command: c, pidfd: -1,
		started: make(chan struct{}), exited: make(chan struct{}), empty: make(chan struct{}),
	}
}

// PID returns the process id of the command's first process, as this host sees it.
func (k *Kept) PID() int { return k.pid }

// Class returns the containment the command is in.
func (k *Kept) Class() contain.Class { return k.class }

// Mark returns the mark that the command's processes carry; 0 when there is none of its own.
func (k *Kept) Mark() contain.Mark {
	if k.class == contain.Group || k.class == contain.Sealed {
		return 0
	}
	return k.link.marks.Of(k.id)
}

// Exited is closed when the command's first process has ended; what it started may live on. See [Kept.Empty].
func (k *Kept) Exited() <-chan struct{} { return k.exited }

// Empty is closed when nothing of the command is left, or nothing but survivors of a stop.
func (k *Kept) Empty() <-chan struct{} { return k.empty }

// Status returns how the first process ended. It is the zero Status until Exited is closed.
func (k *Kept) Status() Status {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.status
}

// Signal sends a signal to the command's first process, and to no other that may have its number by now.
// [ErrEnded] when it has ended.
func (k *Kept) Signal(signal syscall.Signal) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.pidfd < 0 {
		return ErrEnded
	}
	err := unix.PidfdSendSignal(k.pidfd, signal, nil, 0)
	if err == unix.ESRCH {
		return ErrEnded
	}
	if err != nil {
		return fmt.Errorf("cannot signal process %d: %w", k.pid, err)
	}
	return nil
}

// SignalGroup sends a signal to the command's whole process group, as a terminal would. [ErrEnded] when its
// first process has ended.
func (k *Kept) SignalGroup(signal syscall.Signal) error {
	if k.command.Foreground {
		return k.Signal(signal)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.pidfd < 0 {
		return ErrEnded
	}
	const processGroup = 1 << 2 // PIDFD_SIGNAL_PROCESS_GROUP, Linux 6.9
	err := unix.PidfdSendSignal(k.pidfd, signal, nil, processGroup)
	if err == unix.EINVAL {
		// The keeper reaps it and tells us, so a number that is not told of yet is at worst just reaped.
		err = unix.PidfdSendSignal(k.pidfd, signal, nil, 0)
	}
	if err == unix.ESRCH {
		return ErrEnded
	}
	return err
}

// Stop ends the command and everything it started, and returns when nothing is left. A second call while one is
// under way can only hasten it. When ctx ends first, the grace is over: what is left is killed, and Stop still
// waits for that, which is bounded.
func (k *Kept) Stop(ctx context.Context, options StopOptions) StopReport {
	begin := time.Now()
	signal, grace := k.command.signal(), k.command.grace()
	if options.Signal != 0 {
		signal = options.Signal
	}
	if options.Grace != 0 {
		grace = max(0, options.Grace)
	}
	select {
	case <-k.empty:
	default:
		k.requestStop(signal, grace)
		select {
		case <-k.empty:
		case <-ctx.Done():
			k.requestStop(NoSignal, 0)
			<-k.empty
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return StopReport{
		Rung: Rung(k.gone.Rung), Status: k.status, Took: time.Since(begin),
		Escaped: k.gone.Escaped, Killed: k.gone.Killed, Survivors: k.gone.Survivors,
	}
}

// Kill ends the command and everything it started at once.
func (k *Kept) Kill() StopReport {
	return k.Stop(context.Background(), StopOptions{Signal: NoSignal, Grace: -1})
}

func (k *Kept) stopPacket(signal syscall.Signal, grace time.Duration) []byte {
	r := stopRequest{ID: k.id, Signal: int(signal), Grace: grace}
	return r.encode()
}

func (k *Kept) requestStop(signal syscall.Signal, grace time.Duration) {
	_ = k.link.conn.write(k.stopPacket(signal, grace)) // a keeper that is gone is noticed by its link, which ends everything
}

// abandon gives up a start that nobody waits for any more.
func (k *Kept) abandon() {
	k.mu.Lock()
	k.abandoned = true
	started := k.pid != 0
	k.mu.Unlock()
	if started {
		k.requestStop(NoSignal, 0)
	}
}

func (k *Kept) onStarted(r startedReply, fds []int) {
	k.mu.Lock()
	if len(fds) > 0 {
		k.pidfd = fds[0]
		closeAll(fds[1:])
	}
	k.pid = r.PID
	if k.link.sealed && k.pidfd >= 0 {
		k.pid = pidOf(k.pidfd)
	}
	switch {
	case r.Stage != "":
		k.failure = &StartError{Err: errors.New(r.Stage)}
	case r.Errno != 0:
		k.failure = &StartError{Err: syscall.Errno(r.Errno)}
	}
	abandoned := k.abandoned && k.failure == nil
	k.mu.Unlock()
	close(k.started)
	if abandoned {
		k.requestStop(NoSignal, 0)
	}
}

func (k *Kept) onExited(status Status) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if isClosed(k.exited) {
		return
	}
	k.status = status
	if k.pidfd >= 0 {
		unix.Close(k.pidfd)
		k.pidfd = -1
	}
	close(k.exited)
}

func (k *Kept) onGone(n goneNotice) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.gone = n
	close(k.empty)
}

// onLost ends the account of a command whose keeper was killed.
func (k *Kept) onLost(swept contain.Swept) {
	select {
	case <-k.started:
	default:
		k.onStarted(startedReply{Stage: "the keeper was killed", Errno: int(syscall.ECHILD)}, nil)
	}
	k.onExited(Status{Code: -1, Lost: true})
	n := goneNotice{ID: k.id, Rung: string(RungKill), Killed: swept.Killed, Survivors: swept.Survivors}
	if len(swept.Survivors) > 0 {
		n.Rung = string(RungSurvivor)
	}
	k.onGone(n)
}

// killGroup kills the command's process group after its keeper was killed.
func (k *Kept) killGroup() {
	_ = k.SignalGroup(unix.SIGKILL) // the kernel has killed the first process already; the flag reaches the rest
}

// reap takes the status of a command that became our child when its keeper was killed.
func (k *Kept) reap(deadline time.Time) {
	k.mu.Lock()
	fd := k.pidfd
	k.mu.Unlock()
	if fd < 0 || !contain.PidfdWait(fd, deadline) {
		return
	}
	if status, ok := waitPidfd(fd); ok {
		k.onExited(status)
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// pidOf returns the number of the process that a pidfd holds, as this process sees it.
func pidOf(pidfd int) int {
	text, err := os.ReadFile("/proc/self/fdinfo/" + strconv.Itoa(pidfd))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "Pid:"); ok {
			pid, _ := strconv.Atoi(strings.TrimSpace(rest))
			return pid
		}
	}
	return 0
}
