package pattern

// classEnd returns the offset after the single-character item that begins at p, or -1.
func (m *Matcher) classEnd(p int) int {
	c := m.Pattern[p]
	p++
	switch c {
	case '%':
		if p >= len(m.Pattern) {
			return m.fail(ErrEndsInPercent)
		}
		return p + 1
	case '[':
		if p < len(m.Pattern) && m.Pattern[p] == '^' {
			p++
		}
		for first := true; first || p >= len(m.Pattern) || m.Pattern[p] != ']'; first = false {
			if p >= len(m.Pattern) {
				return m.fail(ErrMissingBracket)
			}
			if m.Pattern[p] == '%' {
				p++
				if p >= len(m.Pattern) {
					return m.fail(ErrMissingBracket)
				}
			}
			p++
		}
		return p + 1
	}
	return p
}

// single says whether the item p..item matches the character at offset s.
func (m *Matcher) single(s, p, item int) bool {
	if s >= len(m.Subject) {
		return false
	}
	c := m.Subject[s]
	switch m.Pattern[p] {
	case '.':
		return true
	case '%':
		return inClass(c, m.Pattern[p+1])
	case '[':
		return m.inSet(c, p, item-1)
	}
	return m.Pattern[p] == c
}

// inSet says whether c is in the set that begins with "[" at p and ends with "]" at end.
func (m *Matcher) inSet(c byte, p, end int) bool {
	want := true
	p++
	if m.Pattern[p] == '^' {
		want = false
		p++
	}
	for ; p < end; p++ {
		switch {
		case m.Pattern[p] == '%':
			p++
			if inClass(c, m.Pattern[p]) {
				return want
			}
		case p+2 < end && m.Pattern[p+1] == '-':
			if m.Pattern[p] <= c && c <= m.Pattern[p+2] {
				return want
			}
			p += 2
		case m.Pattern[p] == c:
			return want
		}
	}
	return !want
}

// inClass says whether c is in the class that a letter names, as in the C locale; an upper-case letter is the
// complement, and anything else is itself.
func inClass(c, letter byte) bool {
	var in bool
	switch letter | 0x20 {
	case 'a':
		in = isAlpha(c)
	case 'c':
		in = c < 32 || c == 127
	case 'd':
		in = isDigit(c)
	case 'l':
		in = 'a' <= c && c <= 'z'
	case 'p':
		in = isPunct(c)
	case 's':
		in = c == ' ' || 9 <= c && c <= 13
	case 'u':
		in = 'A' <= c && c <= 'Z'
	case 'w':
		in = isAlpha(c) || isDigit(c)
	case 'x':
		in = isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f'
	case 'z':
		in = c == 0
	default:
		return letter == c
	}
	if !isAlpha(letter) {
		return letter == c
	}
	return in == (letter >= 'a')
}

func isAlpha(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isPunct(c byte) bool {
	return 33 <= c && c <= 126 && !isAlpha(c) && !isDigit(c)
}

// Special reports whether a pattern has characters with a meaning; without them a plain search does.
func Special(pattern string) bool {
	for i := range len(pattern) {
		switch pattern[i] {
		case '^', '$', '*', '+', '?', '.', '(', '[', '%', '-':
			return true
		}
	}
	return false
}
