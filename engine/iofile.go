package engine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine/numeral"
)

// file is a file of the io library. Only the holder of the lock uses it, except inside a blocking call, and then busy
// keeps others away.
type file struct {
	name   string
	reader *bufio.Reader
	writer *bufio.Writer
	disk   *os.File // nil for what is not a file of ours
	shared bool     // a standard stream: it is not ours to close, and what is written goes out at once

	interrupt func(bool) // makes a read that waits return, or sets it right again
	detached  bool       // reads cannot be interrupted: they run on a goroutine that may be left behind
	finish    func(ctx context.Context) (status, signal int, err error)

	busy   bool
	closed bool
}

var (
	errFileBusy   = errors.New("another task is using the file")
	errFileClosed = errors.New("attempt to use a closed file")
)

// newDiskFile wraps an opened file.
func newDiskFile(f *os.File, read, write bool) *file {
	own := &file{name: f.Name(), disk: f}
	if read {
		own.reader = bufio.NewReader(f)
	}
	if write {
		own.writer = bufio.NewWriter(f)
	}
	if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
		own.makeInterruptible(f)
	}
	return own
}

// newInput wraps a stream that may wait for long.
func newInput(name string, r io.Reader) *file {
	if r == nil {
		r = strings.NewReader("")
	}
	f := &file{name: name, reader: bufio.NewReader(r), shared: true, detached: true}
	f.makeInterruptible(r)
	return f
}

func (f *file) makeInterruptible(r any) {
	d, ok := r.(interface{ SetDeadline(time.Time) error })
	if !ok || d.SetDeadline(time.Time{}) != nil {
		f.detached = true
		return
	}
	f.detached = false
	f.interrupt = func(now bool) {
		var at time.Time
		if now {
			at = time.Unix(1, 0)
		}
		_ = d.SetDeadline(at) // it was accepted before
	}
}

// use runs a blocking operation on the file without the lock.
func (f *file) use(c *Call, work func() error) error {
	switch {
	case f.closed:
		return c.fail("%v", errFileClosed)
	case f.busy:
		return c.fail("%v", errFileBusy)
	}
	f.busy = true
	left := false
	err := c.Block(func(ctx context.Context) error {
		switch {
		case f.interrupt != nil:
			stop := context.AfterFunc(ctx, func() { f.interrupt(true) })
			err := work()
			if !stop() {
				f.interrupt(false)
				return context.Cause(ctx)
			}
			return err
		case f.detached:
			done := make(chan error, 1)
			go func() { done <- work() }() // ends with the read; a stop leaves it behind, and the file busy
			select {
			case err := <-done:
				return err
			case <-ctx.Done():
				left = true
				return context.Cause(ctx)
			}
		}
		return work()
	})
	if !left {
		f.busy = false
	}
	return err
}

// read reads by one format: "n", "l", "a" or a number of bytes; false is the end of the file.
func (f *file) read(format string, count, limit int) (v lua.LValue, ok bool, err error) {
	if f.reader == nil {
		return lua.LNil, false, syscall.EBADF
	}
	if f.writer != nil && !f.shared {
		if err := f.writer.Flush(); err != nil {
			return lua.LNil, false, err
		}
	}
	switch format {
	case "n":
		n, ok := readNumber(f.reader)
		return lua.LNumber(n), ok, nil
	case "l":
		line, err := f.reader.ReadString('\n')
		if err != nil && (err != io.EOF || line == "") {
			return lua.LNil, false, ignoreEOF(err)
		}
		return lua.LString(strings.TrimSuffix(line, "\n")), true, nil
	case "a":
		all, err := io.ReadAll(io.LimitReader(f.reader, int64(limit)+1))
		if err == nil && len(all) > limit {
			err = fmt.Errorf("the file is larger than the limit of %d bytes", limit)
		}
		return lua.LString(all), err == nil, err
	}
	if count == 0 {
		_, err := f.reader.Peek(1)
		return lua.LString(""), err == nil, ignoreEOF(err)
	}
	b := make([]byte, min(count, limit))
	n, err := io.ReadFull(f.reader, b)
	if n == 0 {
		return lua.LNil, false, ignoreEOF(err)
	}
	return lua.LString(b[:n]), true, nil
}

func ignoreEOF(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil
	}
	return err
}

// readNumber reads a numeral as scanf does: the longest text that can be the beginning of one.
func readNumber(r *bufio.Reader) (float64, bool) {
	var text []byte
	for len(text) < 200 {
		c, err := r.ReadByte()
		if err != nil {
			break
		}
		if len(text) == 0 && (c == ' ' || 9 <= c && c <= 13) {
			continue
		}
		if !strings.ContainsRune("0123456789+-.eExXabcdfABCDF", rune(c)) {
			_ = r.UnreadByte() // it was just read
			break
		}
		text = append(text, c)
	}
	return numeral.Parse(string(text))
}

// write writes text and, for standard streams, sends it out.
func (f *file) write(texts []string) error {
	if f.writer == nil {
		return syscall.EBADF
	}
	for _, text := range texts {
		if _, err := f.writer.WriteString(text); err != nil {
			return err
		}
	}
	if f.shared {
		return f.writer.Flush()
	}
	return nil
}

// seek moves in a file on disk.
func (f *file) seek(whence int, offset int64) (int64, error) {
	if f.disk == nil {
		return 0, syscall.ESPIPE
	}
	if f.writer != nil {
		if err := f.writer.Flush(); err != nil {
			return 0, err
		}
	}
	if f.reader != nil {
		if whence == io.SeekCurrent {
			offset -= int64(f.reader.Buffered())
		}
		defer f.reader.Reset(f.disk)
	}
	return f.disk.Seek(offset, whence)
}
