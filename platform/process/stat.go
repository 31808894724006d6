package process

import (
	"bytes"
	"errors"
	"strconv"
)

// stat is what a line of /proc/<pid>/stat says, see proc_pid_stat(5).
type stat struct {
	state   byte   // field 3
	threads int    // field 20
	start   string // field 22
}

// Positions counted from field 3, the first after the name of the executable.
const (
	statThreads = 20 - 3
	statStart   = 22 - 3
)

var errStatLine = errors.New("the stat line is incomplete")

// parseStat reads a stat line. The executable's name, in parentheses, may itself hold spaces,
// newlines and parentheses, so fields are counted from the last closing one.
func parseStat(line []byte) (stat, error) {
	name := bytes.LastIndexByte(line, ')')
	if name < 0 {
		return stat{}, errStatLine
	}
	var parsed stat
	rest := line[name+1:]
	for field := 0; ; field++ {
		var text []byte
		text, rest = nextField(rest)
		if len(text) == 0 {
			return stat{}, errStatLine
		}
		switch field {
		case 0:
			parsed.state = text[0]
		case statThreads:
			// A count that is no number is left at 0: it decides only about a zombie.
			parsed.threads, _ = strconv.Atoi(string(text))
		case statStart:
			parsed.start = string(text)
			return parsed, nil
		}
	}
}

// dead reports whether the process, and not only its first thread, has ended.
func (s stat) dead() bool { return (s.state == 'Z' || s.state == 'X') && s.threads <= 1 }

func nextField(text []byte) (field, rest []byte) {
	text = bytes.TrimLeft(text, " \t\r\n")
	if end := bytes.IndexAny(text, " \t\r\n"); end >= 0 {
		return text[:end], text[end:]
	}
	return text, nil
}
