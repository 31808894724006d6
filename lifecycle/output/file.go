package output

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"sync"

	"murlua/platform/fsx"
)

const (
	// DefaultLimit is the size after which a file is put aside, unless it says otherwise.
	DefaultLimit = 16 << 20
	// DefaultOld is how many files put aside are kept beside the current one.
	DefaultOld = 2
)

// FileOptions say how much is kept. The zero value keeps three files of 16 MiB.
type FileOptions struct {
	// Limit is the size in bytes after which the file is put aside and a new one begun; 0: [DefaultLimit]. A
	// file ends with a whole line, unless a single one is longer than the limit.
	Limit int64
	// Old is how many files put aside are kept; 0: [DefaultOld], below 0: none.
	Old int
}

// A File keeps output: at path what is written now, at path.1 what came before it, and so on.
type File struct {
	path    string
	options FileOptions

	mu   sync.Mutex
	file *os.File
	size int64
	open string // the stream whose line is not complete yet; "" when every line is
	err  error
}

// Create makes the file, for its owner alone, or goes on in one that is there.
func Create(path string, options FileOptions) (*File, error) {
	if options.Limit <= 0 {
		options.Limit = DefaultLimit
	}
	if options.Old == 0 {
		options.Old = DefaultOld
	}
	f := &File{path: path, options: options}
	if err := f.begin(); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *File) begin() error {
	file, err := os.OpenFile(f.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, fsx.PrivateFileMode)
	if err != nil {
		return fmt.Errorf("cannot keep output: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return fmt.Errorf("cannot keep output: %w", err)
	}
	f.file, f.size = file, info.Size()
	return nil
}

// Path is where the newest output is.
func (f *File) Path() string { return f.path }

// Write appends a block of the stream's. When another stream has begun a line, that is ended first, so that no line
// is made of two. A disk that is full costs what could not be written and nothing else: the first error is kept for
// [File.Close], and later blocks are tried again.
func (f *File) Write(stream string, block Block) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil || len(block) == 0 {
		return
	}
	if f.open != "" && f.open != stream {
		f.append([]byte{'\n'})
		f.open = ""
	}
	for len(block) > 0 {
		if f.size >= f.options.Limit && f.open == "" {
			f.rotate()
		}
		part := block
		if room := f.options.Limit - f.size; int64(len(part)) > room && room > 0 {
			// Up to the end of the line that crosses the limit.
			if end := bytes.IndexByte(part[room-1:], '\n'); end >= 0 {
				part = part[:room+int64(end)]
			}
		}
		f.append(part)
		f.open = ""
		if !part.Whole() {
			f.open = stream
		}
		block = block[len(part):]
	}
}

func (f *File) append(data []byte) {
	n, err := f.file.Write(data)
	f.size += int64(n)
	if err != nil && f.err == nil {
		f.err = fmt.Errorf("cannot keep output: %w", err)
	}
}

// rotate puts the file aside. When that fails the file just grows on.
func (f *File) rotate() {
	old := max(0, f.options.Old)
	for n := old; n > 1; n-- {
		_ = os.Rename(f.numbered(n-1), f.numbered(n)) // not there yet
	}
	var err error
	if old > 0 {
		err = os.Rename(f.path, f.numbered(1))
	} else {
		err = os.Remove(f.path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.size = 0 // not tried again before as much has come once more
		return
	}
	before := f.file
	if f.begin() == nil {
		before.Close()
	}
}

// numbered names the n-th newest file; 0 is the current one.
func (f *File) numbered(n int) string {
	if n == 0 {
		return f.path
	}
	return f.path + "." + strconv.Itoa(n)
}

// Close ends an open line and closes the file. It returns the first error that cost any output.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		return f.err
	}
	if f.open != "" {
		f.append([]byte{'\n'})
	}
	if err := f.file.Close(); err != nil && f.err == nil {
		f.err = err
	}
	f.file = nil
	return f.err
}
