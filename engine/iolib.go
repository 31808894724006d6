package engine

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// streams are the files that io functions use when none is named.
type streams struct {
	of      *Type
	input   *file
	output  *file
	objects map[*file]lua.LValue // so that io.stdout is one object
}

func (h *Host) openIO(globals *lua.LTable) {
	s := &streams{objects: map[*file]lua.LValue{}}
	s.of = newFileType(s)
	stderr := &file{name: "stderr", writer: bufio.NewWriter(h.options.Stderr), shared: true}
	s.input = newInput("stdin", h.options.Stdin)
	s.output = &file{name: "stdout", writer: bufio.NewWriter(h.options.Stdout), shared: true}
	table := h.base.NewTable()
	h.addLibrary(table, map[string]Function{
		"close": func(c *Call) error {
			if c.Has(1) {
				return s.close(c, s.file(c, 1))
			}
			return s.close(c, s.output)
		},
		"input":  func(c *Call) error { return s.redirect(c, &s.input, os.O_RDONLY) },
		"lines":  s.lines,
		"open":   s.open,
		"output": func(c *Call) error { return s.redirect(c, &s.output, os.O_WRONLY|os.O_CREATE|os.O_TRUNC) },
		"popen":  func(c *Call) error { return h.popen(c, s) },
		"read":   func(c *Call) error { return readFile(c, s.input, 1) },
		"tmpfile": func(c *Call) error {
			f, err := os.CreateTemp("", "lua_")
			if err != nil {
				return outcome(c, err, "")
			}
			_ = os.Remove(f.Name()) // where that is possible the file goes with its last descriptor
			return c.Return(s.object(c, newDiskFile(f, true, true)))
		},
		"type": func(c *Call) error {
			v, ok := Unbox(c.any(1), s.of)
			switch {
			case !ok:
				return c.Return(nil)
			case v.(*file).closed:
				return c.Return("closed file")
			}
			return c.Return("file")
		},
		"write": func(c *Call) error { return writeFile(c, s.output, 1) },
	})
	for name, f := range map[string]*file{"stdin": s.input, "stdout": s.output, "stderr": stderr} {
		s.objects[f] = h.box(s.of, f)
		table.RawSetString(name, s.objects[f])
	}
	globals.RawSetString("io", table)
}

func (s *streams) object(c *Call, f *file) lua.LValue {
	if object := s.objects[f]; object != nil {
		return object
	}
	return c.t.host.box(s.of, f)
}

func (s *streams) file(c *Call, n int) *file {
	if v, ok := Unbox(c.Get(n), s.of); ok {
		return v.(*file)
	}
	c.expected(n, "FILE*")
	return nil
}

// open is open(path [, mode]).
func (s *streams) open(c *Call) error {
	path, mode := c.String(1), c.OptString(2, "r")
	flags, ok := map[string]int{
		"r": os.O_RDONLY, "w": os.O_WRONLY | os.O_CREATE | os.O_TRUNC, "a": os.O_WRONLY | os.O_CREATE | os.O_APPEND,
		"r+": os.O_RDWR, "w+": os.O_RDWR | os.O_CREATE | os.O_TRUNC, "a+": os.O_RDWR | os.O_CREATE | os.O_APPEND,
	}[strings.Replace(mode, "b", "", 1)]
	if !ok {
		return c.Return(nil, path+": Invalid argument", 22)
	}
	f, err := s.openPath(c, path, flags)
	if err != nil {
		return outcome(c, err, path)
	}
	return c.Return(s.object(c, f))
}

func (s *streams) openPath(c *Call, path string, flags int) (*file, error) {
	f, err := os.OpenFile(path, flags, 0o666)
	if err != nil {
		return nil, err
	}
	access := flags & (os.O_RDONLY | os.O_WRONLY | os.O_RDWR)
	own := newDiskFile(f, access != os.O_WRONLY, access != os.O_RDONLY)
	c.t.host.OnClose(own.flush)
	return own, nil
}

// redirect is io.input and io.output.
func (s *streams) redirect(c *Call, stream **file, flags int) error {
	if path, ok := c.Get(1).(lua.LString); ok {
		f, err := s.openPath(c, string(path), flags)
		if err != nil {
			return c.fail("%s", osMessage(bareError(err), string(path)))
		}
		*stream = f
	} else if c.Has(1) {
		*stream = s.file(c, 1)
	}
	return c.Return(s.object(c, *stream))
}

// lines is io.lines([path]): a named file is closed at its end.
func (s *streams) lines(c *Call) error {
	if !c.Has(1) {
		return linesOf(c, s.input, false)
	}
	path := c.String(1)
	f, err := s.openPath(c, path, os.O_RDONLY)
	if err != nil {
		c.BadArgument(1, "%s", osMessage(bareError(err), path))
	}
	return linesOf(c, f, true)
}

func linesOf(c *Call, f *file, closeAtEnd bool) error {
	if f.closed {
		return c.fail("%v", errFileClosed)
	}
	return c.Return(Function(func(c *Call) error {
		c.plain = true
		var line lua.LValue
		ok := false
		err := f.use(c, func() (err error) {
			line, ok, err = f.read("l", 0, c.t.host.options.MaxString)
			return err
		})
		if err != nil {
			return err
		}
		if !ok {
			if closeAtEnd {
				f.closed = true
				return f.disk.Close()
			}
			return c.Return(nil)
		}
		return c.Return(line)
	}))
}

func newFileType(s *streams) *Type {
	self := func(c *Call) *file {
		c.plain = true
		return c.Self().(*file)
	}
	return &Type{
		Name: "FILE*",
		Methods: map[string]Function{
			"close": func(c *Call) error { return s.close(c, self(c)) },
			"flush": func(c *Call) error {
				f := self(c)
				return outcome(c, f.use(c, f.writer.Flush), "")
			},
			"lines":   func(c *Call) error { return linesOf(c, self(c), false) },
			"read":    func(c *Call) error { return readFile(c, self(c), 1) },
			"seek":    func(c *Call) error { return seekFile(c, self(c)) },
			"setvbuf": func(c *Call) error { return c.Return(true) },
			"write":   func(c *Call) error { return writeFile(c, self(c), 1) },
		},
		String: func(v any) string {
			f := v.(*file)
			if f.closed {
				return "file (closed)"
			}
			return fmt.Sprintf("file (%p)", f)
		},
	}
}

// readFile reads by the formats from argument first on.
func readFile(c *Call, f *file, first int) error {
	formats := []any{"l"}
	if n := c.Len(); n >= first {
		formats = formats[:0]
		for i := first; i <= n; i++ {
			formats = append(formats, readFormat(c, i))
		}
	}
	var values []lua.LValue
	err := f.use(c, func() error {
		for _, format := range formats {
			name, _ := format.(string)
			count, _ := format.(int)
			v, ok, err := f.read(name, count, c.t.host.options.MaxString)
			if err != nil {
				return err
			}
			if !ok {
				values = append(values, lua.LNil)
				return nil
			}
			values = append(values, v)
		}
		return nil
	})
	if err != nil {
		return ioOutcome(c, err)
	}
	c.push(values...)
	return nil
}

// readFormat reads argument n as "n", "l", "a" or a number of bytes.
func readFormat(c *Call, n int) any {
	if count, ok := c.Get(n).(lua.LNumber); ok {
		return int(count)
	}
	text := c.String(n)
	if rest, ok := strings.CutPrefix(text, "*"); ok && rest != "" && strings.Contains("nla", rest[:1]) {
		return rest[:1]
	}
	if strings.HasPrefix(text, "*") {
		c.BadArgument(n, "invalid format")
	}
	c.BadArgument(n, "invalid option")
	return nil
}

func writeFile(c *Call, f *file, first int) error {
	var texts []string
	for i := first; i <= c.Len(); i++ {
		texts = append(texts, c.String(i))
	}
	if f.name == "stdout" && f.shared {
		for _, text := range texts {
			if err := c.t.host.mayWrite(len(text)); err != nil {
				return err
			}
		}
	}
	if err := f.use(c, func() error { return f.write(texts) }); err != nil {
		return ioOutcome(c, err)
	}
	return c.Return(true)
}

func seekFile(c *Call, f *file) error {
	whence, ok := map[string]int{"set": io.SeekStart, "cur": io.SeekCurrent, "end": io.SeekEnd}[c.OptString(1, "cur")]
	if !ok {
		c.BadArgument(1, "invalid option '%s'", c.String(1))
	}
	var at int64
	err := f.use(c, func() (err error) {
		at, err = f.seek(whence, int64(c.OptNumber(2, 0)))
		return err
	})
	if err != nil {
		return ioOutcome(c, err)
	}
	return c.Return(at)
}

// ioOutcome is nil and what went wrong; a stop is raised.
func ioOutcome(c *Call, err error) error {
	if c.t.task.ctx.Err() != nil && errorKind(err) != KindError {
		return err
	}
	return outcome(c, err, "")
}
