package child

import (
	"bufio"
	"errors"
	"io"
	"os"
	"sync"
	"time"
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

// output reads a member's two streams to their ends. It owns the read ends and a goroutine for each.
type output struct {
	member string
	onLine func(Output) // may be nil
	log    *Log

	// report gets the readiness line and is closed at the end of standard output: a receive that is not ok
	// means that the stream ended without one. Nil for a member that reports nothing.
	report chan []byte

	stdout, stderr *drain
	stderrEnded    chan struct{}
	bothEnded      chan struct{}
}

// readOutput starts reading. With wantReport the first line of standard output is the readiness line.
func readOutput(member string, onLine func(Output), log *Log, stdout, stderr *os.File, wantReport bool) *output {
	o := &output{
		member: member, onLine: onLine, log: log,
		stdout: &drain{file: stdout}, stderr: &drain{file: stderr},
		stderrEnded: make(chan struct{}), bothEnded: make(chan struct{}),
	}
	if wantReport {
		o.report = make(chan []byte, 1)
	}
	stdoutEnded := make(chan struct{})
	go func() {
		defer close(stdoutEnded)
		defer stdout.Close()
		reader := bufio.NewReaderSize(o.stdout, pieceSize)
		if wantReport {
			if line := firstLine(reader); line != nil {
				o.report <- line
			}
			defer close(o.report)
		}
		o.pass(reader, false)
	}()
	go func() {
		defer close(o.stderrEnded)
		defer stderr.Close()
		o.pass(bufio.NewReaderSize(o.stderr, pieceSize), true)
	}()
	go func() {
		<-stdoutEnded
		<-o.stderrEnded
		close(o.bothEnded)
	}()
	return o
}

func (o *output) pass(reader *bufio.Reader, isStderr bool) {
	for {
		piece, err := reader.ReadSlice('\n')
		if err == nil || len(piece) > 0 {
			out := Output{Member: o.member, Stderr: isStderr, Line: string(trimEnd(piece))}
			o.log.add(out)
			if o.onLine != nil {
				o.onLine(out)
			}
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

// finish is called when the member has been reaped: it waits for the ends of both streams, but not for a
// process that escaped and holds them open.
func (o *output) finish() {
	o.stdout.end()
	o.stderr.end()
	<-o.bothEnded
}

// firstLine reads the readiness line without its end; nil when the stream ends before one is complete. One
// that is too long is cut off, and will not parse.
func firstLine(reader *bufio.Reader) []byte {
	var line []byte
	for {
		piece, err := reader.ReadSlice('\n')
		if len(line) < maxReport {
			line = append(line, piece...)
		}
		switch {
		case err == nil:
			return trimEnd(line)
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil
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
	d.until = time.Now().Add(drainBound)
	d.mu.Unlock()
	_ = d.file.SetReadDeadline(time.Now())
}

func (d *drain) Read(into []byte) (int, error) {
	n, err := d.read(into)
	if n == 0 && errors.Is(err, os.ErrDeadlineExceeded) {
		// Either end has just been called, which says nothing about what is in the pipe, or the
		// deadline of the last read passed meanwhile: look once more.
		n, err = d.read(into)
	}
	if n == 0 && errors.Is(err, os.ErrDeadlineExceeded) {
		return 0, io.EOF
	}
	return n, err
}

func (d *drain) read(into []byte) (int, error) {
	d.mu.Lock()
	until := d.until
	d.mu.Unlock()
	if !until.IsZero() {
		now := time.Now()
		if now.After(until) {
			return 0, io.EOF
		}
		_ = d.file.SetReadDeadline(now.Add(quiet))
	}
	return d.file.Read(into)
}
