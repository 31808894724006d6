package keeper

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"murlua/platform/contain"
)

// A Keeper starts commands and keeps them. See the package comment.
type Keeper struct {
	options Options

	mu       sync.Mutex
	report   contain.Report
	next     uint32
	shared   *link
	links    map[*link]bool // every keeper process, the sealed ones too, until it has gone
	noteless error          // why the marks of the last keeper process could not be noted
	closed   bool
}

// New returns a Keeper; nothing is started before the first command, or [Keeper.Warm].
func New(options Options) *Keeper {
	return &Keeper{options: options, report: options.Report, links: map[*link]bool{}}
}

// Report returns what the platform offers.
func (k *Keeper) Report() contain.Report {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.found()
}

func (k *Keeper) found() contain.Report {
	if k.report == nil {
		k.report = contain.Probe()
	}
	return k.report
}

// Warm starts the keeper process ahead of the first command, in the background, so that it comes up while the host does
// other things; when it cannot be started, the first command's start is told. [ErrClosed] after [Keeper.Close].
//
// The caller does not start it itself: that takes a millisecond in which its thread stands still, and the system would
// then put the new process on the processor that seems to be free, where the thread goes on.
func (k *Keeper) Warm() error {
	k.mu.Lock()
	if k.closed || k.shared != nil && !k.shared.broken() {
		defer k.mu.Unlock()
		if k.closed {
			return ErrClosed
		}
		return nil
	}
	go func() { // ends within milliseconds; whoever wants the keeper meanwhile waits for the lock
		l, err := k.sharedLink()
		best := k.found().Best()
		k.mu.Unlock()
		if err == nil && best == contain.Tracked {
			l.note() // what is started in that class waits for it, and nothing else
		}
	}()
	return nil
}

// sharedLink returns the connection to the keeper that all unsealed commands share, starting it if there is none. The
// caller holds k.mu.
func (k *Keeper) sharedLink() (*link, error) {
	if k.shared != nil && !k.shared.broken() {
		return k.shared, nil
	}
	l, err := k.launch(false)
	if err != nil {
		return nil, err
	}
	return l, k.share(l)
}

// share gives a new keeper process what it needs for all unsealed commands. The caller holds k.mu.
func (k *Keeper) share(l *link) error {
	var base *contain.Base
	if k.report == nil {
		k.report, base = contain.Prepare()
	}
	if k.report.Best() == contain.Cgroup {
		if base == nil { // the report is an earlier one
			var err error
			if base, err = contain.NewBase(); err != nil {
				l.close()
				return err
			}
		}
		l.equip(base)
	}
	k.shared = l
	return nil
}

// launch starts a keeper process. The caller holds k.mu.
func (k *Keeper) launch(sealed bool) (*link, error) {
	// What a killed keeper leaves must come to us and not to init.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("cannot become a child subreaper: %w", err)
	}
	// Descriptors that this process itself was started with are nobody's below it.
	_ = unix.CloseRange(3, ^uint(0)>>1, unix.CLOSE_RANGE_CLOEXEC) // before Linux 5.11 the keeper has to do for both
	host, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	marks := contain.NewMarks()
	args := []string{"murlua", argument, "marks=" + strconv.FormatUint(uint64(marks), 10)}
	attr := &syscall.SysProcAttr{Setpgid: true}
	if sealed {
		args = append(args, "sealed")
		contain.Seal(attr)
	}
	c, err := newConn(host)
	if err != nil {
		host.Close()
		return nil, err
	}
	pid, err := k.spawn(args, attr, theirs)
	if err != nil {
		host.Close()
		return nil, fmt.Errorf("cannot start the keeper: %w", err)
	}
	l := &link{keeper: k, conn: c, pid: pid, marks: marks, sealed: sealed, kept: map[uint32]*Kept{}, gone: make(chan struct{})}
	k.links[l] = true
	go l.run()
	return l, nil
}

// spawn starts the keeper's program. (os.StartProcess would start another process first, to find out about pidfds.)
func (k *Keeper) spawn(args []string, attr *syscall.SysProcAttr, theirs *os.File) (pid int, err error) {
	program := k.options.Program
	if program == "" {
		program = "/proc/self/exe" // still the same binary when the file has been replaced
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	stderr := k.options.Stderr
	if stderr == nil {
		stderr = null
	}
	// The keeper is one loop, which collects no garbage as long as there is little: a second processor would only be woken
	// to find nothing to do.
	env := []string{"GOMAXPROCS=1", "GOGC=off", "GOMEMLIMIT=8MiB", "GOTRACEBACK=single"}
	return syscall.ForkExec(program, args, &syscall.ProcAttr{
		Env:   append(env, k.options.Env...),
		Files: []uintptr{null.Fd(), null.Fd(), stderr.Fd(), theirs.Fd()},
		Sys:   attr,
	})
}

// Start starts a command. ctx bounds the start alone: when it ends first, the command is ended again. The errors
// are a [*StartError] (nothing is left), a [*contain.UnavailableError] for a demanded class that cannot be had,
// [ErrClosed], or that of the keeper process itself.
func (k *Keeper) Start(ctx context.Context, command Command) (*Kept, error) {
	if len(command.Args) == 0 {
		return nil, errors.New("cannot start a command without arguments")
	}
	request, files, err := prepare(&command)
	if err != nil {
		return nil, err
	}
	l, kept, err := k.place(&command)
	if err != nil {
		return nil, err
	}
	if kept.class == contain.Tracked {
		l.note()
	}
	request.ID, request.Class = kept.id, string(kept.class)
	if err := l.request(kept, request, files); err != nil {
		l.forget(kept)
		return nil, &StartError{Program: command.Args[0], Err: err}
	}
	select {
	case <-kept.started:
	case <-ctx.Done():
		kept.abandon()
		return nil, &StartError{Program: command.Args[0], Err: context.Cause(ctx)}
	}
	if kept.failure != nil {
		kept.failure.Program = command.Args[0]
		kept.failure.Hints = diagnose(request.Path, request.Dir)
		return nil, kept.failure
	}
	return kept, nil
}

// place chooses the class and the keeper process for a command and gives it an id there.
func (k *Keeper) place(command *Command) (*link, *Kept, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return nil, nil, ErrClosed
	}
	class, err := k.found().Choose(command.Class)
	if err != nil {
		return nil, nil, err
	}
	var l *link
	if class == contain.Sealed {
		l, err = k.launch(true)
	} else {
		l, err = k.sharedLink()
	}
	if err != nil {
		return nil, nil, err
	}
	k.next++
	if k.next >= contain.GroupOnly {
		return nil, nil, fmt.Errorf("cannot start more than %d commands in one run", contain.GroupOnly-1)
	}
	kept := newKept(l, k.next, class, command)
	l.add(kept)
	return l, kept, nil
}

// prepare turns a command into a request and the files that travel with it.
func prepare(c *Command) (*startRequest, []*os.File, error) {
	r := &startRequest{Args: c.Args, Env: c.Env, Dir: c.Dir, Path: c.Path, Signal: int(c.signal()), Grace: c.grace(), Terminal: c.Terminal}
	var err error
	if !filepath.IsAbs(r.Dir) {
		if r.Dir, err = filepath.Abs(r.Dir); err != nil {
			return nil, nil, err
		}
	}
	if r.Path == "" {
		r.Path = c.Args[0]
	}
	if r.Path, err = lookUp(r.Path, r.Dir, c.Env); err != nil {
		return nil, nil, &StartError{Program: c.Args[0], Err: err, Hints: diagnose(r.Path, r.Dir)}
	}
	if c.Foreground {
		r.Group = unix.Getpgrp()
	}
	var files []*os.File
	for _, f := range []*os.File{c.Stdin, c.Stdout, c.Stderr} {
		if f == nil {
			r.Fds += "n"
			continue
		}
		r.Fds += "f"
		files = append(files, f)
	}
	for _, f := range c.Files {
		if f == nil {
			r.Fds += "-"
			continue
		}
		r.Fds += "f"
		files = append(files, f)
	}
	return r, files, nil
}

// errNotInPath does not show the PATH: it is long, and `murlua doctor` and the shell show it.
var errNotInPath = errors.New("not found in PATH")

// lookUp finds the program as a shell would with this environment and directory.
func lookUp(name, dir string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return name, nil
	}
	path := ""
	for _, entry := range env {
		if value, ok := strings.CutPrefix(entry, "PATH="); ok {
			path = value
		}
	}
	for _, folder := range filepath.SplitList(path) {
		if !filepath.IsAbs(folder) {
			folder = filepath.Join(dir, folder)
		}
		candidate := filepath.Join(folder, name)
		if info, err := os.Stat(candidate); err == nil && info.Mode().IsRegular() && unix.Access(candidate, unix.X_OK) == nil {
			return candidate, nil
		}
	}
	return name, errNotInPath
}

// Close ends everything that is still kept, each command with its own signal and grace, and returns when the
// keeper has gone. When ctx ends first the graces are over: what is left is killed, and Close still waits for
// that, which is bounded. The Keeper starts nothing afterwards.
func (k *Keeper) Close(ctx context.Context) error {
	k.mu.Lock()
	k.closed = true
	links := make([]*link, 0, len(k.links))
	for l := range k.links {
		links = append(links, l)
	}
	k.mu.Unlock()
	for _, l := range links {
		l.close()
	}
	for _, l := range links {
		select {
		case <-l.gone:
		case <-ctx.Done():
			l.hurry()
			<-l.gone
		}
	}
	return nil
}

// Ask begins the stop of each command, as [Kept.Stop] without options does, and returns at once: many stops begin sooner
// when they are asked for together. When ctx ends before the returned function is called, the graces are over: what is
// left is killed.
func (k *Keeper) Ask(ctx context.Context, commands []*Kept) (done func() bool) {
	k.stopEach(commands, func(c *Kept) []byte { return c.stopPacket(c.command.signal(), c.command.grace()) })
	return context.AfterFunc(ctx, func() {
		k.stopEach(commands, func(c *Kept) []byte { return c.stopPacket(NoSignal, 0) })
	})
}

// stopEach sends the stops of commands, with one packet to each keeper process.
func (k *Keeper) stopEach(commands []*Kept, packet func(*Kept) []byte) {
	packets := map[*link][][]byte{}
	for _, c := range commands {
		if !isClosed(c.empty) {
			packets[c.link] = append(packets[c.link], packet(c))
		}
	}
	for l, all := range packets {
		_ = l.conn.write(batch(all)) // a keeper that is gone is noticed by its link, which ends everything
	}
}

// Drain says that nothing more will be started, so that the keeper process goes with the last command and is not waited
// for then. What is started all the same gets another keeper process.
func (k *Keeper) Drain() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.shared != nil && k.shared.drain() {
		k.shared = nil
	}
}

// Noteless says why the processes of the class tracked are not noted in [Options.Marks], so that nobody ends what is left
// when host and keeper are killed at once; nil when they are, or when none was started.
func (k *Keeper) Noteless() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.noteless
}

func (k *Keeper) dropLink(l *link) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.links, l)
	if k.shared == l {
		k.shared = nil
	}
}
