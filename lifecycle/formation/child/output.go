package child

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"murlua/lifecycle/output"
)

const (
	// pieceSize is the longest piece of a line that is held: a member that writes no line ends costs no
	// more than this.
	pieceSize = 64 << 10
	// maxReport is the longest readiness line that is read.
	maxReport = 1 << 20
	// quiet is how long the output of a member that has ended may be silent before it counts as closed. What
	// the member wrote is in the pipe by then; only a process that left its group can keep the pipe open.
	quiet = 200 * time.Millisecond
	// drainBound is how long such a process is listened to when it goes on writing.
	drainBound = 2 * time.Second
)

// Output is one line that a member wrote, without its end. A line longer than 64 KiB comes in pieces.
type Output struct {
	Member string
	Stderr bool
	Line   string
}

// Lines are lines that a member wrote one after the other to one stream.
type Lines struct {
	Member string
	Stderr bool
	// Block is valid until the function that got it returns. Only a piece of a very long line, or the end of a
	// stream, has no line end.
	Block output.Block
}

// streams reads a member's two streams to their ends. It owns the read ends and a goroutine for each.
type streams struct {
	member  string
	onLines func(Lines) // may be nil
	kept    *output.Lazy
	log     *Log

	// report gets the readiness line and is closed at the end of standard output: a receive that is not ok
	// means that the stream ended without one. Nil for a member that reports nothing.
	report chan []byte

	stdout, stderr *drain
	stderrEnded    chan struct{}
	bothEnded      chan struct{}
}

// readStreams starts reading. With Spec.Report the first line of standard output is the readiness line.
func readStreams(s *Spec, log *Log, stdout, stderr *os.File) *streams {
	o := &streams{
		member: s.Name, onLines: s.OnLines, kept: s.Kept, log: log,
		stdout: &drain{file: stdout}, stderr: &drain{file: stderr},
		stderrEnded: make(chan struct{}), bothEnded: make(chan struct{}),
	}
	if s.Report {
		o.report = make(chan []byte, 1)
	}
	stdoutEnded := make(chan struct{})
	go func() {
		defer close(stdoutEnded)
		defer stdout.Close()
		var rest io.Reader = o.stdout
		if o.report != nil {
			defer close(o.report)
			line, more := firstLine(o.stdout)
			if line != nil {
				o.report <- line
			}
			o.pass(bytes.NewReader(more), false)
		}
		o.pass(rest, false)
	}()
	go func() {
		defer close(o.stderrEnded)
		defer stderr.Close()
		o.pass(o.stderr, true)
	}()
	go func() {
		<-stdoutEnded
		<-o.stderrEnded
		close(o.bothEnded)
	}()
	return o
}

// pass hands on what comes: to the file as it comes, to everybody else line by line. The stream's end is the only
// error that can be told of.
func (o *streams) pass(stream io.Reader, isStderr bool) {
	name := "stdout"
	if isStderr {
		name = "stderr"
	}
	var open []byte // the beginning of a line
	_ = output.Pump(stream, func(block output.Block) {
		o.kept.Write(name, block)
		if len(open) == 0 && block.Whole() {
			o.lines(block, isStderr)
			return
		}
		open = append(open, block...)
		if block.Whole() || len(open) >= pieceSize {
			o.lines(open, isStderr)
			open = open[:0]
		}
	})
	o.lines(open, isStderr)
}

func (o *streams) lines(block output.Block, isStderr bool) {
	if len(block) == 0 {
		return
	}
	o.log.add(o.member, isStderr, block)
	if o.onLines != nil {
		o.onLines(Lines{o.member, isStderr, block})
	}
}

// finish is called when the member has been reaped: it waits for the ends of both streams, but not for a
// process that escaped and holds them open.
func (o *streams) finish() {
	o.stdout.end()
	o.stderr.end()
	<-o.bothEnded
}

// firstLine reads the readiness line without its end, and what came after it; nil when the stream ends before one is
// complete. One that is too long is cut off, and will not parse.
func firstLine(stream io.Reader) (line, more []byte) {
	buf := make([]byte, 4<<10)
	for {
		n, err := stream.Read(buf)
		if end := bytes.IndexByte(buf[:n], '\n'); end >= 0 {
			line = append(line, buf[:end+1]...)
			return trimEnd(line[:min(len(line), maxReport)]), bytes.Clone(buf[end+1 : n])
		}
		if len(line) < maxReport {
			line = append(line, buf[:n]...)
		}
		if err != nil {
			return nil, nil
		}
	}
}

func trimEnd(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line
}

// drain reads a pipe, and after end only as long as something comes.
type drain struct {
	file *os.File

	mu    sync.Mutex
	until time.Time // zero until end was called
}

// end wakes a read that waits. Data that is in the pipe is still read.
func (d *drain) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.until = time.Now().Add(drainBound)
	_ = d.file.SetReadDeadline(time.Now())
}

// SetReadDeadline bounds the reads until end is called.
func (d *drain) SetReadDeadline(t time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.until.IsZero() {
		return nil
	}
	return d.file.SetReadDeadline(t)
}

func (d *drain) Read(into []byte) (int, error) {
	n, ended, err := d.read(into)
	if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		return n, err
	}
	if !ended && !d.ending() {
		return 0, err // the reader's own deadline
	}
	// Either end has just been called, which says nothing about what is in the pipe, or the deadline of the last
	// read passed meanwhile: look once more.
	n, _, err = d.read(into)
	if n == 0 && errors.Is(err, os.ErrDeadlineExceeded) {
		return 0, io.EOF
	}
	return n, err
}

func (d *drain) ending() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.until.IsZero()
}

func (d *drain) read(into []byte) (n int, ended bool, err error) {
	d.mu.Lock()
	until := d.until
	if !until.IsZero() {
		now := time.Now()
		if now.After(until) {
			d.mu.Unlock()
			return 0, true, io.EOF
		}
		_ = d.file.SetReadDeadline(now.Add(quiet))
	}
	d.mu.Unlock()
	n, err = d.file.Read(into)
	return n, !until.IsZero(), err
}
