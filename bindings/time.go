package bindings

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine"
)

func timeModule() engine.Module {
	start := time.Now()
	return engine.Module{
		Name: "time", Safe: true, Doc: "tell, measure, read and write times",
		Functions: map[string]engine.Function{
			"now":       func(c *engine.Call) error { return c.Return(unixSeconds(time.Now())) },
			"monotonic": func(c *engine.Call) error { return c.Return(time.Since(start).Seconds()) },
			"since":     timeSince, "format": timeFormat, "parse": timeParse, "seconds": timeSeconds,
		},
	}
}

// unixSeconds is a time as scripts see it, to the microsecond, which a Lua number still holds.
func unixSeconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

// fromUnix reads a script's time; false when it is none that the calendar of RFC 3339 has.
func fromUnix(seconds float64) (time.Time, bool) {
	const first, last = -62167219200, 253402300799 // the years 0000 to 9999
	if !(seconds >= first && seconds < last+1) {
		return time.Time{}, false
	}
	whole := math.Floor(seconds)
	return time.Unix(int64(whole), int64(math.Round((seconds-whole)*1e6))*1000), true
}

func badTime(format string, args ...any) error {
	return &engine.Error{Kind: "bad_time", Message: fmt.Sprintf(format, args...)}
}

func parseTime(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, strings.ToUpper(text))
	if err != nil {
		return time.Time{}, &engine.Error{
			Kind: "bad_time", Message: fmt.Sprintf("%q is not a time", text), Hint: "write 2026-01-31T12:00:00Z", Cause: err,
		}
	}
	return t, nil
}

func timeSince(c *engine.Call) error {
	if text, ok := c.Get(1).(lua.LString); ok {
		t, err := parseTime(string(text))
		if err != nil {
			return err
		}
		return c.Return(time.Since(t).Seconds())
	}
	return c.Return(unixSeconds(time.Now()) - c.Number(1))
}

func timeFormat(c *engine.Call) error {
	t, ok := fromUnix(c.OptNumber(1, unixSeconds(time.Now())))
	if !ok {
		return badTime("%v is not a time between the years 0 and 9999", c.Number(1))
	}
	o := c.Options(2)
	zone := o.String("zone", "utc")
	digits := o.Int("fraction", 0)
	o.Done(false)
	switch zone {
	case "utc":
		t = t.UTC()
	case "local":
		t = t.Local()
	default:
		o.Bad("zone", "\"utc\" or \"local\" expected, got %q", zone)
	}
	if digits < 0 || digits > 9 {
		o.Bad("fraction", "0 to 9 expected, got %d", digits)
	}
	layout := "2006-01-02T15:04:05"
	if digits > 0 {
		layout += "." + strings.Repeat("0", digits)
	}
	return c.Return(t.Format(layout + "Z07:00"))
}

func timeParse(c *engine.Call) error {
	t, err := parseTime(c.String(1))
	if err != nil {
		return err
	}
	return c.Return(unixSeconds(t))
}

func timeSeconds(c *engine.Call) error {
	if n, ok := c.Get(1).(lua.LNumber); ok {
		return c.Return(float64(n))
	}
	text := c.String(1)
	seconds, ok := lengthOf(text)
	if !ok {
		return &engine.Error{
			Kind: "bad_time", Message: fmt.Sprintf("%q is not a length of time", text), Hint: "write 90s, 1h30m, 250ms or 2d",
		}
	}
	return c.Return(seconds)
}

var (
	lengthUnits = map[string]float64{"d": 86400, "h": 3600, "m": 60, "s": 1, "ms": 1e-3, "us": 1e-6}
	lengthPart  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\d+(?:\.\d+)?)(ms|us|[dhms])`) })
)

// lengthOf reads a length of time such as 1h30m, or a plain number of seconds.
func lengthOf(text string) (seconds float64, ok bool) {
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseFloat(text, 64); err == nil && n >= 0 && !math.IsInf(n, 0) {
		return n, true
	}
	for rest := text; rest != ""; ok = true {
		m := lengthPart().FindStringSubmatch(rest)
		if m == nil {
			return 0, false
		}
		n, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			return 0, false
		}
		seconds += n * lengthUnits[m[2]]
		rest = rest[len(m[0]):]
	}
	return seconds, ok
}
