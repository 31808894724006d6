package engine

import (
	"os"
	"time"

	lua "github.com/yuin/gopher-lua"
)

func (h *Host) openOS(globals *lua.LTable) {
	table := h.base.NewTable()
	began := time.Now()
	h.addFunctions(table, "os.", map[string]Function{
		"time":  func(c *Call) error { return c.Return(time.Now().Unix()) },
		"clock": func(c *Call) error { return c.Return(time.Since(began).Seconds()) },
		"getenv": func(c *Call) error {
			if value, ok := h.options.Getenv(c.String(1)); ok {
				return c.Return(value)
			}
			return c.Return(nil)
		},
		"exit": func(c *Call) error {
			status := 0
			switch v := c.Get(1).(type) {
			case lua.LBool:
				if !bool(v) {
					status = 1
				}
			case *lua.LNilType:
			default:
				status = c.Int(1) & 0xff
			}
			return h.requestExit(status)
		},
		"remove": func(c *Call) error { return outcome(c, os.Remove(c.String(1))) },
		"rename": func(c *Call) error { return outcome(c, os.Rename(c.String(1), c.String(2))) },
	})
	globals.RawSetString("os", table)
}

// outcome returns true, or nil and what went wrong, as the os library does.
func outcome(c *Call, err error) error {
	if err != nil {
		return c.Return(nil, err.Error())
	}
	return c.Return(true)
}

func (h *Host) openIO(globals *lua.LTable) {
	table := h.base.NewTable()
	h.addFunctions(table, "io.", map[string]Function{
		"write": func(c *Call) error {
			text := ""
			for i := 1; i <= c.Len(); i++ {
				text += c.String(i)
			}
			return c.write(h.options.Stdout, text)
		},
	})
	globals.RawSetString("io", table)
}
