package pattern

import "errors"

// MaxCaptures is how many captures a pattern may have.
const MaxCaptures = 32

// maxDepth bounds recursion, which is by pattern items and, for some items, by subject length.
const maxDepth = 200_000

// interval is how many steps pass between two calls of Tick: well under a millisecond.
const interval = 4096

// Errors of malformed patterns, in the words of Lua.
var (
	ErrTooManyCaptures = errors.New("too many captures")
	ErrInvalidCapture  = errors.New("invalid pattern capture")
	ErrUnfinished      = errors.New("unfinished capture")
	ErrBackReference   = errors.New("invalid capture index")
	ErrEndsInPercent   = errors.New("malformed pattern (ends with '%')")
	ErrMissingBracket  = errors.New("malformed pattern (missing ']')")
	ErrBalance         = errors.New("unbalanced pattern")
	ErrFrontier        = errors.New("missing '[' after '%f' in pattern")
	ErrTooComplex      = errors.New("pattern too complex")
)

// Capture is a part of the subject that a match captured, or a position when Position is set: then Start is the
// offset and End is the same.
type Capture struct {
	Start, End int
	Position   bool
}

const (
	open       = -1 // a capture that has begun and not ended
	isPosition = -2
)

// Matcher matches one pattern against one subject. The zero Tick is never called.
type Matcher struct {
	Subject string
	Pattern string
	Tick    func() error // called now and then; its error ends the match

	level    int
	captures [MaxCaptures]struct{ start, length int }
	steps    int
	depth    int
	failure  error
}

// Match tries to match at an offset of the subject, the pattern from offset p on (1 skips an anchor). It returns the
// end of the match, or -1 when there is none.
func (m *Matcher) Match(start, p int) (end int, err error) {
	m.level, m.depth, m.failure = 0, 0, nil
	end = m.match(start, p)
	if m.failure != nil {
		return -1, m.failure
	}
	return end, nil
}

// Find returns the first match that begins at or after an offset; start is -1 when there is none. A "^" at the
// pattern's beginning anchors it to the offset.
func (m *Matcher) Find(offset int) (start, end int, err error) {
	if m.Pattern != "" && m.Pattern[0] == '^' {
		end, err = m.Match(offset, 1)
		if end < 0 {
			return -1, -1, err
		}
		return offset, end, nil
	}
	for start = offset; start <= len(m.Subject); start++ {
		if end, err = m.Match(start, 0); err != nil || end >= 0 {
			return start, end, err
		}
	}
	return -1, -1, nil
}

// Captures returns what the last match captured.
func (m *Matcher) Captures() ([]Capture, error) {
	list := make([]Capture, m.level)
	for i := range list {
		c := m.captures[i]
		switch c.length {
		case open:
			return nil, ErrUnfinished
		case isPosition:
			list[i] = Capture{Start: c.start, End: c.start, Position: true}
		default:
			list[i] = Capture{Start: c.start, End: c.start + c.length}
		}
	}
	return list, nil
}

func (m *Matcher) fail(err error) int {
	if m.failure == nil {
		m.failure = err
	}
	return -1
}

// step counts; it reports whether the match goes on.
func (m *Matcher) step() bool {
	m.steps++
	if m.steps%interval == 0 && m.Tick != nil {
		if err := m.Tick(); err != nil {
			m.fail(err)
		}
	}
	return m.failure == nil
}

// match matches the pattern from p at offset s and returns the end, or -1.
func (m *Matcher) match(s, p int) int {
	m.depth++
	if m.depth > maxDepth {
		return m.fail(ErrTooComplex)
	}
	defer func() { m.depth-- }()
	for p < len(m.Pattern) {
		if !m.step() {
			return -1
		}
		switch m.Pattern[p] {
		case '(':
			if p+1 < len(m.Pattern) && m.Pattern[p+1] == ')' {
				return m.begin(s, p+2, isPosition)
			}
			return m.begin(s, p+1, open)
		case ')':
			return m.end(s, p+1)
		case '$':
			if p+1 == len(m.Pattern) {
				if s == len(m.Subject) {
					return s
				}
				return -1
			}
		case '%':
			if p+1 < len(m.Pattern) {
				next, handled := -1, true
				switch c := m.Pattern[p+1]; {
				case c == 'b':
					next, p = m.balance(s, p+2), p+4
				case c == 'f':
					next, p = m.frontier(s, p+2)
				case '0' <= c && c <= '9':
					next, p = m.backReference(s, c), p+2
				default:
					handled = false
				}
				if handled {
					if next < 0 {
						return -1
					}
					s = next
					continue
				}
			}
		}
		item := m.classEnd(p)
		if item < 0 {
			return -1
		}
		done, next, after := m.repeat(s, p, item)
		if done {
			return next
		}
		s, p = next, after
	}
	return s
}

// repeat matches one single-character item and what follows it. Either the match is done, with its end, or it goes on
// at the returned offsets.
func (m *Matcher) repeat(s, p, item int) (done bool, next, after int) {
	suffix := byte(0)
	if item < len(m.Pattern) {
		suffix = m.Pattern[item]
	}
	switch suffix {
	case '?':
		if m.single(s, p, item) {
			if end := m.match(s+1, item+1); end >= 0 || m.failure != nil {
				return true, end, 0
			}
		}
		return false, s, item + 1
	case '+':
		if !m.single(s, p, item) {
			return true, -1, 0
		}
		return true, m.longest(s+1, p, item), 0
	case '*':
		return true, m.longest(s, p, item), 0
	case '-':
		return true, m.shortest(s, p, item), 0
	}
	if !m.single(s, p, item) {
		return true, -1, 0
	}
	return false, s + 1, item
}

func (m *Matcher) longest(s, p, item int) int {
	n := 0
	for m.single(s+n, p, item) {
		n++
		if !m.step() {
			return -1
		}
	}
	for ; n >= 0; n-- {
		if end := m.match(s+n, item+1); end >= 0 || m.failure != nil {
			return end
		}
	}
	return -1
}

func (m *Matcher) shortest(s, p, item int) int {
	for {
		if end := m.match(s, item+1); end >= 0 || m.failure != nil {
			return end
		}
		if !m.single(s, p, item) {
			return -1
		}
		s++
	}
}

func (m *Matcher) begin(s, p, kind int) int {
	if m.level >= MaxCaptures {
		return m.fail(ErrTooManyCaptures)
	}
	m.captures[m.level].start, m.captures[m.level].length = s, kind
	m.level++
	end := m.match(s, p)
	if end < 0 {
		m.level--
	}
	return end
}

func (m *Matcher) end(s, p int) int {
	for i := m.level - 1; i >= 0; i-- {
		if m.captures[i].length == open {
			m.captures[i].length = s - m.captures[i].start
			end := m.match(s, p)
			if end < 0 {
				m.captures[i].length = open
			}
			return end
		}
	}
	return m.fail(ErrInvalidCapture)
}

func (m *Matcher) backReference(s int, digit byte) int {
	i := int(digit) - '1'
	if i < 0 || i >= m.level || m.captures[i].length == open {
		return m.fail(ErrBackReference)
	}
	length := max(m.captures[i].length, 0)
	start := m.captures[i].start
	if len(m.Subject)-s >= length && m.Subject[start:start+length] == m.Subject[s:s+length] {
		return s + length
	}
	return -1
}

func (m *Matcher) balance(s, p int) int {
	if p+1 >= len(m.Pattern) {
		return m.fail(ErrBalance)
	}
	if s >= len(m.Subject) || m.Subject[s] != m.Pattern[p] {
		return -1
	}
	begin, end, level := m.Pattern[p], m.Pattern[p+1], 1
	for i := s + 1; i < len(m.Subject); i++ {
		if !m.step() {
			return -1
		}
		switch m.Subject[i] {
		case end:
			level--
			if level == 0 {
				return i + 1
			}
		case begin:
			level++
		}
	}
	return -1
}

// frontier matches the empty string between a character outside a set and one inside; the ends count as "\0".
func (m *Matcher) frontier(s, p int) (next, after int) {
	if p >= len(m.Pattern) || m.Pattern[p] != '[' {
		return m.fail(ErrFrontier), p
	}
	after = m.classEnd(p)
	if after < 0 {
		return -1, p
	}
	before, here := byte(0), byte(0)
	if s > 0 {
		before = m.Subject[s-1]
	}
	if s < len(m.Subject) {
		here = m.Subject[s]
	}
	if !m.inSet(before, p, after-1) && m.inSet(here, p, after-1) {
		return s, after
	}
	return -1, after
}
