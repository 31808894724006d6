package bindings

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine"
)

// LogOptions says where and how the lines of mur.log are written.
type LogOptions struct {
	Out   io.Writer // nil drops them; each line is one Write, and Writes do not overlap
	Level string    // the least that is written: debug, info, warn, error or off; "" means info
	JSON  bool      // an object a line, for programs
}

// logLevels in order: a line is written when its level is not below the one asked for.
var logLevels = []string{"debug", "info", "warn", "error", "off"}

// logger is the log of one script.
type logger struct {
	mu      sync.Mutex
	options LogOptions
	level   int
	file    *os.File // opened by the script; closed with the host
}

func (w *World) logModule() engine.Module {
	l := &logger{options: w.Log, level: max(slices.Index(logLevels, w.Log.Level), 0)}
	if w.Log.Level == "" {
		l.level = slices.Index(logLevels, "info")
	}
	functions := map[string]engine.Function{
		"configure": func(c *engine.Call) error { return l.configure(c, w.path) },
	}
	for level, name := range logLevels[:len(logLevels)-1] {
		functions[name] = func(c *engine.Call) error { return l.log(c, level) }
	}
	return engine.Module{Name: "log", Doc: "write log lines", Functions: functions}
}

func (l *logger) configure(c *engine.Call, path func(string) string) error {
	o := c.Options(1)
	level, name := -1, o.String("level", "")
	if name != "" {
		if level = slices.Index(logLevels, name); level < 0 {
			o.Bad("level", "one of %s expected, got %q", strings.Join(logLevels, ", "), name)
		}
	}
	asJSON := o.Bool("json", l.options.JSON)
	target := o.String("file", "")
	o.Done(false)
	var file *os.File
	if target != "" {
		err := c.Block(func(context.Context) (err error) {
			file, err = os.OpenFile(path(target), os.O_WRONLY|os.O_APPEND|os.O_CREATE|nonblock, 0o644)
			return err
		})
		if err != nil {
			return fileError("log to", target, err)
		}
		c.Host().OnClose(func(context.Context) error { return file.Close() })
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if level >= 0 {
		l.level = level
	}
	l.options.JSON = asJSON
	if file != nil {
		l.file = file // one that was opened before is closed with the host
	}
	return nil
}

// log writes one line. What cannot be written is lost: a log line is no reason to fail.
func (l *logger) log(c *engine.Call, level int) error {
	l.mu.Lock()
	silent, asJSON := level < l.level, l.options.JSON
	l.mu.Unlock()
	if silent {
		return nil
	}
	if c.Len() == 0 {
		c.BadArgument(1, "a message expected")
	}
	message := lua.LVAsString(c.L().ToStringMeta(c.Get(1)))
	line := textLine
	if asJSON {
		line = jsonLine
	}
	text := line(time.Now(), logLevels[level], message, logFields(c))
	return c.Block(func(context.Context) error {
		l.mu.Lock()
		defer l.mu.Unlock()
		switch {
		case l.file != nil:
			_, _ = l.file.WriteString(text)
		case l.options.Out != nil:
			_, _ = io.WriteString(l.options.Out, text)
		}
		return nil
	})
}

// logField is a field whose value is written as JSON already; plain is it as a person reads it.
type logField struct{ name, json, plain string }

func logFields(c *engine.Call) []logField {
	table := c.OptTable(2)
	if table == nil {
		return nil
	}
	var fields []logField
	table.ForEach(func(key, value lua.LValue) {
		field := logField{name: lua.LVAsString(c.L().ToStringMeta(key))}
		encoded, err := encodeJSON(value, "")
		if err != nil {
			var quoted strings.Builder
			writeJSONString(&quoted, lua.LVAsString(c.L().ToStringMeta(value)))
			encoded = quoted.String()
		}
		field.json, field.plain = encoded, encoded
		if s, ok := value.(lua.LString); ok && isPlain(string(s)) {
			field.plain = string(s)
		}
		fields = append(fields, field)
	})
	slices.SortFunc(fields, func(a, b logField) int { return strings.Compare(a.name, b.name) })
	return fields
}

// isPlain says whether a value can stand after "=" without quotes.
func isPlain(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r == '"' || r == '=' || !strconv.IsPrint(r) }) < 0
}

func textLine(now time.Time, level, message string, fields []logField) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %-5s %s", now.Format("15:04:05.000"), level, strings.ReplaceAll(message, "\n", "\n    "))
	for _, f := range fields {
		fmt.Fprintf(&b, " %s=%s", f.name, f.plain)
	}
	return b.String() + "\n"
}

func jsonLine(now time.Time, level, message string, fields []logField) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"time":%q,"level":%q,"message":`, now.UTC().Format("2006-01-02T15:04:05.000Z07:00"), level)
	writeJSONString(&b, message)
	for _, f := range fields {
		b.WriteByte(',')
		writeJSONString(&b, f.name)
		b.WriteString(":" + f.json)
	}
	return b.String() + "}\n"
}
