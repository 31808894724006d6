package contain

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// settleWithin bounds the wait for processes that were sent SIGKILL: far above what a kill takes (milliseconds),
// and short enough that one stuck in the kernel does not hold up everybody else.
const settleWithin = 5 * time.Second

func readStat(pid int) (stat, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return stat{}, unwrapPath(err)
	}
	s, ok := parseStat(string(text))
	if !ok {
		return stat{}, unix.EINVAL
	}
	return s, nil
}

// Name returns the process as a report names it.
func Name(pid int) Process {
	s, _ := readStat(pid)
	return Process{PID: pid, Name: s.name}
}

// Over reports whether the process has ended, reaped or not.
func Over(pid int) bool {
	s, err := readStat(pid)
	return err != nil || s.over()
}

// GroupOf returns the process group of a process; 0 when it is gone.
func GroupOf(pid int) int {
	s, err := readStat(pid)
	if err != nil {
		return 0
	}
	return s.pgrp
}

// ChildAbove returns the child of ancestor that pid descends from (or is), 0 when it does not.
func ChildAbove(ancestor, pid int) int {
	const deepest = 1 << 12 // numbers can change hands while we climb, so the climb could go in circles
	for range deepest {
		s, err := readStat(pid)
		if err != nil || s.ppid == 0 {
			return 0
		}
		if s.ppid == ancestor {
			return pid
		}
		pid = s.ppid
	}
	return 0
}

// Adopted lists the orphans that this process, a subreaper, has taken in, those that have ended but are not
// reaped included. The kernel gives them to the first thread; children that this process started on another
// thread are not listed, those that it started on the first one are. The error is that there is no descriptor to look
// with, for this process or on the whole machine.
func Adopted() ([]int, error) {
	self := strconv.Itoa(os.Getpid())
	text, err := os.ReadFile("/proc/self/task/" + self + "/children")
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return nil, unwrapPath(err)
	}
	if err != nil {
		return children(os.Getpid()), nil
	}
	return parsePIDs(string(text)), nil
}

// Children lists the children of the process that have not ended; an orphan that a subreaper adopted is a
// child of it.
func Children(pid int) []int {
	var live []int
	for _, child := range children(pid) {
		if s, err := readStat(child); err == nil && s.ppid == pid && !s.over() {
			live = append(live, child)
		}
	}
	return live
}

// Descendants lists roots and everything below them that has not ended.
func Descendants(roots []int) []int {
	seen := map[int]bool{}
	var all []int
	queue := append([]int(nil), roots...)
	for len(queue) > 0 {
		pid := queue[0]
		queue = queue[1:]
		if seen[pid] {
			continue
		}
		seen[pid] = true
		s, err := readStat(pid)
		if err != nil {
			continue
		}
		if !s.over() {
			all = append(all, pid)
		}
		queue = append(queue, children(pid)...)
	}
	return all
}

// children lists the children of every thread of the process, ended ones too. A kernel without
// /proc/<pid>/task/<tid>/children (CONFIG_PROC_CHILDREN) is served by a walk over /proc.
func children(pid int) []int {
	base := "/proc/" + strconv.Itoa(pid) + "/task/"
	tasks, err := os.ReadDir(base)
	if err != nil {
		return nil
	}
	var all []int
	for _, t := range tasks {
		text, err := os.ReadFile(base + t.Name() + "/children")
		if err != nil {
			if os.IsNotExist(err) && !haveChildrenFile() {
				return childrenByWalk(pid)
			}
			continue
		}
		all = append(all, parsePIDs(string(text))...)
	}
	return all
}

func haveChildrenFile() bool {
	_, err := os.Stat("/proc/self/task/" + strconv.Itoa(os.Getpid()) + "/children")
	return err == nil
}

func childrenByWalk(parent int) []int {
	var found []int
	for _, pid := range allPIDs() {
		if s, err := readStat(pid); err == nil && s.ppid == parent {
			found = append(found, pid)
		}
	}
	return found
}

func allPIDs() []int {
	d, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	return parsePIDs(strings.Join(names, " "))
}

// pidNamespace identifies the pid namespace this process sees; 0 when it cannot be told.
func pidNamespace() uint64 {
	var st unix.Stat_t
	if unix.Stat("/proc/self/ns/pid", &st) != nil {
		return 0
	}
	return st.Ino
}

// waitEmpty waits until the kernel reports that no process is left in the cgroup (cgroup.events, POLLPRI), at
// most settleWithin.
func waitEmpty(dir string) {
	fd, err := unix.Open(dir+"/cgroup.events", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	end := time.Now().Add(settleWithin)
	buf := make([]byte, 256)
	for {
		n, err := unix.Pread(fd, buf, 0)
		if err != nil || strings.Contains(string(buf[:n]), "populated 0") {
			return
		}
		left := time.Until(end)
		if left <= 0 {
			return
		}
		_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLPRI}}, int(left.Milliseconds())+1)
	}
}
