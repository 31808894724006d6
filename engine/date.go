package engine

import (
	"fmt"
	"math"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// osTime is time([table]): seconds since 1970 of now or of a local date whose fields may be out of their ranges.
func osTime(c *Call) error {
	if !c.Has(1) {
		return c.Return(time.Now().Unix())
	}
	t := c.Table(1)
	field := func(name string, otherwise int) int {
		v := t.RawGetString(name)
		f, ok := toNumber(v)
		if !ok {
			if otherwise < 0 {
				c.fail("field '%s' missing in date table", name)
			}
			return otherwise
		}
		return int(f)
	}
	second, minute, hour := field("sec", 0), field("min", 0), field("hour", 12)
	day, month, year := field("day", -1), field("month", -1), field("year", -1)
	at := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.Local)
	if dst, ok := t.RawGetString("isdst").(lua.LBool); ok && bool(dst) && !at.IsDST() {
		at = at.Add(-time.Hour)
	}
	return c.Return(at.Unix())
}

// osDate is date([format [, time]]).
func osDate(c *Call) error {
	layout := c.OptString(1, "%c")
	at := time.Now()
	if c.Has(2) {
		f := c.Number(2)
		if math.IsNaN(f) || math.Abs(f) > 1e17 {
			return c.Return(nil)
		}
		at = time.Unix(int64(math.Floor(f)), 0)
	}
	at = at.In(time.Local)
	if rest, ok := strings.CutPrefix(layout, "!"); ok {
		layout, at = rest, at.UTC()
	}
	if strings.HasPrefix(layout, "*t") {
		t := c.l.NewTable()
		for name, n := range map[string]int{
			"year": at.Year(), "month": int(at.Month()), "day": at.Day(), "hour": at.Hour(), "min": at.Minute(),
			"sec": at.Second(), "wday": int(at.Weekday()) + 1, "yday": at.YearDay(),
		} {
			t.RawSetString(name, lua.LNumber(n))
		}
		t.RawSetString("isdst", lua.LBool(at.IsDST()))
		return c.Return(t)
	}
	return c.Return(strftime(layout, at))
}

// dateLayouts are the conversions of C's strftime, in the C locale, that Go's layouts write.
var dateLayouts = map[byte]string{
	'a': "Mon", 'A': "Monday", 'b': "Jan", 'B': "January", 'c': "Mon Jan _2 15:04:05 2006", 'd': "02", 'D': "01/02/06",
	'e': "_2", 'F': "2006-01-02", 'h': "Jan", 'H': "15", 'I': "03", 'm': "01", 'M': "04", 'p': "PM", 'r': "03:04:05 PM",
	'R': "15:04", 'S': "05", 'T': "15:04:05", 'x': "01/02/06", 'X': "15:04:05", 'y': "06", 'Y': "2006", 'z': "-0700", 'Z': "MST",
}

func strftime(layout string, at time.Time) string {
	var b strings.Builder
	for i := 0; i < len(layout); i++ {
		if layout[i] != '%' || i+1 == len(layout) {
			b.WriteByte(layout[i])
			continue
		}
		i++
		if goLayout, ok := dateLayouts[layout[i]]; ok {
			text := at.Format(goLayout)
			if layout[i] == 'Z' && text == "UTC" && at.Location() == time.UTC {
				text = "GMT"
			}
			b.WriteString(text)
			continue
		}
		b.WriteString(dateNumber(layout[i], at))
	}
	return b.String()
}

// dateNumber writes the conversions that Go's layouts lack.
func dateNumber(verb byte, at time.Time) string {
	isoYear, isoWeek := at.ISOWeek()
	switch verb {
	case 'C':
		return fmt.Sprintf("%02d", at.Year()/100)
	case 'g':
		return fmt.Sprintf("%02d", isoYear%100)
	case 'G':
		return fmt.Sprint(isoYear)
	case 'j':
		return fmt.Sprintf("%03d", at.YearDay())
	case 'n':
		return "\n"
	case 's':
		return fmt.Sprint(at.Unix())
	case 't':
		return "\t"
	case 'u':
		return fmt.Sprint((int(at.Weekday())+6)%7 + 1)
	case 'U':
		return fmt.Sprintf("%02d", (at.YearDay()+6-int(at.Weekday()))/7)
	case 'V':
		return fmt.Sprintf("%02d", isoWeek)
	case 'w':
		return fmt.Sprint(int(at.Weekday()))
	case 'W':
		return fmt.Sprintf("%02d", (at.YearDay()+6-(int(at.Weekday())+6)%7)/7)
	case '%':
		return "%"
	}
	return "%" + string(verb)
}
