package contain

import (
	"strconv"
	"strings"
)

// A stat is the part of /proc/<pid>/stat (proc_pid_stat(5)) that is needed here.
type stat struct {
	name    string
	state   byte
	ppid    int
	pgrp    int
	threads int
	start   string
}

// parseStat reads the text of /proc/<pid>/stat. The name may hold blanks and parentheses, so the fields are
// counted from the last ")".
func parseStat(text string) (stat, bool) {
	open, end := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if open < 0 || end < open {
		return stat{}, false
	}
	fields := strings.Fields(text[end+1:])
	if len(fields) < 20 || len(fields[0]) != 1 {
		return stat{}, false
	}
	s := stat{name: text[open+1 : end], state: fields[0][0], start: fields[19]}
	var err error
	if s.ppid, err = strconv.Atoi(fields[1]); err != nil {
		return stat{}, false
	}
	if s.pgrp, err = strconv.Atoi(fields[2]); err != nil {
		return stat{}, false
	}
	if s.threads, err = strconv.Atoi(fields[17]); err != nil {
		return stat{}, false
	}
	return s, true
}

// over reports whether the process has ended and only waits to be reaped. State Z alone does not say so: the
// first thread of a process may have ended while others run on.
func (s stat) over() bool {
	return (s.state == 'Z' || s.state == 'X') && s.threads <= 1
}
