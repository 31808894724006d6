package output

import (
	"bytes"
	"errors"
	"io"
	"os"
	"time"
)

const (
	// firstBuffer is what a stream that writes little costs, mostBuffer what one that writes a lot does; a longer
	// line is handed on in pieces.
	firstBuffer = 4 << 10
	mostBuffer  = 64 << 10
	// partialAfter is how long the beginning of a line waits for its end before it is handed on (a prompt, a
	// progress bar).
	partialAfter = 500 * time.Millisecond
)

// A Block is some output of one stream: whole lines, or, when it does not end in a line end, a piece of one. It is
// valid until the function that got it returns.
type Block []byte

// Whole reports whether the block ends where a line does.
func (b Block) Whole() bool { return len(b) > 0 && b[len(b)-1] == '\n' }

// Lines calls line for each line in the block, without its end ("\n" or "\r\n").
func (b Block) Lines(line func([]byte)) {
	for len(b) > 0 {
		one, rest, found := bytes.Cut(b, []byte{'\n'})
		if found {
			one = bytes.TrimSuffix(one, []byte{'\r'})
		}
		line(one)
		b = rest
	}
}

// Deadliner is what a stream has when the beginning of a line can be handed on after a while: a pipe's read end.
type Deadliner interface{ SetReadDeadline(time.Time) error }

// Pump reads from r until its end and calls each with everything that came, in order: as many whole lines at a time
// as there are, the beginning of a line that stays open (when r is a [Deadliner]), and at the end what is left. It
// returns the error that ended it; nil for the end of the stream.
func Pump(r io.Reader, each func(Block)) error {
	deadliner, _ := r.(Deadliner)
	buf := make([]byte, firstBuffer)
	held := 0 // the beginning of a line, at the front of buf
	waits := false
	for {
		if deadliner != nil && waits != (held > 0) {
			waits = held > 0
			deadline := time.Time{}
			if waits {
				deadline = time.Now().Add(partialAfter)
			}
			if deadliner.SetReadDeadline(deadline) != nil {
				deadliner, waits = nil, false
			}
		}
		n, err := r.Read(buf[held:])
		late := waits && errors.Is(err, os.ErrDeadlineExceeded)
		end := held + n
		if whole := bytes.LastIndexByte(buf[held:end], '\n') + 1; whole > 0 {
			each(Block(buf[:held+whole]))
			held = copy(buf, buf[held+whole:end])
		} else {
			held = end
		}
		if end == len(buf) && len(buf) < mostBuffer {
			buf = append(buf, make([]byte, len(buf))...)
		}
		if held > 0 && (err != nil || held == len(buf)) {
			each(Block(buf[:held]))
			held = 0
		}
		switch {
		case err == nil, late:
		case err == io.EOF:
			return nil
		default:
			return err
		}
	}
}
