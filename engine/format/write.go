package format

import (
	"math"
	"strconv"
	"strings"
)

// Number writes a number by the verbs d, i, o, u, x, X, c, e, E, f, g and G.
func (s Spec) Number(f float64) string {
	switch s.Verb {
	case 'c':
		return s.pad("", string([]byte{byte(int64(f))}))
	case 'd', 'i':
		n := toInt(f)
		text := strconv.FormatUint(uint64(abs(n)), 10)
		return s.integer(s.sign(n < 0), text)
	case 'o', 'u', 'x', 'X':
		return s.unsigned(f)
	}
	return s.float(f)
}

// Text writes a string by the verb s.
func (s Spec) Text(text string) string {
	if s.Precision >= 0 && s.Precision < len(text) {
		text = text[:s.Precision]
	}
	s.Zero = false
	return s.pad("", text)
}

// Quote writes a string so that Lua reads it back as it is.
func Quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(text) {
		switch c := text[i]; c {
		case '"', '\\', '\n':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '\r':
			b.WriteString(`\r`)
		case 0:
			b.WriteString(`\000`)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// toInt converts as C does on the machines we know: what does not fit becomes the smallest number.
func toInt(f float64) int64 {
	if math.IsNaN(f) || f >= 1<<63 || f < -(1<<63) {
		return math.MinInt64
	}
	return int64(f)
}

func abs(n int64) int64 {
	if n < 0 {
		return -n // the smallest stays as it is, which is right once it is unsigned
	}
	return n
}

func (s Spec) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case s.Plus:
		return "+"
	case s.Space:
		return " "
	}
	return ""
}

func (s Spec) unsigned(f float64) string {
	n := uint64(toInt(f))
	if f >= 1<<63 && f < 1<<64 {
		n = uint64(f)
	}
	prefix, base := "", 10
	switch s.Verb {
	case 'o':
		base = 8
	case 'x', 'X':
		base = 16
		if s.Alternate && n != 0 {
			prefix = "0" + string(s.Verb)
		}
	}
	text := strconv.FormatUint(n, base)
	if s.Verb == 'X' {
		text = strings.ToUpper(text)
	}
	if s.Verb == 'o' && s.Alternate && n != 0 && s.Precision <= len(text) {
		text = "0" + text
	}
	return s.integer(prefix, text)
}

// integer applies the precision, which is the least number of digits.
func (s Spec) integer(prefix, digits string) string {
	if s.Precision >= 0 {
		s.Zero = false
		if s.Precision == 0 && digits == "0" {
			digits = ""
		}
		if missing := s.Precision - len(digits); missing > 0 {
			digits = strings.Repeat("0", missing) + digits
		}
	}
	return s.pad(prefix, digits)
}

func (s Spec) float(f float64) string {
	prefix := s.sign(math.Signbit(f))
	if math.IsInf(f, 0) || math.IsNaN(f) {
		text := "inf"
		if math.IsNaN(f) {
			text = "nan"
		}
		if s.Verb == 'E' || s.Verb == 'G' {
			text = strings.ToUpper(text)
		}
		s.Zero = false
		return s.pad(prefix, text)
	}
	f = math.Abs(f)
	precision := s.Precision
	if precision < 0 {
		precision = 6
	}
	var text string
	switch s.Verb {
	case 'e', 'E':
		text = strconv.FormatFloat(f, 'e', precision, 64)
		if s.Alternate && precision == 0 {
			text = strings.Replace(text, "e", ".e", 1)
		}
	case 'f':
		text = strconv.FormatFloat(f, 'f', precision, 64)
		if s.Alternate && precision == 0 {
			text += "."
		}
	default:
		text = General(f, precision, s.Alternate)
	}
	if s.Verb == 'E' || s.Verb == 'G' {
		text = strings.ToUpper(text)
	}
	return s.pad(prefix, text)
}

// General is C's %g: the shorter of the two notations, without zeros at the end unless keep is set.
func General(f float64, precision int, keep bool) string {
	precision = max(precision, 1)
	mantissa, exponent, ok := strings.Cut(strconv.FormatFloat(f, 'e', precision-1, 64), "e")
	if !ok {
		return mantissa
	}
	exp, _ := strconv.Atoi(exponent)
	if exp < -4 || exp >= precision {
		return trimZeros(mantissa, keep) + "e" + exponent
	}
	return trimZeros(strconv.FormatFloat(f, 'f', precision-1-exp, 64), keep)
}

func trimZeros(s string, keep bool) string {
	if keep {
		if !strings.Contains(s, ".") {
			s += "."
		}
		return s
	}
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

func (s Spec) pad(prefix, text string) string {
	missing := s.Width - len(prefix) - len(text)
	switch {
	case missing <= 0:
		return prefix + text
	case s.Minus:
		return prefix + text + strings.Repeat(" ", missing)
	case s.Zero:
		return prefix + strings.Repeat("0", missing) + text
	}
	return strings.Repeat(" ", missing) + prefix + text
}
