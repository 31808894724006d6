package numeral

import (
	"math"
	"strconv"
	"strings"

	"murlua/engine/format"
)

// Parse reads a numeral as C Lua 5.1 does: decimal with exponent, hexadecimal, spaces around it.
func Parse(s string) (float64, bool) {
	s = strings.Trim(s, " \t\n\v\f\r")
	unsigned := strings.TrimLeft(s, "+-")
	if len(s)-len(unsigned) > 1 || unsigned == "" || strings.ContainsAny(s, "_pPnNiI") {
		return 0, false
	}
	if len(unsigned) > 2 && (unsigned[:2] == "0x" || unsigned[:2] == "0X") {
		n, err := strconv.ParseUint(unsigned[2:], 16, 64)
		if err != nil {
			return 0, false
		}
		if s[0] == '-' {
			return -float64(n), true
		}
		return float64(n), true
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

// Text writes a number as Lua does.
func Text(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case math.IsNaN(f):
		if math.Signbit(f) {
			return "-nan"
		}
		return "nan"
	case f == math.Trunc(f) && math.Abs(f) < 1e14:
		if f == 0 && math.Signbit(f) {
			return "-0"
		}
		return strconv.FormatInt(int64(f), 10)
	}
	if f < 0 {
		return "-" + format.General(-f, 14, false)
	}
	return format.General(f, 14, false)
}
