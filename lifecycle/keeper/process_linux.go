package keeper

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"murlua/platform/contain"
)

// argument is the hidden first argument that makes the program a keeper. It is no word a user would type, and
// tells a reader of ps what the process is.
const argument = "(keeper)"

// connFD is the keeper's end of the connection: the first descriptor after standard error.
const connFD = 3

// Main runs the keeper if that is what this process was started as, and returns its exit code. Call it first
// thing in main (and in TestMain), and exit with the code when handled.
func Main(args []string) (code int, handled bool) {
	if len(args) < 2 || args[1] != argument {
		return 0, false
	}
	// A parent-death signal is tied to the thread that forked, so that must be one that lasts.
	runtime.LockOSThread()
	if err := serve(args[2:]); err != nil {
		fmt.Fprintf(os.Stderr, "murlua keeper: %v\n", err)
		return 1, true
	}
	return 0, true
}

// A process is the keeper itself: one goroutine (the loop) owns all of it.
type process struct {
	conn     *conn
	base     *contain.Base // nil: no cgroups
	marks    contain.Mark
	wards    map[uint32]*ward
	leaders  map[int]*ward // by pid, until reaped
	null     *os.File
	orphaned bool // the host is gone
	released bool // the host asks for no more
}

type packet struct {
	data []byte
	fds  []int
}

func serve(args []string) error {
	p := &process{wards: map[uint32]*ward{}, leaders: map[int]*ward{}}
	if err := p.connect(); err != nil {
		return err
	}
	if err := p.setUp(args); err != nil {
		p.tell(append([]byte{kindFailed}, err.Error()...))
		return err
	}
	children := make(chan os.Signal, 1)
	signal.Notify(children, unix.SIGCHLD)
	shrugOff()
	// The same user's process limit must never keep us from killing, so every thread we will need exists before
	// the first command does.
	holdThreads(4)
	packets := make(chan packet)
	go p.receive(packets)
	if err := p.conn.write([]byte{kindReady}); err != nil {
		p.orphaned = true
	}
	p.loop(packets, children)
	p.finish()
	return nil
}

func (p *process) connect() error {
	if err := unix.SetNonblock(connFD, true); err != nil {
		return fmt.Errorf("cannot use the host's connection: %w", err)
	}
	unix.CloseOnExec(connFD)
	c, err := newConn(os.NewFile(connFD, "host"))
	if err != nil {
		return err
	}
	p.conn = c
	return nil
}

// setUp takes the place in the system that the arguments describe.
func (p *process) setUp(args []string) error {
	for _, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		switch key {
		case "cgroup":
			p.base = contain.OpenBase(value)
		case "marks":
			n, err := strconv.ParseUint(value, 10, 64)
			if err != nil {
				return err
			}
			p.marks = contain.Mark(n)
		case "sealed":
			if err := contain.EnterSealed(); err != nil {
				return err
			}
		}
	}
	_ = os.WriteFile("/proc/self/comm", []byte("murlua-keeper"), 0) // for readers of ps only
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("cannot become a child subreaper: %w", err)
	}
	// Nothing that came down to us reaches a command. (Closing is not an option: the runtime has descriptors of
	// its own by now.)
	_ = unix.CloseRange(connFD, ^uint(0)>>1, unix.CLOSE_RANGE_CLOEXEC)
	if err := unix.Chdir("/"); err != nil {
		return err
	}
	var err error
	p.null, err = os.OpenFile(os.DevNull, os.O_RDWR, 0)
	return err
}

// shrugOff keeps signals that are meant for the host or its commands from ending the keeper. They are caught,
// not ignored: an ignored signal would stay ignored in every command. One that was ignored from the start
// (nohup) stays so, for the commands' sake.
func shrugOff() {
	for _, s := range []os.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2, unix.SIGALRM, unix.SIGTSTP, unix.SIGPIPE} {
		if !signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}

// holdThreads makes the runtime start n threads, by needing them all at the same moment.
func holdThreads(n int) {
	ready, leave, done := make(chan bool), make(chan bool), make(chan bool)
	for range n {
		go func() {
			runtime.LockOSThread()
			ready <- true
			<-leave
			runtime.UnlockOSThread()
			done <- true
		}()
	}
	for range n {
		<-ready
	}
	close(leave)
	for range n {
		<-done
	}
}

// receive hands the host's packets to the loop until the host is gone; closing packets is the lifeline's end.
func (p *process) receive(packets chan<- packet) {
	defer close(packets)
	for {
		data, fds, err := p.conn.read()
		if err != nil {
			if err != io.EOF {
				fmt.Fprintf(os.Stderr, "murlua keeper: cannot read from the host: %v\n", err)
			}
			return
		}
		packets <- packet{data: append([]byte(nil), data...), fds: fds}
	}
}

func (p *process) loop(packets <-chan packet, children <-chan os.Signal) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		p.reap()
		if packets == nil && len(p.wards) == 0 || p.released && len(p.wards) == 0 {
			return
		}
		if next, ok := p.nextDeadline(); ok {
			timer.Reset(time.Until(next))
		} else {
			timer.Stop()
		}
		select {
		case m, open := <-packets:
			if !open {
				packets = nil
				p.orphan()
				continue
			}
			p.handle(m)
		case <-children:
		case <-timer.C:
			p.due(time.Now())
		}
	}
}

func (p *process) handle(m packet) {
	defer closeAll(m.fds)
	var err error
	switch m.data[0] {
	case kindStart:
		var r startRequest
		if r, err = decodeStart(m.data[1:]); err == nil {
			p.start(r, m.fds)
		}
	case kindStop:
		var r stopRequest
		if r, err = decodeStop(m.data[1:]); err == nil {
			if w := p.wards[r.ID]; w != nil {
				p.stop(w, syscall.Signal(r.Signal), r.Grace)
			}
		}
	case kindRelease:
		p.released = true
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "murlua keeper: cannot read a request: %v\n", err)
	}
}

// orphan begins the end of everything: the host is gone.
func (p *process) orphan() {
	p.orphaned = true
	for _, w := range p.wards {
		p.stop(w, w.signal, w.grace)
	}
}

// tell sends the host a packet. A host that is gone is noticed by the reader.
func (p *process) tell(data []byte, fds ...int) {
	if !p.orphaned {
		_ = p.conn.write(data, fds...)
	}
}

// reap collects every child that has ended: commands, whose hosts are told, and orphans that came to us.
func (p *process) reap() {
	for {
		var wait unix.WaitStatus
		pid, err := unix.Wait4(-1, &wait, unix.WNOHANG, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil || pid <= 0 {
			break
		}
		if w := p.leaders[pid]; w != nil {
			delete(p.leaders, pid)
			w.exited = true
			p.tell((&exitedNotice{ID: w.id, Wait: uint32(wait)}).encode())
		}
	}
	p.settle()
}

// finish ends what belongs to no command we know, proves by ECHILD that no descendant is left, and removes the
// cgroups.
func (p *process) finish() {
	find := func() []int {
		var stray []int
		for _, pid := range contain.Descendants(contain.Children(os.Getpid())) {
			if !p.spared(pid) {
				stray = append(stray, pid)
			}
		}
		return stray
	}
	if _, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); err != unix.ECHILD {
		swept := contain.Sweep(find, func(int) bool { return true }, 0)
		for _, s := range swept.Survivors {
			fmt.Fprintf(os.Stderr, "murlua keeper: could not end %s\n", s)
		}
		for {
			if pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); err != unix.EINTR && pid <= 0 {
				break
			}
		}
	}
	if p.base != nil {
		_ = p.base.Remove() // what survivors hold stays, and the next start tries again
	}
}
