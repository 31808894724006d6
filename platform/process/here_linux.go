package process

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// initialTimeNamespace is the kernel's fixed number of the namespace whose clock is the machine's
// (PROC_TIME_INIT_INO in include/linux/proc_ns.h).
const initialTimeNamespace = "time:[4026531834]"

var errForeignProc = errors.New("/proc shows another pid namespace")

// surroundings are the facts of this process, which do not change while it runs.
var surroundings = sync.OnceValue(func() here {
	host, _ := os.Hostname()
	found := here{origin: Origin{
		Boot:          readLine("/proc/sys/kernel/random/boot_id"),
		Machine:       machineID(),
		Host:          host,
		PIDNamespace:  readLink("/proc/self/ns/pid"),
		TimeNamespace: readLink("/proc/self/ns/time"),
	}}
	found.bootTime = bootTime(found.origin.TimeNamespace)
	// A /proc that was mounted in another pid namespace counts other numbers.
	if readLink("/proc/self") != strconv.Itoa(os.Getpid()) {
		found.tokens = errForeignProc
	}
	return found
})

// pidfs reports whether pidfds have inodes of their own.
var pidfs = sync.OnceValue(func() bool {
	fd, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return false
	}
	defer func() { _ = unix.Close(fd) }()
	var stat unix.Statfs_t
	return unix.Fstatfs(fd, &stat) == nil && stat.Type == unix.PID_FS_MAGIC
})

// bootTime is when the machine was started, in Unix seconds. In a time namespace of its own this
// process sees a clock that was moved, and cannot tell.
func bootTime(timeNamespace string) int64 {
	if timeNamespace != "" && timeNamespace != initialTimeNamespace {
		return 0
	}
	var since unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &since); err != nil {
		return 0
	}
	return time.Now().Unix() - since.Sec
}

// machineID is what machine-id(5) describes.
func machineID() string {
	if id := readLine("/etc/machine-id"); id != "" {
		return id
	}
	return readLine("/var/lib/dbus/machine-id")
}

func readLine(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

func readLink(path string) string {
	text, _ := os.Readlink(path)
	return text
}

func startToken(pid int, here here) (string, error) {
	if here.tokens != nil {
		return "", here.tokens
	}
	stat, err := readStat(pid)
	if err != nil {
		return "", err
	}
	return stat.start, nil
}

// readStat reads /proc/<pid>/stat. Plain system calls: a directory of 10,000 records is read at the
// cost of them.
func readStat(pid int) (stat, error) {
	fd, err := retry(func() (int, error) {
		return unix.Open("/proc/"+strconv.Itoa(pid)+"/stat", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return stat{}, err
	}
	defer func() { _ = unix.Close(fd) }()
	// A line has 52 fields of at most 20 digits and a name of at most 64 bytes.
	var line [2048]byte
	n, err := retry(func() (int, error) { return unix.Read(fd, line[:]) })
	if err != nil {
		return stat{}, err
	}
	return parseStat(line[:n])
}
