package bindings

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"murlua/engine"
	"murlua/lifecycle/scratch"
	"murlua/platform/fsx"
)

// maxFile is how long a file mur.fs.read takes unless told otherwise.
const maxFile = 64 << 20

func (w *World) fsModule() engine.Module {
	return engine.Module{
		Name: "fs", Doc: "read, write, list and watch files",
		Functions: map[string]engine.Function{
			"read": w.fsRead, "write": w.fsWrite, "append": w.fsAppend, "list": w.fsList, "glob": w.fsGlob,
			"exists": w.fsExists, "stat": w.fsStat, "mkdir": w.fsMkdir, "remove": w.fsRemove, "rename": w.fsRename,
			"tempdir": w.fsTempdir, "watch": w.fsWatch,
			"join": fsJoin, "dirname": fsDirname, "basename": fsBasename, "abspath": w.fsAbspath,
		},
	}
}

// path finds a script's path: relative ones begin at the world's working directory.
func (w *World) path(name string) string {
	if filepath.IsAbs(name) || w.Workdir == "" {
		return name
	}
	return filepath.Join(w.Workdir, name)
}

// fileError gives the error of a file operation its kind. doing is "read", as in "cannot read".
func fileError(doing, path string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	kind := "io"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		kind = "not_found"
	case errors.Is(err, syscall.ENOTDIR):
		kind = "not_a_directory"
	case errors.Is(err, syscall.EISDIR):
		kind = "is_a_directory"
	case errors.Is(err, syscall.ENOTEMPTY):
		kind = "not_empty"
	case errors.Is(err, fs.ErrExist):
		kind = "exists"
	case errors.Is(err, fs.ErrPermission):
		kind = "denied"
	}
	return &engine.Error{
		Kind: kind, Message: fmt.Sprintf("cannot %s %q: %v", doing, path, reasonOf(err)), Cause: err,
		Fields: map[string]any{"path": path},
	}
}

// reasonOf is the last word of a file error, such as "no such file or directory".
func reasonOf(err error) error {
	var errno syscall.Errno
	switch {
	case errors.Is(err, fs.ErrExist) && !errors.Is(err, syscall.ENOTEMPTY):
		return syscall.EEXIST // it comes under two names
	case errors.As(err, &errno):
		return errno
	}
	return fsx.Reason(err)
}

func (w *World) fsRead(c *engine.Call) error {
	path := c.String(1)
	o := c.Options(2)
	limit := o.Int("max_bytes", maxFile)
	o.Done(false)
	var text []byte
	err := c.Block(func(context.Context) (err error) {
		text, err = readFile(w.path(path), limit)
		return err
	})
	if errors.Is(err, errTooLarge) {
		return &engine.Error{
			Kind: "too_large", Message: fmt.Sprintf("cannot read %q: it is longer than %d bytes", path, limit),
			Hint: "raise max_bytes", Fields: map[string]any{"path": path},
		}
	}
	if err != nil {
		return fileError("read", path, err)
	}
	return c.Return(text)
}

var (
	errTooLarge   = errors.New("too large")
	errNotRegular = errors.New("it is not a regular file")
)

// readFile reads a regular file, or what pretends to be one. Pipes and devices could keep the caller for ever.
func readFile(path string, limit int) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, syscall.EISDIR
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	text, err := io.ReadAll(io.LimitReader(file, int64(limit)+1))
	if err == nil && len(text) > limit {
		return nil, errTooLarge
	}
	return text, err
}

// mode reads an option with permission bits. Only texts are taken: the number 644 would mean other bits than it
// says.
func mode(o *engine.OptionTable, key string, otherwise fs.FileMode) fs.FileMode {
	text := o.String(key, "")
	if text == "" {
		return otherwise
	}
	bits, err := strconv.ParseUint(text, 8, 32)
	if err != nil || bits > 0o777 {
		o.Bad(key, "permission bits in octal expected, such as \"644\", got %q", text)
	}
	return fs.FileMode(bits)
}

func (w *World) fsWrite(c *engine.Call) error {
	path, text := c.String(1), c.String(2)
	o := c.Options(3)
	permissions := mode(o, "mode", 0)
	atomic := o.Bool("atomic", true)
	o.Done(false)
	err := c.Block(func(context.Context) error { return writeFile(w.path(path), text, permissions, atomic) })
	return fileError("write", path, err)
}

func writeFile(path, text string, permissions fs.FileMode, atomic bool) error {
	if info, err := os.Stat(path); err == nil {
		switch {
		case info.IsDir():
			return syscall.EISDIR
		case !info.Mode().IsRegular():
			atomic = false // replacing a device or a pipe by a file is nobody's wish
		case permissions == 0:
			permissions = info.Mode().Perm()
		}
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real // a link stays a link
		}
	}
	if permissions == 0 {
		permissions = 0o644
	}
	if atomic {
		return fsx.WriteFileAtomic(path, []byte(text), permissions)
	}
	return write(path, text, os.O_TRUNC, permissions)
}

func write(path, text string, flag int, permissions fs.FileMode) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|nonblock|flag, permissions)
	if err != nil {
		return err
	}
	_, err = io.WriteString(file, text)
	return errors.Join(err, file.Close())
}

func (w *World) fsAppend(c *engine.Call) error {
	path, text := c.String(1), c.String(2)
	o := c.Options(3)
	permissions := mode(o, "mode", 0o644)
	o.Done(false)
	err := c.Block(func(context.Context) error { return write(w.path(path), text, os.O_APPEND, permissions) })
	return fileError("append to", path, err)
}

// temp is where temporary folders are made.
func (w *World) temp() string {
	if dir := w.getenv("TMPDIR"); dir != "" {
		return dir
	}
	return os.TempDir()
}

func (w *World) fsTempdir(c *engine.Call) error {
	o := c.Options(1)
	prefix := o.String("prefix", "murlua-")
	o.Done(false)
	if filepath.Base(prefix) != prefix {
		o.Bad("prefix", "a name expected, got %q", prefix)
	}
	var path string
	err := c.Block(func(context.Context) (err error) {
		parent := w.temp()
		path, err = scratch.Make(parent, prefix)
		return err
	})
	if err != nil {
		return fileError("make a folder in", w.temp(), err)
	}
	// Members that were given the folder were started later, so they go first.
	c.Host().OnClose(func(context.Context) error { return os.RemoveAll(path) })
	return c.Return(path)
}

func fsJoin(c *engine.Call) error {
	elements := make([]string, c.Len())
	for i := range elements {
		elements[i] = c.String(i + 1)
	}
	return c.Return(filepath.Join(elements...))
}

func fsDirname(c *engine.Call) error { return c.Return(filepath.Dir(c.String(1))) }

func fsBasename(c *engine.Call) error { return c.Return(filepath.Base(c.String(1))) }

func (w *World) fsAbspath(c *engine.Call) error {
	path, err := filepath.Abs(w.path(c.String(1)))
	if err != nil {
		return err
	}
	return c.Return(path)
}

// canonicalPath is a path without links, as far as it exists.
func canonicalPath(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
