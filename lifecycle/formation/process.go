package formation

import (
	"os"
	"os/exec"
	"sync"
	"time"

	"murlua/lifecycle/lifeline"
)

// child is one started member's process. Its watcher goroutine is its only waiter; everybody else looks at
// the channels.
type child struct {
	member   *Member
	index    int // in the plan
	pid      int
	cmd      *exec.Cmd
	ownGroup bool
	grace    time.Duration
	line     *lifeline.Line
	channel  *channel
	out      *output // nil for the entry, whose output is the launcher's
	log      *Log
	stdout   *os.File // the read ends, until out has them
	stderr   *os.File
	events   *stream

	mu   sync.Mutex
	gone bool // reaped: its number may be somebody else's

	exited chan struct{} // closed when the process has ended, its group is killed and it is reaped
	reaped chan struct{} // closed when its output has been read, too
	status Status        // set before exited closes
}

// spawnSpec says how a process is started.
type spawnSpec struct {
	binary   string
	args     []string
	dir      string
	env      []string
	stdout   *os.File
	stderr   *os.File
	ownGroup bool
	inherit  []*os.File // become descriptors 3, 4, … of the process, and nothing else does
}

// The descriptors that a member inherits.
const (
	lifelineFD = 3
	channelFD  = 4
)

// start starts a process whose standard input is the null device. The descriptors stay the caller's.
func (s spawnSpec) start() (*exec.Cmd, error) {
	cmd := &exec.Cmd{
		Path: s.binary, Args: append([]string{s.binary}, s.args...),
		Dir: s.dir, Env: s.env, ExtraFiles: s.inherit, SysProcAttr: attributes(s.ownGroup),
	}
	// A typed nil must not get into the interfaces.
	if s.stdout != nil {
		cmd.Stdout = s.stdout
	}
	if s.stderr != nil {
		cmd.Stderr = s.stderr
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return cmd, nil
}

// watch waits for the end of the process and reaps it. The group is killed first, while the ended process still
// holds its number: nothing that it started in its group stays, and no group that got the number later is hit.
func (p *child) watch() {
	p.reap(awaitExit(p.cmd.Process))
	p.events.emit(Event{Kind: Exited, Member: p.member.Name, PID: p.pid, Status: p.status})
	p.line.Close()
	p.channel.close()
	if p.out != nil {
		p.out.finish()
	}
	p.events.emit(Event{Kind: Reaped, Member: p.member.Name, PID: p.pid, Status: p.status})
	close(p.reaped)
}

// reap takes the status of the process. When unreaped is set the process has ended and can only be reaped
// here, under the lock under which kill signals: nobody is signalled by a number that has become free.
func (p *child) reap(unreaped bool) {
	if unreaped {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.ownGroup {
			killGroup(p.pid)
		}
	}
	// The error of Wait repeats the status, or says that there is nothing to know.
	_ = p.cmd.Wait()
	p.gone = true
	p.status = statusOf(p.cmd.ProcessState)
	close(p.exited)
}

// kill ends the process, and its group if it has one of its own, without waiting.
func (p *child) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.gone:
	case p.ownGroup:
		killGroup(p.pid)
	default:
		_ = p.cmd.Process.Kill()
	}
}

func (p *child) running() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// stop closes the lifeline, lets the process end within its grace, kills it otherwise, and returns when it is
// reaped. When hurry closes the grace is over.
func (p *child) stop(hurry <-chan struct{}) {
	if p.running() {
		p.events.emit(Event{Kind: Stopping, Member: p.member.Name, PID: p.pid})
		p.events.emit(Event{Kind: Rung, Member: p.member.Name, PID: p.pid, Detail: RungLifeline})
	}
	p.line.Close()
	grace := time.NewTimer(p.grace)
	defer grace.Stop()
	select {
	case <-p.exited:
	case <-grace.C:
		p.killNow()
	case <-hurry:
		p.killNow()
	}
	<-p.reaped
}

func (p *child) killNow() {
	p.events.emit(Event{Kind: Rung, Member: p.member.Name, PID: p.pid, Detail: RungKill})
	p.kill()
}
