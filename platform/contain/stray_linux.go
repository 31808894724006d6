package contain

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"
)

// Strays lists, by keeper, the processes of this user that carry the mark of a command of one of these keepers and
// have not ended. A keeper of which there is none has no entry. Neither the keepers themselves, which carry their
// bases, nor the commands of [GroupOnly] are among them. An error says that it could not be found out.
func Strays(keepers []Mark) (map[Mark][]Process, error) {
	if err := seesItself(); err != nil {
		return nil, err
	}
	bases := setOf(keepers)
	found := map[Mark][]Process{}
	for _, pid := range allPIDs() {
		base, ok := strayOf(pid, bases)
		if !ok {
			continue
		}
		if s, err := readStat(pid); err == nil && !s.over() {
			found[base] = append(found[base], Process{PID: pid, Name: s.name})
		}
	}
	return found, nil
}

// EndStrays ends what [Strays] lists, as [Sweep] does: each process is held, and only touched when it still carries a
// mark of these keepers and belongs to this user then. Bounded by within (0: five seconds). Look at [AmongStrays]
// first.
func EndStrays(keepers []Mark, within time.Duration) (Swept, error) {
	if err := seesItself(); err != nil {
		return Swept{}, err
	}
	bases := setOf(keepers)
	find := func() []int {
		var pids []int
		for _, pid := range allPIDs() {
			if _, ok := strayOf(pid, bases); ok && !Over(pid) {
				pids = append(pids, pid)
			}
		}
		return pids
	}
	belongs := func(pid int) bool {
		_, ok := strayOf(pid, bases)
		return ok && pid != os.Getpid()
	}
	return Sweep(find, belongs, within), nil
}

// AmongStrays reports whether this process, or one that it descends from, carries a mark of the keeper: whoever ended
// what that left would end itself.
func AmongStrays(keeper Mark) bool {
	const deepest = 1 << 12 // numbers can change hands while we climb, so the climb could go in circles
	pid := os.Getpid()
	for range deepest {
		if MarkOf(pid).Base() == keeper {
			return true
		}
		s, err := readStat(pid)
		if err != nil || s.ppid == 0 {
			return false
		}
		pid = s.ppid
	}
	return true
}

// strayOf returns whose command the process is of.
func strayOf(pid int, bases map[Mark]bool) (Mark, bool) {
	m := MarkOf(pid)
	base := m.Base()
	if !bases[base] || m == base || m == base.Of(GroupOnly) || !ownedByUs(pid) {
		return 0, false
	}
	return base, true
}

// ownedByUs reports whether the process runs for this user, whose real user id it has then also while it runs a
// setuid program.
func ownedByUs(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return false
	}
	_, rest, ok := bytes.Cut(text, []byte("\nUid:"))
	fields := bytes.Fields(rest)
	return ok && len(fields) > 0 && string(fields[0]) == strconv.Itoa(os.Getuid())
}

// seesItself fails where /proc is not readable, or that of another pid namespace: its numbers are not ours then.
func seesItself() error {
	self, err := os.Readlink("/proc/self")
	if err != nil {
		return fmt.Errorf("cannot look for processes: %w", unwrapPath(err))
	}
	if self != strconv.Itoa(os.Getpid()) {
		return errors.New("cannot look for processes: /proc shows another pid namespace")
	}
	return nil
}

func setOf(marks []Mark) map[Mark]bool {
	set := make(map[Mark]bool, len(marks))
	for _, m := range marks {
		if m != 0 && m == m.Base() {
			set[m] = true
		}
	}
	return set
}
