package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"murlua/platform/watch"
)

// testSuffix is how the names of files of tests end.
const testSuffix = "_test.lua"

// findTests finds the files of tests: those that are named, and those below the folders that are named, without
// hidden ones and testdata. Lines are those of FILE:LINE. With no path it is the working directory.
func findTests(workdir string, paths []string) (files []string, lines map[string][]int, err error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	lines = map[string][]int{}
	for _, path := range paths {
		file, line := cutLine(path)
		info, err := os.Stat(pathFrom(workdir, file))
		if err != nil {
			return nil, nil, fmt.Errorf("cannot find the tests: %w", err)
		}
		file = filepath.Clean(file)
		if !info.IsDir() {
			files = append(files, file)
			if line > 0 {
				lines[file] = append(lines[file], line)
			}
			continue
		}
		found, err := testsBelow(workdir, file)
		if err != nil {
			return nil, nil, fmt.Errorf("cannot find the tests: %w", err)
		}
		files = append(files, found...)
	}
	slices.Sort(files)
	return slices.Compact(files), lines, nil
}

// cutLine takes FILE:LINE apart; line is 0 when there is none.
func cutLine(path string) (file string, line int) {
	if i := strings.LastIndexByte(path, ':'); i > 0 {
		if n, err := strconv.Atoi(path[i+1:]); err == nil && n > 0 {
			return path[:i], n
		}
	}
	return path, 0
}

func testsBelow(workdir, folder string) (files []string, err error) {
	root := pathFrom(workdir, folder)
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := entry.Name(); entry.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "testdata") {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(path, testSuffix) {
			return nil
		}
		below, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		files = append(files, filepath.Join(folder, below))
		return nil
	})
	return files, err
}

// pathFrom is the path as seen from the working directory.
func pathFrom(workdir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(workdir, path)
}

func folderOf(workdir, file string) string { return filepath.Dir(pathFrom(workdir, file)) }

// cutReport takes FORMAT or FORMAT=FILE apart.
func cutReport(text string) (format, path string) {
	format, path, _ = strings.Cut(text, "=")
	return format, path
}

// settle is how long files have to be at rest before tests run again: editors save in several steps.
const settle = 50 * time.Millisecond

// changes waits for changes of Lua files below some folders.
type changes struct{ watchers []*watch.Watcher }

// watchTests begins to watch the folders of the paths. The caller closes it.
func watchTests(workdir string, paths []string) (*changes, error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	c := &changes{}
	for _, path := range paths {
		file, _ := cutLine(path)
		root := pathFrom(workdir, file)
		if info, err := os.Stat(root); err == nil && !info.IsDir() {
			root = filepath.Dir(root)
		}
		watcher, err := watch.Open(root, watch.Options{Recursive: true})
		if err != nil {
			c.close()
			return nil, fmt.Errorf("cannot watch %s: %w", root, err)
		}
		c.watchers = append(c.watchers, watcher)
	}
	return c, nil
}

func (c *changes) close() {
	for _, w := range c.watchers {
		_ = w.Close()
	}
}

// next waits until a Lua file has changed, since the watch began or next returned last.
func (c *changes) next(ctx context.Context) error {
	waiting, cancel := context.WithCancel(ctx)
	changed := make(chan error, len(c.watchers))
	for _, w := range c.watchers {
		go func() { changed <- luaChange(waiting, w) }() // ended and waited for below
	}
	err := <-changed
	cancel()
	for range len(c.watchers) - 1 {
		<-changed
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// luaChange waits for the change of a Lua file, and then until nothing happens any more.
func luaChange(ctx context.Context, watcher *watch.Watcher) error {
	for {
		event, err := watcher.Next(ctx)
		if err != nil {
			return err
		}
		if !strings.HasSuffix(event.Path, ".lua") {
			continue
		}
		for err == nil {
			rest, cancel := context.WithTimeout(ctx, settle)
			_, err = watcher.Next(rest)
			cancel()
		}
		return ctx.Err()
	}
}
