package bindings

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"murlua/bindings/glob"
	"murlua/engine"
)

// fileInfo is what scripts see of a file.
type fileInfo struct {
	Path     string
	Name     string
	Type     string
	Size     int64
	Mode     string
	Modified float64
}

func infoOf(path string, info fs.FileInfo) fileInfo {
	return fileInfo{
		Path: path, Name: info.Name(), Type: typeOf(info.Mode()), Size: info.Size(),
		Mode: fmt.Sprintf("%03o", info.Mode().Perm()), Modified: float64(info.ModTime().UnixMicro()) / 1e6,
	}
}

func typeOf(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "file"
	case mode.IsDir():
		return "directory"
	case mode&fs.ModeSymlink != 0:
		return "link"
	case mode&fs.ModeNamedPipe != 0:
		return "pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	}
	return "device"
}

func (w *World) fsList(c *engine.Call) error {
	path := c.String(1)
	found := []fileInfo{}
	err := c.Block(func(context.Context) error {
		entries, err := os.ReadDir(w.path(path))
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if info, err := entry.Info(); err == nil { // else it vanished meanwhile
				found = append(found, infoOf(filepath.Join(path, entry.Name()), info))
			}
		}
		return nil
	})
	if err != nil {
		return fileError("list", path, err)
	}
	return c.Return(found)
}

func (w *World) fsGlob(c *engine.Call) error {
	pattern := c.String(1)
	found := []string{}
	err := c.Block(func(ctx context.Context) error {
		paths, err := glob.Find(w.path(pattern), func() error { return context.Cause(ctx) })
		for _, path := range paths {
			if !filepath.IsAbs(pattern) && w.Workdir != "" {
				if relative, err := filepath.Rel(w.Workdir, path); err == nil {
					path = relative
				}
			}
			found = append(found, path)
		}
		return err
	})
	if errors.Is(err, glob.ErrBadPattern) {
		return &engine.Error{Kind: "bad_pattern", Message: err.Error(), Cause: err}
	}
	if err != nil {
		return err
	}
	return c.Return(found)
}

func (w *World) fsExists(c *engine.Call) error {
	path := c.String(1)
	exists := false
	err := c.Block(func(context.Context) error {
		_, err := os.Stat(w.path(path))
		exists = err == nil
		return nil
	})
	if err != nil {
		return err
	}
	return c.Return(exists)
}

func (w *World) fsStat(c *engine.Call) error {
	path := c.String(1)
	o := c.Options(2)
	stat := os.Stat
	if !o.Bool("follow", true) {
		stat = os.Lstat
	}
	o.Done(false)
	var info fs.FileInfo
	err := c.Block(func(context.Context) (err error) {
		info, err = stat(w.path(path))
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return c.Return(nil, fileError("stat", path, err))
	}
	if err != nil {
		return fileError("stat", path, err)
	}
	return c.Return(infoOf(path, info))
}

func (w *World) fsMkdir(c *engine.Call) error {
	path := c.String(1)
	o := c.Options(2)
	permissions := mode(o, "mode", 0o755)
	parents := o.Bool("parents", true)
	o.Done(false)
	err := c.Block(func(context.Context) error {
		if parents {
			err := os.MkdirAll(w.path(path), permissions)
			if errors.Is(err, syscall.ENOTDIR) && exists(w.path(path)) {
				return fs.ErrExist
			}
			return err
		}
		return os.Mkdir(w.path(path), permissions)
	})
	return fileError("make the folder", path, err)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func (w *World) fsRemove(c *engine.Call) error {
	path := c.String(1)
	o := c.Options(2)
	recursive := o.Bool("recursive", false)
	o.Done(false)
	there := false
	err := c.Block(func(context.Context) error {
		if there = exists(w.path(path)); !there {
			return nil
		}
		if recursive {
			return os.RemoveAll(w.path(path))
		}
		return os.Remove(w.path(path))
	})
	if err != nil {
		return fileError("remove", path, err)
	}
	return c.Return(there)
}

func (w *World) fsRename(c *engine.Call) error {
	from, to := c.String(1), c.String(2)
	err := c.Block(func(context.Context) error { return os.Rename(w.path(from), w.path(to)) })
	return fileError("rename", from, err)
}
