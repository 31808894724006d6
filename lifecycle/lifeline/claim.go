package lifeline

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
)

// Claims remembers which lifelines a process has taken over, since a descriptor can be owned once only.
// A process has one; the zero value is ready.
type Claims struct {
	mu    sync.Mutex
	taken map[string]bool
}

// Take validates the value of a lifeline variable and takes the descriptor over: it is made close-on-exec
// and belongs to the returned line. A value that is blank after trimming names no lifeline: Take returns
// nil and no error, and the variable can still be taken. Every other value uses the variable up, whether
// or not it is accepted. Errors name the variable and what is wrong with the descriptor.
func (c *Claims) Take(variable, value string) (*Held, error) {
	value = strings.TrimSpace(value)
	if value == "" {
		return nil, nil
	}
	if !c.claim(variable) {
		return nil, refusal(variable, "it was already read by this process")
	}
	fd, why := parse(value)
	if why != "" {
		return nil, refusal(variable, why)
	}
	if why := inspect(fd); why != "" {
		return nil, refusal(variable, why)
	}
	file, err := own(fd, variable)
	if err != nil {
		return nil, refusal(variable, err.Error())
	}
	return hold(variable, file), nil
}

func (c *Claims) claim(variable string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.taken[variable] {
		return false
	}
	if c.taken == nil {
		c.taken = map[string]bool{}
	}
	c.taken[variable] = true
	return true
}

// RefusedError says why a lifeline variable was not accepted.
type RefusedError struct {
	Variable string
	Why      string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("cannot hold the lifeline that %s names: %s", e.Variable, e.Why)
}

func refusal(variable, why string) error { return &RefusedError{Variable: variable, Why: why} }

// parse reads a decimal descriptor number above the standard streams, or says why it is none. The
// value is quoted in the reason: it is a number or garbage, never a secret.
func parse(value string) (fd int, why string) {
	if strings.Trim(value, "0123456789") != "" {
		return 0, fmt.Sprintf("%q is not a decimal descriptor number", value)
	}
	number, err := strconv.ParseUint(value, 10, 64)
	if err != nil || number > math.MaxInt32 {
		return 0, fmt.Sprintf("descriptor number %s is out of range", value)
	}
	if number < 3 {
		return 0, fmt.Sprintf("descriptor %d is a standard stream", number)
	}
	return int(number), ""
}

// kindOf names a file that is not a pipe the way a refusal does.
func kindOf(mode os.FileMode) string {
	switch {
	case mode&os.ModeCharDevice != 0:
		return "a character device"
	case mode&os.ModeDevice != 0:
		return "a block device"
	case mode.IsRegular():
		return "a regular file"
	case mode.IsDir():
		return "a directory"
	case mode&os.ModeSocket != 0:
		return "a socket"
	}
	return "not a pipe"
}
