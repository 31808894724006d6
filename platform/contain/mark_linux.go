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

// A Mark is a number that a command and everything it starts carries, whatever they do to their session, their
// environment or their parent. It is the soft limit RLIMIT_LOCKS: inherited by fork and exec, readable of any
// process in /proc/<pid>/limits, and without effect since Linux 2.4.25 (getrlimit(2)), so that giving it a
// value changes nothing for the command. A program that sets this limit itself loses the mark; programs that
// set up a login (su, sudo through pam_limits) do.
//
// The upper 40 bits are the random number of one keeper, the lower 24 number its commands from 1.
type Mark uint64

const (
	markBits = 24
	// MaxMarks is how many commands one [Mark] base can tell apart.
	MaxMarks = 1<<markBits - 1
)

// NewMarks returns the base of a keeper's marks: random, so that a stranger's process cannot carry it by
// accident. The top bit is clear, so that a mark is never taken for "unlimited".
func NewMarks() Mark {
	var b [8]byte
	rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	return Mark(binary.LittleEndian.Uint64(b[:])>>1) &^ MaxMarks
}

// Of returns the mark of the keeper's n-th command.
func (m Mark) Of(n uint32) Mark { return m&^MaxMarks | Mark(n&MaxMarks) }

// Base returns the mark's keeper.
func (m Mark) Base() Mark { return m &^ MaxMarks }

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

// Marked lists the processes of this machine that carry one of the base's marks and have not ended.
func Marked(base Mark) []int {
	var found []int
	for _, pid := range allPIDs() {
		if MarkOf(pid).Base() == base && base != 0 {
			if s, err := readStat(pid); err == nil && !s.over() {
				found = append(found, pid)
			}
		}
	}
	return found
}
