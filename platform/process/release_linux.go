package process

import (
	"bufio"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// ReleaseProgram lets go of the pages of the program's own file that this process has mapped and not changed: what
// only the start needed. What is needed again comes back from the page cache at the first touch. A process that does
// much at its start and then waits for long holds several megabytes less afterwards. It never fails; where it cannot
// be done, nothing changes.
func ReleaseProgram() {
	self, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer maps.Close()
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		// Only what cannot have been written to: giving up a changed page would lose the change.
		if len(fields) < 6 || fields[1][1] != '-' || strings.Join(fields[5:], " ") != self {
			continue
		}
		from, to, _ := strings.Cut(fields[0], "-")
		start, err1 := strconv.ParseUint(from, 16, 64)
		end, err2 := strconv.ParseUint(to, 16, 64)
		if err1 == nil && err2 == nil && end > start {
			_ = adviseDontNeed(uintptr(start), uintptr(end-start))
		}
	}
}

func adviseDontNeed(start, length uintptr) error {
	if _, _, errno := unix.Syscall(unix.SYS_MADVISE, start, length, unix.MADV_DONTNEED); errno != 0 {
		return errno
	}
	return nil
}
