package keeper

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"murlua/platform/contain"
)

// A link is one keeper process and the host's connection to it. Its goroutine (run) lives until the process has
// gone and whatever it left has been ended.
type link struct {
	keeper *Keeper
	conn   *conn
	pid    int // of the keeper process, which is this one's child
	base   *contain.Base
	marks  contain.Mark
	sealed bool
	gone   chan struct{} // closed last

	mu      sync.Mutex
	kept    map[uint32]*Kept
	sending int  // starts that are not on their way yet
	lost    bool // the connection has ended
	ready   bool
	empty   []*contain.Leaf // cgroups of commands of which nothing is left; of run alone
	failure string          // why the keeper could not come up, in its own words
	noting  sync.Once
	noted   string // the file that says whose the marks are; empty: none. Set while noting
}

// equip gives the keeper a base for cgroups, before the first command. One that has ended already gets none.
func (l *link) equip(base *contain.Base) {
	l.mu.Lock()
	lost := l.lost
	if !lost {
		l.base = base // its end removes it
	}
	l.mu.Unlock()
	if lost {
		_ = base.Remove()
		return
	}
	_ = l.conn.write(append([]byte{kindBase}, base.Dir()...)) // a keeper that is gone is noticed by run
}

func (l *link) broken() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}

func (l *link) add(kept *Kept) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept[kept.id] = kept
	l.sending++
}

func (l *link) forget(kept *Kept) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.kept, kept.id)
}

// request sends a start with everything that travels with it. A cgroup is made here, so that the keeper, which
// starts one command after another, need not.
func (l *link) request(kept *Kept, r *startRequest, files []*os.File) error {
	defer l.sent()
	fds := make([]int, len(files), len(files)+1)
	for i, f := range files {
		fds[i] = int(f.Fd())
	}
	if kept.class == contain.Cgroup {
		fd, err := l.createLeaf(leafName(kept.id))
		if err != nil {
			return err
		}
		defer syscall.Close(fd)
		fds = append(fds, fd)
	}
	if err := l.conn.write(r.encode(), fds...); err != nil {
		if kept.class == contain.Cgroup {
			l.base.Leaf(leafName(kept.id)).Remove()
			if l.broken() {
				_ = l.base.Remove() // the leaf may have been in its way
			}
		}
		return fmt.Errorf("cannot reach the keeper: %w", err)
	}
	return nil
}

func (l *link) createLeaf(name string) (fd int, err error) {
	l.mu.Lock()
	base := l.base
	l.mu.Unlock()
	if base == nil {
		return -1, errKeeperEnded
	}
	fd, err = base.Create(name)
	if err != nil && l.broken() {
		return -1, errKeeperEnded // and the base with it
	}
	return fd, err
}

var errKeeperEnded = errors.New("cannot reach the keeper: it has ended")

func (l *link) sent() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sending--
}

// drain has the keeper go with its last command. It reports whether it will: not while a start is under way. The caller
// sees to it that none begins.
func (l *link) drain() bool {
	l.mu.Lock()
	busy := l.sending > 0
	l.mu.Unlock()
	return !busy && l.conn.write([]byte{kindDrain}) == nil
}

func (l *link) get(id uint32) *Kept {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.kept[id]
}

func (l *link) all() []*Kept {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]*Kept, 0, len(l.kept))
	for _, kept := range l.kept {
		list = append(list, kept)
	}
	return list
}

// close has the keeper stop everything and go.
func (l *link) close() {
	_ = l.conn.write([]byte{kindRelease}) // a broken connection is noticed by run
}

// hurry ends all graces.
func (l *link) hurry() {
	for _, kept := range l.all() {
		kept.requestStop(NoSignal, 0)
	}
}

func (l *link) run() {
	for {
		packet, fds, err := l.conn.read()
		if err != nil {
			break
		}
		if err := unbatch(packet, func(one []byte) { fds = l.handle(one, fds) }); err != nil {
			break // not a keeper of ours any more: its end is taken care of below
		}
		closeAll(fds)
		l.removeLeaves()
	}
	l.conn.close()
	l.mu.Lock()
	l.lost = true
	l.mu.Unlock()
	swept := l.clear(l.wait())
	l.noting.Do(func() {}) // one that is under way has ended then, and none begins
	if l.noted != "" && len(swept.Survivors) == 0 {
		_ = os.Remove(l.noted) // nobody minds one that stays: the next start sees that nothing is left
	}
	l.keeper.dropLink(l)
	close(l.gone)
}

// wait reaps the keeper process and says how it ended, if that was not in order.
func (l *link) wait() error {
	var status syscall.WaitStatus
	for {
		switch _, err := syscall.Wait4(l.pid, &status, 0, nil); {
		case err == syscall.EINTR:
		case err != nil:
			return err
		case status.Signaled():
			return errors.New("signal: " + status.Signal().String())
		case status.ExitStatus() != 0:
			return fmt.Errorf("exit status %d", status.ExitStatus())
		default:
			return nil
		}
	}
}

// handle takes one packet and the descriptors that came with it, and returns those that it did not keep.
func (l *link) handle(packet []byte, fds []int) []int {
	switch packet[0] {
	case kindReady:
		l.mu.Lock()
		l.ready = true
		l.mu.Unlock()
	case kindFailed:
		l.mu.Lock()
		l.failure = string(packet[1:])
		l.mu.Unlock()
	case kindStarted:
		r, err := decodeStarted(packet[1:])
		if kept := l.get(r.ID); err == nil && kept != nil {
			if r.Errno != 0 {
				l.forget(kept)
				l.emptied(kept)
			}
			kept.onStarted(r, fds)
			fds = nil
			if l.sealed && r.Errno != 0 {
				l.close()
			}
		}
	case kindExited:
		n, err := decodeExited(packet[1:])
		if kept := l.get(n.ID); err == nil && kept != nil {
			kept.onExited(statusOf(n.Wait))
		}
	case kindEmpty:
		n, err := decodeGone(packet[1:])
		if kept := l.get(n.ID); err == nil && kept != nil {
			l.forget(kept)
			kept.onGone(n)
			l.emptied(kept)
			if l.sealed {
				l.close()
			}
		}
	}
	return fds
}

// emptied notes that the command's cgroup is to be removed, and removeLeaves does it when everybody has been told.
func (l *link) emptied(kept *Kept) {
	if kept.class == contain.Cgroup {
		l.empty = append(l.empty, l.base.Leaf(leafName(kept.id)))
	}
}

func (l *link) removeLeaves() {
	for _, leaf := range l.empty {
		leaf.Remove() // not if survivors hold it: the base's end tries again
	}
	l.empty = l.empty[:0]
}

// clear ends what a keeper that did not finish has left. After an orderly end there is nothing to do.
func (l *link) clear(waitErr error) (swept contain.Swept) {
	if l.base != nil {
		defer l.base.Remove() // what survivors hold stays, and the next start tries again
	}
	left := l.all()
	if len(left) == 0 && waitErr == nil {
		return swept
	}
	l.mu.Lock()
	ready, failure := l.ready, l.failure
	l.mu.Unlock()
	if !ready {
		if failure == "" {
			failure = fmt.Sprint(waitErr)
		}
		cause := fmt.Errorf("the keeper did not come up: %s", failure)
		for _, kept := range left {
			kept.onStarted(startedReply{Stage: cause.Error(), Errno: int(syscall.ECHILD)}, nil)
		}
		left = nil
	}
	swept = adopt(l.marks, l.base, left)
	for _, kept := range left {
		kept.onLost(swept)
	}
	return swept
}

// adopt ends the processes of a keeper that was killed. They are our children now, since we are a subreaper;
// they are known by the keeper's marks and cgroups, so that nobody else's process is touched. A sealed keeper
// takes its own along.
func adopt(marks contain.Mark, base *contain.Base, left []*Kept) contain.Swept {
	spared := marks.Of(contain.GroupOnly)
	find := func() []int {
		var roots []int
		for _, child := range contain.Children(os.Getpid()) {
			if m := contain.MarkOf(child); m.Base() == marks && m != spared {
				roots = append(roots, child)
			}
		}
		if base != nil {
			roots = append(roots, base.Procs()...)
		}
		return contain.Descendants(roots)
	}
	belongs := func(pid int) bool {
		root := contain.ChildAbove(os.Getpid(), pid)
		return base != nil && base.Holds(pid) || contain.MarkOf(pid).Base() == marks || root != 0 && contain.MarkOf(root).Base() == marks
	}
	if base != nil {
		_ = base.Kill()
	}
	for _, kept := range left {
		kept.killGroup()
	}
	deadline := time.Now().Add(time.Second)
	for _, kept := range left {
		kept.reap(deadline)
	}
	swept := contain.Sweep(find, belongs, 0)
	for _, killed := range swept.Killed {
		reapAdopted(killed.PID)
	}
	return swept
}
