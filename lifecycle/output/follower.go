package output

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"murlua/platform/watch"
)

// FollowOptions say what of a kept file is read.
type FollowOptions struct {
	// Tail is how many of the last lines are given first; below 0 all that there are, also those in the files put
	// aside.
	Tail int
	// Follow goes on with what is written later, until ctx ends.
	Follow bool
	// Below is a folder, above the file, that is there. With it a file to follow that is not there yet is waited for,
	// and so are the folders between; without it that is an error.
	Below string
}

// Follow reads the file that a [File] keeps at path, and hands it on in blocks; the beginning of a line is handed on
// as soon as it is in the file. It returns nil when all was read, also what there was when ctx ended, else why the file
// cannot be read.
func Follow(ctx context.Context, path string, options FollowOptions, each func(Block)) error {
	if options.Follow && options.Below != "" {
		if there, err := appear(ctx, path, options.Below); err != nil || !there {
			return err
		}
	}
	watcher, err := openWatch(path, options.Follow)
	if err != nil {
		return err
	}
	if watcher != nil {
		defer watcher.Close()
	}
	f := &follower{path: path, each: each, buf: make([]byte, mostBuffer)}
	defer f.close()
	if err := f.begin(options.Tail); err != nil {
		return err
	}
	for last := !options.Follow; ; {
		last = last || ctx.Err() != nil // what was written before that is read
		if err := f.read(); err != nil || last {
			return err
		}
		last = await(ctx, watcher) != nil
	}
}

// appear waits until the file is there; false when ctx ends before.
func appear(ctx context.Context, path, below string) (there bool, err error) {
	for {
		dir, there := nearest(path, below)
		if there {
			return true, nil
		}
		watcher, err := openWatch(filepath.Join(dir, "any"), true)
		if err != nil {
			if now, _ := nearest(path, below); now != dir {
				continue // it was removed meanwhile
			}
			return false, err
		}
		if now, there := nearest(path, below); now == dir && !there { // nothing came before the watch began
			err = await(ctx, watcher)
		}
		if watcher != nil {
			watcher.Close()
		}
		if err != nil && ctx.Err() != nil {
			_, there = nearest(path, below)
			return there, nil
		}
	}
}

// nearest returns the innermost folder on the way from below to the file that is there, and whether the file is.
func nearest(path, below string) (dir string, there bool) {
	if _, err := os.Stat(path); err == nil {
		return filepath.Dir(path), true
	}
	for dir = filepath.Dir(path); dir != below && len(dir) > len(below); dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil {
			return dir, false
		}
	}
	return below, false
}

// openWatch watches the file's folder, because a rotation replaces the file. Nil where the system reports no changes.
func openWatch(path string, follow bool) (*watch.Watcher, error) {
	if !follow {
		return nil, nil
	}
	watcher, err := watch.Open(filepath.Dir(path), watch.Options{})
	if errors.Is(err, watch.ErrUnsupported) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot follow %q: %w", path, err)
	}
	return watcher, nil
}

// await waits for a change; where none is reported it looks again after a while.
func await(ctx context.Context, watcher *watch.Watcher) error {
	const lookAgain = 50 * time.Millisecond
	if watcher != nil {
		_, err := watcher.Next(ctx)
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(lookAgain):
		return nil
	}
}

type follower struct {
	path string
	each func(Block)
	buf  []byte
	file *os.File
}

func (f *follower) close() {
	if f.file != nil {
		f.file.Close()
	}
}

// begin gives the lines that come before what is followed, and leaves the current file open where they end.
func (f *follower) begin(tail int) error {
	var err error
	if f.file, err = os.Open(f.path); err != nil {
		return fmt.Errorf("cannot read kept output: %w", err)
	}
	if tail < 0 {
		for n := oldest(f.path); n > 0; n-- {
			if err := f.readOld(n); err != nil {
				return err
			}
		}
		return nil
	}
	size, err := f.file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	start, missing, err := tailStart(f.file, size, tail)
	if err != nil {
		return err
	}
	if missing > 0 {
		if err := f.oldTail(missing); err != nil {
			return err
		}
	}
	_, err = f.file.Seek(start, io.SeekStart)
	return err
}

// oldTail gives the last lines of the file that was put aside last.
func (f *follower) oldTail(lines int) error {
	old, err := os.Open(f.path + ".1")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer old.Close()
	size, err := old.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	start, _, err := tailStart(old, size, lines)
	if err != nil {
		return err
	}
	if _, err := old.Seek(start, io.SeekStart); err != nil {
		return err
	}
	return f.copy(old)
}

func oldest(path string) int {
	n := 0
	for {
		if _, err := os.Stat((&File{path: path}).numbered(n + 1)); err != nil {
			return n
		}
		n++
	}
}

func (f *follower) readOld(n int) error {
	old, err := os.Open((&File{path: f.path}).numbered(n))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // rotated away meanwhile
	}
	if err != nil {
		return err
	}
	defer old.Close()
	return f.copy(old)
}

// read gives everything up to the end of the current file, and goes on in the next one when it was put aside.
func (f *follower) read() error {
	for {
		if err := f.copy(f.file); err != nil {
			return err
		}
		next, err := f.next()
		if err != nil || next == nil {
			return err
		}
		if err := f.copy(f.file); err != nil { // what came before it was put aside
			return err
		}
		f.file.Close()
		f.file = next
	}
}

// next opens the file that was begun after the one that is being read; nil while that is still the current one, or
// at the moment between two.
func (f *follower) next() (*os.File, error) {
	for {
		n, err := f.place()
		if err != nil || n == 0 {
			return nil, err
		}
		next, err := os.Open((&File{path: f.path}).numbered(n - 1))
		if errors.Is(err, fs.ErrNotExist) && n > 1 { // on its way there
			next, err = os.Open((&File{path: f.path}).numbered(n - 2))
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read kept output: %w", err)
		}
		if again, err := f.place(); err == nil && again == n {
			return next, nil
		}
		next.Close() // put aside in between: look again
	}
}

// place finds the file that is being read among those that there are: 0 is the current one. One that is no longer
// kept counts as the one before the oldest. A number may be missing while the files are being renamed, the oldest first;
// two in a row are the end.
func (f *follower) place() (int, error) {
	mine, err := f.file.Stat()
	if err != nil {
		return 0, err
	}
	missing := false
	for n := 0; ; n++ {
		there, err := os.Stat((&File{path: f.path}).numbered(n))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if missing && n > 1 {
				return n - 1, nil
			}
			missing = n > 0
			continue
		case err != nil && n > 0:
			return 0, err
		case err == nil && os.SameFile(mine, there):
			return n, nil
		}
		missing = false
	}
}

func (f *follower) copy(from *os.File) error {
	for {
		n, err := from.Read(f.buf)
		if n > 0 {
			f.each(Block(f.buf[:n]))
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("cannot read kept output: %w", err)
		}
	}
}

// tailStart finds where the last lines of the first size bytes begin, and how many are missing.
func tailStart(file io.ReaderAt, size int64, lines int) (start int64, missing int, err error) {
	if lines == 0 {
		return size, 0, nil
	}
	buf := make([]byte, mostBuffer)
	found := -1 // the end of the last line is not the beginning of one
	last := make([]byte, 1)
	if size > 0 {
		if _, err := file.ReadAt(last, size-1); err != nil {
			return 0, 0, err
		}
		if last[0] != '\n' {
			found = 0
		}
	}
	for end := size; end > 0; {
		begin := max(0, end-int64(len(buf)))
		chunk := buf[:end-begin]
		if _, err := file.ReadAt(chunk, begin); err != nil && err != io.EOF {
			return 0, 0, err
		}
		for i := bytes.LastIndexByte(chunk, '\n'); i >= 0; i = bytes.LastIndexByte(chunk[:i], '\n') {
			if found++; found == lines {
				return begin + int64(i) + 1, 0, nil
			}
		}
		end = begin
	}
	if size == 0 {
		return 0, lines, nil
	}
	return 0, lines - found - 1, nil
}
