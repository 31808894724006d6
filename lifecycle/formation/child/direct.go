package child

import (
	"context"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"murlua/platform/contain"
)

// direct is a process that is this program's own child. One goroutine waits for it; everybody else looks at the
// channel.
type direct struct {
	cmd      *exec.Cmd
	ownGroup bool
	ended    chan struct{} // closed when the process has ended, its group is killed and it is reaped
	how      Status        // set before ended closes

	mu     sync.Mutex
	killed bool // a stop has gone so far
	gone   bool // reaped: its number may be somebody else's
}

func startDirect(s *Spec) (started, error) {
	closeInherited()
	path := s.Path
	if !strings.Contains(path, "/") {
		found, err := exec.LookPath(path)
		if err != nil {
			return nil, err
		}
		path = found
	}
	cmd := &exec.Cmd{Path: path, Args: s.Args, Dir: s.Dir, Env: s.Env, ExtraFiles: s.files(), SysProcAttr: attributes(!s.Foreground)}
	// A typed nil must not get into the interfaces.
	if s.Stdout != nil {
		cmd.Stdout = s.Stdout
	}
	if s.Stderr != nil {
		cmd.Stderr = s.Stderr
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	d := &direct{cmd: cmd, ownGroup: !s.Foreground, ended: make(chan struct{})}
	go d.reap()
	return d, nil
}

// reap waits for the end of the process and takes its status. The group is killed first, while the ended process still
// holds its number, and under the lock under which kill signals: nothing that it started in its group stays, and
// nobody is signalled by a number that has become free.
func (d *direct) reap() {
	// The error of Wait repeats the status, or says that there is nothing to know.
	if awaitExit(d.cmd.Process) {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.ownGroup {
			killGroup(d.cmd.Process.Pid)
		}
		_ = d.cmd.Wait()
	} else {
		_ = d.cmd.Wait()
		d.mu.Lock()
		defer d.mu.Unlock()
	}
	d.gone = true
	d.how = statusOf(d.cmd.ProcessState)
	close(d.ended)
}

func (d *direct) pid() int                { return d.cmd.Process.Pid }
func (d *direct) class() contain.Class    { return contain.Group }
func (d *direct) exited() <-chan struct{} { return d.ended }
func (d *direct) status() Status          { return d.how }

// clear has nothing to do: the group was killed before the process was reaped.
func (d *direct) clear() StopReport { return StopReport{Rung: RungGone} }

func (d *direct) wait(s *Spec) StopReport {
	<-d.ended
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.killed {
		return StopReport{Rung: RungKill, Killed: []contain.Process{{PID: d.pid(), Name: d.cmd.Args[0]}}}
	}
	return StopReport{Rung: s.firstRung()}
}

func (d *direct) stop(ctx context.Context, s *Spec) {
	d.signal(s.Signal)
	grace := time.NewTimer(s.Grace)
	defer grace.Stop()
	select {
	case <-d.ended:
		return
	case <-grace.C:
	case <-ctx.Done():
	}
	d.signal(syscall.SIGKILL)
	<-d.ended
}

// signal reaches the whole group, if the process leads one; 0 is none.
func (d *direct) signal(signal syscall.Signal) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.killed = d.killed || signal == syscall.SIGKILL && !d.gone
	switch {
	case d.gone, signal == 0:
	case d.ownGroup:
		signalGroup(d.cmd.Process, signal)
	default:
		_ = d.cmd.Process.Signal(signal)
	}
}
