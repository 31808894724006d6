package engine

import (
	"errors"
	"math"
	"os"
	"time"

	lua "github.com/yuin/gopher-lua"
)

func (h *Host) openOS(globals *lua.LTable) {
	table := h.base.NewTable()
	began := time.Now()
	h.addLibrary(table, map[string]Function{
		"clock":    func(c *Call) error { return c.Return(time.Since(began).Seconds()) },
		"date":     osDate,
		"difftime": func(c *Call) error { return c.Return(math.Trunc(c.Number(1)) - math.Trunc(c.OptNumber(2, 0))) },
		"execute":  h.osExecute,
		"exit":     h.osExit,
		"getenv":   h.osGetenv,
		"remove": func(c *Call) error {
			path := c.String(1)
			return outcome(c, os.Remove(path), path)
		},
		"rename": func(c *Call) error {
			from := c.String(1)
			return outcome(c, os.Rename(from, c.String(2)), from)
		},
		"setlocale": func(c *Call) error {
			if name := c.OptString(1, "C"); name == "" || name == "C" || name == "POSIX" {
				return c.Return("C")
			}
			return c.Return(nil)
		},
		"time":    osTime,
		"tmpname": osTmpname,
	})
	globals.RawSetString("os", table)
}

func (h *Host) osGetenv(c *Call) error {
	if value, ok := h.options.Getenv(c.String(1)); ok {
		return c.Return(value)
	}
	return c.Return(nil)
}

// osExit ends every task; the command then closes the host and exits with the status.
func (h *Host) osExit(c *Call) error {
	status := 0
	switch v := c.Get(1).(type) {
	case lua.LBool:
		if !bool(v) {
			status = 1
		}
	case *lua.LNilType:
	default:
		status = c.truncated(1) & 0xff
	}
	return h.requestExit(status)
}

func osTmpname(c *Call) error {
	file, err := os.CreateTemp("", "lua_")
	if err != nil {
		return c.fail("unable to generate a unique filename")
	}
	if err := file.Close(); err != nil {
		return err
	}
	return c.Return(file.Name())
}

// outcome returns true, or nil, what went wrong and its number, as the os and io libraries do.
func outcome(c *Call, err error, path string) error {
	if err == nil {
		return c.Return(true)
	}
	return c.Return(nil, osMessage(bareError(err), path), errorNumber(err))
}

// bareError is the reason inside an error of the os package.
func bareError(err error) error {
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
