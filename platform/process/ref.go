package process

import (
	"fmt"
	"os"
	"sync"
	"syscall"
)

// Method is how a process is held, the surest first.
type Method int

const (
	// ByHandle: a pidfd, or on Windows a process handle. No signal can reach another process.
	ByHandle Method = iota + 1
	// ByProcDirectory: a descriptor of /proc/<pid>. No signal can reach another process; its exit is
	// noticed by looking ten times a second.
	ByProcDirectory
	// ByNumber: the identity is read again right before each signal, which narrows the window in which
	// the number may change hands and cannot close it.
	ByNumber
)

// String returns "handle", "proc directory" or "number (race narrowed)".
func (m Method) String() string {
	switch m {
	case ByHandle:
		return "handle"
	case ByProcDirectory:
		return "proc directory"
	case ByNumber:
		return "number (race narrowed)"
	default:
		return "unknown"
	}
}

// Ref holds one process, not a number. Its methods may be called from any goroutine.
type Ref struct {
	pid     int
	process *held

	// mutex keeps close from pulling the descriptor from under a signal.
	mutex    sync.RWMutex
	closed   chan struct{}
	closing  sync.Once
	once     sync.Once
	exited   chan struct{}
	watching sync.WaitGroup
}

// Open takes hold of the process that holds pid now, also one that has exited and was not waited for.
// The caller ends the hold with [Ref.Close]. The error wraps [os.ErrProcessDone] when no process holds
// pid.
//
// Whether it is the process the caller means is the caller's to know; [OpenIdentity] checks that.
func Open(pid int) (*Ref, error) {
	if !possible(pid) {
		return nil, fmt.Errorf("cannot open process %d: %w", pid, os.ErrProcessDone)
	}
	process, err := hold(pid)
	if err != nil {
		return nil, fmt.Errorf("cannot open process %d: %w", pid, err)
	}
	ref, err := newRef(pid, process)
	if err != nil {
		return nil, fmt.Errorf("cannot open process %d: %w", pid, err)
	}
	return ref, nil
}

// OpenIdentity takes hold of the process that id names. The Ref is nil unless the state is [Alive].
// The caller ends the hold with [Ref.Close].
func OpenIdentity(id Identity) (*Ref, State) {
	process, state := verify(id, surroundings())
	if process == nil {
		return nil, state
	}
	ref, err := newRef(id.PID, process)
	if err != nil {
		return nil, withoutHold(id.PID, err)
	}
	return ref, state
}

func newRef(pid int, process *held) (*Ref, error) {
	if err := process.keep(); err != nil {
		process.close()
		return nil, err
	}
	return &Ref{pid: pid, process: process, exited: make(chan struct{}), closed: make(chan struct{})}, nil
}

// PID is the number of the held process. It means that process for as long as [Ref.Exited] is open.
func (r *Ref) PID() int { return r.pid }

// Method says how the process is held.
func (r *Ref) Method() Method { return r.process.method() }

// Exited is closed when the process has exited, whether or not anybody has waited for it. It is not
// closed by [Ref.Close]. The first call starts to watch; of a process that has exited by then it gives
// a closed channel.
func (r *Ref) Exited() <-chan struct{} {
	r.once.Do(func() {
		if exited, err := r.process.exited(); err == nil && exited {
			close(r.exited)
			return
		}
		r.watching.Go(func() {
			if r.process.await(r.closed) {
				close(r.exited)
			}
		})
	})
	return r.exited
}

// Signal sends sig to the held process alone, never to its group. The error wraps
// [os.ErrProcessDone] when it has ended, and [os.ErrClosed] after [Ref.Close]. A process that has
// exited and was not waited for takes every signal without effect.
func (r *Ref) Signal(sig syscall.Signal) error {
	r.mutex.RLock()
	defer r.mutex.RUnlock()
	select {
	case <-r.closed:
		return fmt.Errorf("cannot signal process %d: %w", r.pid, os.ErrClosed)
	default:
	}
	if err := r.process.signal(sig); err != nil {
		return fmt.Errorf("cannot signal process %d: %w", r.pid, err)
	}
	return nil
}

// Close ends the hold and waits until nothing watches any more. The process goes on. It may be called
// more than once.
func (r *Ref) Close() error {
	r.closing.Do(func() {
		r.mutex.Lock()
		close(r.closed)
		r.mutex.Unlock()
		// Nothing begins to watch from here on.
		r.once.Do(func() {})
		r.process.interrupt()
		r.watching.Wait()
		r.process.close()
	})
	return nil
}
