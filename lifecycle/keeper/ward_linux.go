package keeper

import (
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"murlua/platform/contain"
)

// A ward is one command as its keeper sees it, from the start until nothing of it is left.
type ward struct {
	id     uint32
	class  contain.Class
	mark   contain.Mark
	leaf   *contain.Leaf // nil: no cgroup
	pid    int
	group  int // the process group it leads; 0: it is in somebody else's
	signal syscall.Signal
	grace  time.Duration

	exited   bool // the first process has ended and was reaped
	stopping bool
	deadline time.Time // while stopping: when to kill
	told     bool      // those who escaped had the stop signal too
	gone     goneNotice
}

// start starts one command. Its descriptors are closed by the caller.
func (p *process) start(r startRequest, fds []int) {
	w := &ward{id: r.ID, class: contain.Class(r.Class), mark: p.marks.Of(r.ID), signal: syscall.Signal(r.Signal), grace: r.Grace}
	if w.class == contain.Group {
		w.mark = p.marks.Of(contain.GroupOnly)
	}
	if hungUp(connFD) {
		return // the host died while this waited: nobody wants it any more
	}
	reply := startedReply{ID: r.ID}
	pidfd, stage, err := p.spawn(w, &r, fds)
	if err != nil {
		reply.Stage, reply.Errno = stage, int(errnoOf(err))
		p.tell(reply.encode())
		return
	}
	p.wards[w.id], p.leaders[w.pid] = w, w
	reply.PID = w.pid
	if pidfd < 0 {
		p.tell(reply.encode())
		return
	}
	p.send(reply.encode(), pidfd)
	unix.Close(pidfd)
}

func (p *process) spawn(w *ward, r *startRequest, fds []int) (pidfd int, stage string, err error) {
	pidfd = -1
	attr := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, PidFD: &pidfd}
	switch {
	case r.Terminal:
		attr.Setsid, attr.Setctty = true, true
	case r.Group != 0:
		attr.Setpgid, attr.Pgid = true, r.Group
	default:
		attr.Setpgid = true
	}
	if w.class == contain.Cgroup && p.base != nil && len(fds) > 0 {
		// The host made it while this process was busy with the command before.
		w.leaf = p.base.Leaf(leafName(w.id))
		attr.UseCgroupFD, attr.CgroupFD = true, fds[len(fds)-1]
	}
	files, err := p.files(r.Fds, fds)
	if err != nil {
		return -1, "cannot pass its descriptors", err
	}
	_ = w.mark.Set()
	w.pid, err = syscall.ForkExec(r.Path, r.Args, &syscall.ProcAttr{Dir: r.Dir, Env: r.Env, Files: files, Sys: attr})
	_ = p.marks.Set() // the keeper itself belongs to no command
	if err != nil {
		return -1, "", err
	}
	if r.Group == 0 {
		w.group = w.pid
	}
	return pidfd, "", nil
}

// files lays the descriptors out as the command will see them.
func (p *process) files(plan string, fds []int) ([]uintptr, error) {
	files := make([]uintptr, 0, len(plan))
	for _, kind := range plan {
		switch {
		case kind == 'n':
			files = append(files, p.null.Fd())
		case kind == '-':
			files = append(files, ^uintptr(0))
		case len(fds) == 0:
			return nil, unix.EBADF
		default:
			files, fds = append(files, uintptr(fds[0])), fds[1:]
		}
	}
	return files, nil
}

// stop puts the ward on the ladder, or, when it already is, lets it climb no slower than now asked.
func (p *process) stop(w *ward, signal syscall.Signal, grace time.Duration) {
	deadline := time.Now().Add(grace)
	if w.stopping {
		if deadline.Before(w.deadline) {
			w.deadline = deadline
		}
	} else {
		w.stopping, w.deadline, w.signal = true, deadline, signal
		w.gone.Rung = string(RungSignal)
		if signal == NoSignal {
			w.gone.Rung = string(RungAsked)
		}
		if grace > 0 {
			p.ask(w)
		}
	}
	if grace <= 0 {
		p.due(time.Now())
	}
}

// ask sends the stop signal. A process that is stopped cannot answer it, so it is woken as well.
func (p *process) ask(w *ward) {
	switch {
	case w.signal == NoSignal:
	case w.exited:
		w.told = true
		p.askEach(w, p.remaining(w, p.adopted().live))
	case w.group != 0:
		// The group's first process is not reaped yet, so the number is still its own.
		_ = unix.Kill(-w.group, w.signal)
		_ = unix.Kill(-w.group, unix.SIGCONT)
	default:
		_ = unix.Kill(w.pid, w.signal)
		_ = unix.Kill(w.pid, unix.SIGCONT)
	}
}

func (p *process) askEach(w *ward, pids []int) {
	for _, pid := range pids {
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			continue
		}
		if p.owns(w, pid) {
			_ = unix.PidfdSendSignal(fd, w.signal, nil, 0)
			_ = unix.PidfdSendSignal(fd, unix.SIGCONT, nil, 0)
		}
		unix.Close(fd)
	}
}

// orphans are the children that came to us when their parents ended.
type orphans struct {
	live []int
	// unsettled: one of them has ended and is not reaped yet. What it leaves may not be in live, so nothing can
	// be concluded; its SIGCHLD is on the way.
	unsettled bool
}

func (p *process) adopted() orphans {
	var o orphans
	children, err := contain.Adopted()
	if err != nil {
		p.blind = err
	}
	for _, child := range children {
		switch {
		case p.leaders[child] != nil:
		case contain.Over(child):
			o.unsettled = true
		default:
			o.live = append(o.live, child)
		}
	}
	return o
}

// remaining lists the ward's processes that have not ended, as its class reaches them.
func (p *process) remaining(w *ward, adopted []int) []int {
	var roots []int
	if !w.exited {
		roots = append(roots, w.pid)
	}
	if w.class == contain.Group {
		return slices.DeleteFunc(contain.Descendants(append(roots, adopted...)), func(pid int) bool {
			return pid != w.pid && (w.group == 0 || contain.GroupOf(pid) != w.group)
		})
	}
	if w.leaf != nil {
		roots = append(roots, w.leaf.Procs()...)
	}
	for _, child := range adopted {
		if contain.MarkOf(child) == w.mark {
			roots = append(roots, child)
		}
	}
	return contain.Descendants(roots)
}

// owns reports, for a process that is held, whether it is the ward's: it is in the ward's cgroup, carries its
// mark, or descends from something that does.
func (p *process) owns(w *ward, pid int) bool {
	if w.class == contain.Group {
		return pid == w.pid && !w.exited || w.group != 0 && contain.GroupOf(pid) == w.group
	}
	if w.leaf != nil && w.leaf.Holds(pid) || contain.MarkOf(pid) == w.mark {
		return true
	}
	root := contain.ChildAbove(os.Getpid(), pid)
	return root != 0 && (root == w.pid && !w.exited || contain.MarkOf(root) == w.mark)
}

// spared reports whether the process belongs to a command whose class promises nothing about it.
func (p *process) spared(pid int) bool { return contain.MarkOf(pid) == p.marks.Of(contain.GroupOnly) }

// settle lets go of every ward of which nothing is left, and asks what escaped from those that are stopping.
func (p *process) settle() {
	p.unsettled = false
	var exited []*ward
	for _, w := range p.wards {
		if w.exited {
			exited = append(exited, w)
		}
	}
	if len(exited) == 0 {
		return
	}
	adopted := p.adopted()
	if p.blind != nil {
		return
	}
	for _, w := range exited {
		// Every process of a command descends from its first process or was adopted here, so with neither there
		// is nothing left.
		var left []int
		if len(adopted.live) > 0 {
			left = p.remaining(w, adopted.live)
		}
		if len(left) == 0 {
			if adopted.unsettled {
				p.unsettled = true // something has just ended, and being told of it will wake us
			} else {
				p.letGo(w)
			}
			continue
		}
		if w.stopping && !w.told && w.signal != NoSignal {
			w.told = true
			outside := slices.DeleteFunc(left, func(pid int) bool { return w.group != 0 && contain.GroupOf(pid) == w.group })
			p.noteEscaped(w, outside)
			p.askEach(w, outside)
		}
	}
}

func (p *process) letGo(w *ward) {
	w.gone.ID = w.id
	delete(p.wards, w.id)
	if !w.stopping {
		w.gone.Rung = string(RungGone)
	}
	p.tell(w.gone.encode())
}

// noteEscaped writes down which of the processes have left the command's group.
func (p *process) noteEscaped(w *ward, pids []int) {
	for _, pid := range pids {
		known := slices.ContainsFunc(w.gone.Escaped, func(e contain.Process) bool { return e.PID == pid })
		if !known && w.group != 0 && contain.GroupOf(pid) != w.group {
			w.gone.Escaped = append(w.gone.Escaped, contain.Name(pid))
		}
	}
}

func (p *process) nextDeadline() (time.Time, bool) {
	var next time.Time
	for _, w := range p.wards {
		if w.stopping && (next.IsZero() || w.deadline.Before(next)) {
			next = w.deadline
		}
	}
	return next, !next.IsZero()
}

// due kills everything of every ward whose grace is over, all in one sweep.
func (p *process) due(now time.Time) {
	var wards []*ward
	owner := map[int]*ward{}
	for _, w := range p.wards {
		if !w.stopping || w.deadline.After(now) {
			continue
		}
		wards = append(wards, w)
		left := p.remaining(w, p.adopted().live)
		if p.blind != nil {
			return
		}
		p.noteEscaped(w, left)
		if len(left) > 0 {
			w.gone.Rung = string(RungKill)
		}
		for _, pid := range left {
			owner[pid] = w
			if w.leaf != nil {
				w.gone.Killed = append(w.gone.Killed, contain.Name(pid)) // the sweep may come too late to see them
			}
		}
		if w.leaf != nil {
			_ = w.leaf.Kill()
		}
	}
	if len(wards) == 0 {
		return
	}
	swept := contain.Sweep(func() []int { return p.allOf(wards, owner) }, func(pid int) bool { return owner[pid] != nil && p.owns(owner[pid], pid) }, 0)
	for _, k := range swept.Killed {
		if w := owner[k.PID]; !slices.ContainsFunc(w.gone.Killed, func(known contain.Process) bool { return known.PID == k.PID }) {
			w.gone.Killed = append(w.gone.Killed, k)
		}
	}
	for _, s := range swept.Survivors {
		w := owner[s.PID]
		w.gone.Survivors = append(w.gone.Survivors, s)
		w.gone.Rung = string(RungSurvivor)
	}
	for p.reap() { // all that the sweep has ended, before what is left is looked at
		continue
	}
	p.settle()
	for _, w := range wards {
		if len(w.gone.Survivors) > 0 && p.wards[w.id] != nil {
			p.letGo(w)
		}
	}
}

func (p *process) allOf(wards []*ward, owner map[int]*ward) []int {
	var all []int
	adopted := p.adopted().live
	for _, w := range wards {
		for _, pid := range p.remaining(w, adopted) {
			owner[pid] = w
			all = append(all, pid)
		}
	}
	return all
}

func leafName(id uint32) string { return strconv.Itoa(int(id)) }

func errnoOf(err error) syscall.Errno {
	if errno, ok := err.(syscall.Errno); ok {
		return errno
	}
	return syscall.EINVAL
}
