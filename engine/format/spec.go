package format

import (
	"errors"
	"fmt"
)

// Spec is one conversion of a format: "%-08.3f".
type Spec struct {
	Minus, Plus, Space, Alternate, Zero bool

	Width     int
	Precision int // -1 when not given
	Verb      byte
}

// Errors of malformed formats, in the words of Lua.
var (
	ErrRepeatedFlags = errors.New("invalid format (repeated flags)")
	ErrTooLong       = errors.New("invalid format (width or precision too long)")
)

// Parse reads the conversion that begins after a "%" and returns how long it is.
func Parse(s string) (spec Spec, length int, err error) {
	spec.Precision = -1
	i := 0
	for ; i < len(s) && spec.flag(s[i]); i++ {
		if i >= 5 {
			return spec, i, ErrRepeatedFlags
		}
	}
	if spec.Width, i, err = digits(s, i); err != nil {
		return spec, i, err
	}
	if i < len(s) && s[i] == '.' {
		if spec.Precision, i, err = digits(s, i+1); err != nil {
			return spec, i, err
		}
	}
	if i == len(s) {
		return spec, i, errors.New("invalid option '%' to 'format'")
	}
	spec.Verb = s[i]
	switch spec.Verb {
	case 'c', 'd', 'i', 'o', 'u', 'x', 'X', 'e', 'E', 'f', 'g', 'G', 'q', 's':
		return spec, i + 1, nil
	}
	return spec, i, fmt.Errorf("invalid option '%%%c' to 'format'", spec.Verb)
}

func (s *Spec) flag(c byte) bool {
	switch c {
	case '-':
		s.Minus = true
	case '+':
		s.Plus = true
	case ' ':
		s.Space = true
	case '#':
		s.Alternate = true
	case '0':
		s.Zero = true
	default:
		return false
	}
	return true
}

// digits reads at most two.
func digits(s string, i int) (n, end int, err error) {
	for end = i; end < len(s) && '0' <= s[end] && s[end] <= '9'; end++ {
		if end-i >= 2 {
			return 0, end, ErrTooLong
		}
		n = n*10 + int(s[end]-'0')
	}
	return n, end, nil
}
