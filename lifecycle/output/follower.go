package output

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Read hands on, in blocks, what the [File] at path has kept: the last lines, or, with a tail below 0, all that there is,
// also in the files put aside. The error is why it cannot be read.
func Read(path string, tail int, each func(Block)) error {
	f := &follower{path: path, each: each, buf: make([]byte, mostBuffer)}
	defer f.close()
	if err := f.begin(tail); err != nil {
		return err
	}
	return f.read()
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

// begin opens the file where reading begins: the oldest there is, or the current one, when the last lines of those put
// aside have been given.
func (f *follower) begin(tail int) error {
	if tail < 0 {
		return f.beginOldest()
	}
	old, err := f.openLast()
	if err != nil {
		return err
	}
	if old != nil {
		defer old.Close()
	}
	size, err := f.file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	start, missing, err := tailStart(f.file, size, tail)
	if err != nil {
		return err
	}
	if missing > 0 && old != nil {
		if err := f.oldTail(old, missing); err != nil {
			return err
		}
	}
	_, err = f.file.Seek(start, io.SeekStart)
	return err
}

// beginOldest opens the oldest file; [follower.read] goes on from one to the next.
func (f *follower) beginOldest() error {
	for {
		n := oldest(f.path)
		file, err := f.open(n)
		if errors.Is(err, fs.ErrNotExist) && (n > 0 || oldest(f.path) > 0) {
			continue // no longer kept, or put aside just now
		}
		if err != nil {
			return fmt.Errorf("cannot read kept output: %w", err)
		}
		f.file = file
		if first, err := f.isOldest(); err != nil || first {
			return err
		}
		f.file.Close() // put aside in between, the one before it first
	}
}

// openLast opens the newest file, and returns the one that was put aside before it, which is the caller's; nil when there
// is none.
func (f *follower) openLast() (old *os.File, err error) {
	for {
		newest := 0
		f.file, err = f.open(newest)
		if errors.Is(err, fs.ErrNotExist) && oldest(f.path) > 0 { // the next one is just being begun
			newest = 1
			f.file, err = f.open(newest)
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read kept output: %w", err)
		}
		old, err = f.open(newest + 1)
		if errors.Is(err, fs.ErrNotExist) { // the newest is just about to be put aside
			old, err = f.open(newest + 2)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("cannot read kept output: %w", err)
		}
		if n, err := f.place(); err == nil && n == newest {
			return old, nil
		}
		f.file.Close() // put aside in between: something would be given twice, or not at all
		if old != nil {
			old.Close()
		}
	}
}

// oldTail gives the last lines of the file that was put aside last.
func (f *follower) oldTail(old *os.File, lines int) error {
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
		next, err := f.openComing(n - 1)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("cannot read kept output: %w", err)
		}
		if again, err := f.place(); err == nil && again == n {
			return next, nil // none: it is about to be begun
		}
		if next != nil { // put aside in between: look again
			next.Close()
		}
	}
}

// copy gives what the file has by now, and not what is written meanwhile: whoever writes faster than this is read would
// keep it from everything else.
func (f *follower) copy(from *os.File) error {
	info, err := from.Stat()
	if err != nil {
		return fmt.Errorf("cannot read kept output: %w", err)
	}
	at, err := from.Seek(0, io.SeekCurrent)
	if err != nil {
		return fmt.Errorf("cannot read kept output: %w", err)
	}
	for now := io.LimitReader(from, info.Size()-at); ; {
		n, err := now.Read(f.buf)
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
