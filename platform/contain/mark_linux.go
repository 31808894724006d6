package contain

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// NewMarks returns the base of a keeper's marks: random, so that a stranger's process cannot carry it by
// accident. The top bit is clear, so that a mark is never taken for "unlimited".
func NewMarks() Mark {
	var b [8]byte
	rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	return Mark(binary.LittleEndian.Uint64(b[:])>>1) &^ MaxMarks
}

// Set gives this process the mark, for the children it starts next. It fails where somebody has lowered the hard
// limit; a command is then told apart by its place in the process tree alone.
func (m Mark) Set() error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_LOCKS, &limit); err != nil {
		return err
	}
	limit.Cur = uint64(m)
	return unix.Setrlimit(unix.RLIMIT_LOCKS, &limit)
}

// MarkOf reads the mark of a process; 0 when it has none or it could not be read.
func MarkOf(pid int) Mark {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/limits")
	if err != nil {
		return 0
	}
	return parseMark(text)
}

// parseMark finds the soft limit of "Max file locks" in the text of /proc/<pid>/limits.
func parseMark(text []byte) Mark {
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		rest, ok := bytes.CutPrefix(lines.Bytes(), []byte("Max file locks"))
		if !ok {
			continue
		}
		fields := bytes.Fields(rest)
		if len(fields) == 0 {
			return 0
		}
		n, err := strconv.ParseUint(string(fields[0]), 10, 64)
		if err != nil {
			return 0 // "unlimited"
		}
		return Mark(n)
	}
	return 0
}

// MarkedExactly lists the processes of this machine that carry the mark and have not ended.
func MarkedExactly(mark Mark) []int {
	var found []int
	for _, pid := range Marked(mark.Base()) {
		if MarkOf(pid) == mark {
			found = append(found, pid)
		}
	}
	return found
}

// Marked lists the processes of this machine that carry the mark of one of the keeper's commands and have not
// ended. The keeper itself carries the base.
func Marked(base Mark) []int {
	var found []int
	for _, pid := range allPIDs() {
		if m := MarkOf(pid); m.Base() == base && m != base {
			if s, err := readStat(pid); err == nil && !s.over() {
				found = append(found, pid)
			}
		}
	}
	return found
}
