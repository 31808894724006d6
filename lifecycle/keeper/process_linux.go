package keeper

import (
	"encoding/binary"
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
	identity "murlua/platform/process"
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
	conn    conn
	ended   int           // an eventfd: some child has ended
	out     [][]byte      // what the host is to be told
	base    *contain.Base // nil: no cgroups
	marks   contain.Mark
	noted   string // the file that says whose the marks are; empty: none
	wards   map[uint32]*ward
	leaders map[int]*ward // by pid, until reaped
	null    *os.File
	calm    calmness
	// unsettled: a command's first process has ended, and what else has is not reaped yet.
	unsettled bool
	orphaned  bool // the host is gone
	released  bool // the host asks for no more
	// blind is why the processes cannot be looked at. Nothing can be said about them then, nor be ended in order.
	blind error
}

func serve(args []string) error {
	p := &process{wards: map[uint32]*ward{}, leaders: map[int]*ward{}}
	if err := p.connect(); err != nil {
		return err
	}
	if err := p.setUp(args); err != nil {
		p.tell(append([]byte{kindFailed}, err.Error()...))
		p.flush()
		return err
	}
	if err := p.watchChildren(); err != nil {
		return err
	}
	if os.Geteuid() != 0 {
		// The same user's process limit, which does not hold for root, must never keep us from killing: every thread
		// that we will need exists before the first command does.
		holdThreads(4)
	}
	p.tell([]byte{kindReady})
	p.loop()
	if p.blind == nil {
		p.finish()
	}
	if p.blind != nil {
		p.giveUp()
		return fmt.Errorf("cannot look at the processes: %w", p.blind)
	}
	return nil
}

// giveUp leaves the commands to the host, which takes over what a keeper that failed has left. What can be ended without
// looking is ended, since the host may be gone.
func (p *process) giveUp() {
	for pid, w := range p.leaders { // not reaped yet, so the numbers are still their own
		_ = unix.Kill(pid, unix.SIGKILL)
		if w.group == pid {
			_ = unix.Kill(-pid, unix.SIGKILL)
		}
	}
}

func (p *process) connect() error {
	if err := unix.SetNonblock(connFD, true); err != nil {
		return fmt.Errorf("cannot use the host's connection: %w", err)
	}
	unix.CloseOnExec(connFD)
	return nil
}

// watchChildren makes the end of a child something that poll can wait for.
func (p *process) watchChildren() (err error) {
	if p.ended, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return fmt.Errorf("cannot create an event descriptor: %w", err)
	}
	children := make(chan os.Signal, 1)
	signal.Notify(children, unix.SIGCHLD)
	go func() { // as long as the keeper
		one := binary.NativeEndian.AppendUint64(nil, 1)
		for range children {
			_, _ = unix.Write(p.ended, one)
		}
	}()
	return nil
}

// setUp takes the place in the system that the arguments describe.
func (p *process) setUp(args []string) error {
	for _, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		switch key {
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

// loop serves the host until nothing is left to keep and no more is to come. It waits in one place, poll, for
// the host, the end of a child and the next deadline.
func (p *process) loop() {
	poll := []unix.PollFd{{Fd: int32(p.ended), Events: unix.POLLIN}, {Fd: connFD, Events: unix.POLLIN}}
	for {
		for p.reap() {
			p.settle()
			p.flush() // the host need not wait for the rest
		}
		if p.unsettled {
			p.settle()
		}
		p.flush()
		if p.blind != nil || (p.orphaned || p.released) && len(p.wards) == 0 {
			return
		}
		waitFor := poll
		if p.orphaned {
			waitFor = poll[:1]
		}
		ready, err := unix.Poll(waitFor, p.patience())
		if err != nil && err != unix.EINTR {
			p.blind = err
			return
		}
		if ready == 0 && p.calm < lean {
			p.calmDown()
		}
		if poll[0].Revents != 0 {
			var drained [8]byte
			_, _ = unix.Read(p.ended, drained[:])
		}
		if poll[1].Revents != 0 && !p.orphaned {
			p.listen()
		}
		p.due(time.Now())
	}
}

// calmness is what a keeper that has nothing to do at the moment has got done. What nobody waits for is not done while
// commands wait to be started.
type calmness int

const (
	starting calmness = iota // it does what it is asked to
	shielded                 // it does not end by signals that are meant for others
	lean                     // it has let go of what only its start needed
)

// patience is how long nothing has to happen before the next step, in milliseconds.
func (c calmness) patience() int {
	if c == starting {
		return 5
	}
	return 200
}

func (p *process) calmDown() {
	p.calm++
	switch p.calm {
	case shielded:
		shrugOff()
	case lean:
		identity.ReleaseProgram() // from here on it mostly waits
	}
}

// patience is how long poll may wait, in milliseconds: until the next deadline, or for ever; at the start until it has
// become quiet.
func (p *process) patience() int {
	// The end of a child is told within microseconds. Should the word be lost, nobody has to wait for it for longer.
	const lostWord = 20
	wait := -1
	switch next, ok := p.nextDeadline(); {
	case ok:
		wait = int(max(0, time.Until(next)+time.Millisecond-1) / time.Millisecond)
	case p.calm < lean:
		wait = p.calm.patience()
	}
	if p.unsettled && (wait < 0 || wait > lostWord) {
		return lostWord
	}
	return wait
}

// listen takes what the host has sent. The end of the connection is the lifeline's: the host is gone.
func (p *process) listen() {
	const atOnce = 16 // then children are looked after again
	for range atOnce {
		packet, fds, err := p.conn.receive(connFD)
		if err == unix.EAGAIN {
			return
		}
		if err != nil {
			if err != io.EOF {
				fmt.Fprintf(os.Stderr, "murlua keeper: cannot read from the host: %v\n", err)
			}
			p.orphan()
			return
		}
		if err := unbatch(packet, func(one []byte) { p.handle(one, fds) }); err != nil {
			fmt.Fprintf(os.Stderr, "murlua keeper: cannot read a request: %v\n", err)
		}
		closeAll(fds)
	}
}

func (p *process) handle(packet []byte, fds []int) {
	var err error
	switch packet[0] {
	case kindStart:
		var r startRequest
		if r, err = decodeStart(packet[1:]); err == nil {
			p.start(r, fds)
		}
	case kindStop:
		var r stopRequest
		if r, err = decodeStop(packet[1:]); err == nil {
			if w := p.wards[r.ID]; w != nil {
				p.stop(w, syscall.Signal(r.Signal), r.Grace)
			}
		}
	case kindBase:
		p.base = contain.OpenBase(string(packet[1:]))
	case kindNote:
		p.noted = string(packet[1:])
	case kindDrain:
		p.released = true
	case kindRelease:
		p.released = true
		p.stopAll()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "murlua keeper: cannot read a request: %v\n", err)
	}
}

// orphan begins the end of everything: the host is gone.
func (p *process) orphan() {
	p.orphaned = true
	p.stopAll()
}

func (p *process) stopAll() {
	for _, w := range p.wards {
		p.stop(w, w.signal, w.grace)
	}
}

// tell notes something for the host. It is sent before the keeper next waits, with whatever else there is.
func (p *process) tell(packet []byte) { p.out = append(p.out, packet) }

func (p *process) flush() {
	if len(p.out) > 0 {
		p.send(batch(p.out))
		p.out = p.out[:0]
	}
}

// send sends a packet at once. While the host does not read, the keeper waits for it, or for its end.
func (p *process) send(packet []byte, fds ...int) {
	if p.orphaned {
		return
	}
	_ = p.conn.writeBy(packet, fds, func(packet, rights []byte) error {
		for {
			err := sendmsg(connFD, packet, rights)
			if err != unix.EAGAIN {
				return err // a host that is gone is noticed by poll
			}
			_, _ = unix.Poll([]unix.PollFd{{Fd: connFD, Events: unix.POLLOUT}}, -1)
		}
	})
}

// reap collects children that have ended, a number of them at once: commands, whose hosts are told, and orphans that
// came to us. It reports whether there was any.
func (p *process) reap() (any bool) {
	const atOnce = 16
	for range atOnce {
		var wait unix.WaitStatus
		pid, err := unix.Wait4(-1, &wait, unix.WNOHANG, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil || pid <= 0 {
			return any
		}
		any = true
		if w := p.leaders[pid]; w != nil {
			delete(p.leaders, pid)
			w.exited = true
			p.tell((&exitedNotice{ID: w.id, Wait: uint32(wait)}).encode())
		}
	}
	return any
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
	var swept contain.Swept
	if _, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); err != unix.ECHILD {
		if p.adopted(); p.blind != nil {
			return
		}
		swept = contain.Sweep(find, func(int) bool { return true }, 0)
		for _, s := range swept.Survivors {
			fmt.Fprintf(os.Stderr, "murlua keeper: could not end %s\n", s)
		}
		for {
			if pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); err != unix.EINTR && pid <= 0 {
				break
			}
		}
	}
	if p.base != nil && p.orphaned { // else the host does it
		_ = p.base.Remove() // what survivors hold stays, and the next start tries again
	}
	if p.noted != "" && p.orphaned && len(swept.Survivors) == 0 { // else the host does it
		_ = os.Remove(p.noted)
	}
}
