package listener

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Holders lists the processes that hold a socket which listens on the port, at whatever address, by their pids. Another
// user's are not among them unless we may look into their descriptors.
func Holders(port int) []Process {
	var sockets []string
	for _, name := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		table, _ := os.ReadFile(name) // there is no tcp6 without IPv6
		for _, inode := range inodes(string(table), port) {
			sockets = append(sockets, "socket:["+inode+"]")
		}
	}
	if len(sockets) == 0 {
		return nil
	}
	var found []Process
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || !holds(pid, sockets) {
			continue
		}
		name, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "comm"))
		found = append(found, Process{PID: pid, Name: strings.TrimSpace(string(name))})
	}
	slices.SortFunc(found, func(a, b Process) int { return a.PID - b.PID })
	return found
}

// holds reports whether one of the process's descriptors is one of the sockets.
func holds(pid int, sockets []string) bool {
	dir := filepath.Join("/proc", strconv.Itoa(pid), "fd")
	entries, _ := os.ReadDir(dir) // it may have ended, or be another user's
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		target, err := os.Readlink(filepath.Join(dir, e.Name()))
		return err == nil && slices.Contains(sockets, target)
	})
}
