package output

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"murlua/platform/watch"
)

// suffix ends the name of a file that is kept; the name before it says whose output it is.
const suffix = ".log"

// Kept lists whose output a folder has, in the order of the names: "api" for the file "api.log". A folder that is not
// there has none.
func Kept(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot list kept output: %w", err)
	}
	var names []string
	for _, entry := range entries {
		if name, ok := strings.CutSuffix(entry.Name(), suffix); ok {
			names = append(names, name)
		}
	}
	return names, nil
}

// FollowOptions say what of a folder is followed.
type FollowOptions struct {
	// Tail is how many of the last lines are given first of the files that are there at the beginning; below 0 all that
	// there are. Files that come later are given whole.
	Tail int
	// Below is a folder above, which is there: the one to follow, and those between, may come later. Required.
	Below string
	// Only says whose output is followed; nil is everybody's.
	Only func(name string) bool
}

// Follow reads the files that a folder keeps, also those that come later, and hands on what is written, each in blocks
// and in order; the beginning of a line is handed on as soon as it is in the file. It is woken by the system's notice of
// changes, and by its end that of ctx, when it reads what was written before and returns. A file that cannot be read is
// left out, and the reason returned in the end. Each is called by the goroutine that called Follow.
func Follow(ctx context.Context, dir string, options FollowOptions, each func(name string, block Block)) error {
	f := &folder{dir: dir, options: options, tail: options.Tail, each: each, files: map[string]*follower{}, buf: make([]byte, mostBuffer)}
	defer f.close()
	for ctx.Err() == nil {
		if err := f.stay(ctx); err != nil {
			return errors.Join(append(f.failures, err)...)
		}
	}
	err := f.look()
	return errors.Join(append(f.failures, err)...)
}

// folder is the files of a folder that are being followed.
type folder struct {
	dir      string
	options  FollowOptions
	tail     int // of files that are found now
	each     func(name string, block Block)
	files    map[string]*follower // nil for one that cannot be read
	failures []error
	buf      []byte
}

// stay follows until ctx ends, or until the folder or one on the way to it comes or goes.
func (f *folder) stay(ctx context.Context) error {
	innermost := f.innermost()
	watcher, err := watch.Open(innermost, watch.Options{})
	if errors.Is(err, watch.ErrUnsupported) {
		watcher, err = nil, nil
	}
	if err != nil {
		if f.innermost() != innermost {
			return nil // it was removed meanwhile
		}
		return fmt.Errorf("cannot follow %q: %w", f.dir, err)
	}
	if watcher != nil {
		defer watcher.Close()
	}
	if err := f.look(); err != nil { // what came before the watch began
		return err
	}
	for innermost == f.dir || f.innermost() == innermost {
		change, err := watch.Await(ctx, watcher)
		if err != nil {
			return nil // the end, or the folder is gone
		}
		if err := f.notice(change, innermost); err != nil {
			return err
		}
	}
	return nil
}

// innermost is the last folder on the way to the one that is followed that is there.
func (f *folder) innermost() string {
	dir := f.dir
	for dir != f.options.Below && len(dir) > len(f.options.Below) {
		if _, err := os.Stat(dir); err == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	return f.options.Below
}

// notice reads what has changed: one file, or whatever there is when the system does not say.
func (f *folder) notice(change watch.Event, watched string) error {
	name, kept := strings.CutSuffix(filepath.Base(change.Path), suffix)
	switch {
	case change.Path == "", change.Path == watched:
		return f.look()
	case !kept || watched != f.dir: // put aside, which is noticed when the next one is made
	default:
		f.readNamed(name)
	}
	return nil
}

// look reads everything, also of the files that are new.
func (f *folder) look() error {
	names, err := Kept(f.dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		f.readNamed(name)
	}
	for name, file := range f.files { // those whose name is gone, too
		f.settle(name, file)
	}
	f.tail = -1
	return nil
}

func (f *folder) readNamed(name string) {
	if f.options.Only != nil && !f.options.Only(name) {
		return
	}
	file, known := f.files[name]
	if !known {
		file = &follower{path: filepath.Join(f.dir, name+suffix), each: func(block Block) { f.each(name, block) }, buf: f.buf}
		err := file.begin(f.tail)
		if errors.Is(err, fs.ErrNotExist) {
			return // it has gone, or is just being put aside
		}
		if f.files[name] = file; err != nil {
			f.fail(name, err)
			return
		}
	}
	f.settle(name, file)
}

// settle reads what a file has by now.
func (f *folder) settle(name string, file *follower) {
	if file == nil {
		return
	}
	if err := file.read(); err != nil {
		f.fail(name, err)
	}
}

func (f *folder) fail(name string, err error) {
	f.files[name].close()
	f.files[name] = nil
	f.failures = append(f.failures, err)
}

func (f *folder) close() {
	for _, file := range f.files {
		if file != nil {
			file.close()
		}
	}
}
