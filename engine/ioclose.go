package engine

import (
	"bufio"
	"context"
	"io"
	"os"
)

// Shell runs a command line for os.execute and io.popen: it waits for the command and ends it, with what it started,
// when ctx ends. Exactly one of status and signal says how the command ended; the other is 0.
type Shell func(ctx context.Context, command string, stdin io.Reader, stdout, stderr io.Writer) (status, signal int, err error)

// flush saves what a script wrote and did not close.
func (f *file) flush(context.Context) error {
	if f.closed || f.busy || f.writer == nil || f.disk == nil {
		return nil
	}
	return f.writer.Flush()
}

func (s *streams) close(c *Call, f *file) error {
	if f.closed {
		return c.fail("%v", errFileClosed)
	}
	if f.shared {
		return c.Return(nil, "cannot close standard file")
	}
	var status, signal int
	err := f.use(c, func() error {
		if f.writer != nil {
			if err := f.writer.Flush(); err != nil && f.finish == nil {
				return err
			}
		}
		if f.disk != nil {
			return f.disk.Close()
		}
		return nil
	})
	if err == nil && f.finish != nil {
		err = c.Block(func(ctx context.Context) (err error) {
			status, signal, err = f.finish(ctx)
			return err
		})
	}
	f.closed = true
	switch {
	case err != nil:
		return ioOutcome(c, err)
	case f.finish == nil:
		return c.Return(true)
	case signal != 0:
		return c.Return(true, "signal", signal)
	}
	return c.Return(true, "exit", status)
}

// noShell refuses a shell command, and says what runs a program instead where there is that.
func (h *Host) noShell() error {
	e := &Error{Kind: KindUsage, Message: "shell commands cannot be run here"}
	if h.modules["process"] != nil {
		e.Hint = `mur.process.run { command = { "program", "argument" } } runs a program without a shell`
	}
	return e
}

// osExecute is execute([command]): the status as C's system gives it.
func (h *Host) osExecute(c *Call) error {
	if !c.Has(1) {
		return c.Return(map[bool]int{true: 1}[h.options.Shell != nil])
	}
	if h.options.Shell == nil {
		return h.noShell()
	}
	command := c.String(1)
	var status, signal int
	err := c.Block(func(ctx context.Context) (err error) {
		status, signal, err = h.options.Shell(ctx, command, h.options.Stdin, h.options.Stdout, h.options.Stderr)
		return err
	})
	if err != nil {
		return err
	}
	return c.Return(status<<8 | signal)
}

// popen is popen(command [, mode]). The command ends when the file is closed, or with the host.
func (h *Host) popen(c *Call, s *streams) error {
	command, mode := c.String(1), c.OptString(2, "r")
	if mode != "r" && mode != "w" {
		c.BadArgument(2, "invalid mode")
	}
	if h.options.Shell == nil {
		return h.noShell()
	}
	read, write, err := os.Pipe()
	if err != nil {
		return outcome(c, err, command)
	}
	f := &file{name: command}
	stdin, stdout := io.Reader(read), h.options.Stdout
	ours, theirs := write, read
	if mode == "r" {
		f.reader, stdin, stdout = bufio.NewReader(read), h.options.Stdin, write
		ours, theirs = read, write
	} else {
		f.writer = bufio.NewWriter(write)
	}
	f.makeInterruptible(ours)
	type ending struct {
		status, signal int
		err            error
	}
	ended := make(chan ending, 1)
	ctx, cancel := context.WithCancel(h.ctx)
	h.running.Add(1)
	go func() { // ends with the command
		defer h.running.Done()
		var e ending
		e.status, e.signal, e.err = h.options.Shell(ctx, command, stdin, stdout, h.options.Stderr)
		_ = theirs.Close() // the command has ended: its end of the pipe goes too
		ended <- e
	}()
	f.finish = func(waiting context.Context) (int, int, error) {
		_ = ours.Close() // the command sees the end of its input, or a broken pipe
		defer cancel()
		select {
		case e := <-ended:
			return e.status, e.signal, e.err
		case <-waiting.Done():
			return 0, 0, context.Cause(waiting)
		}
	}
	return c.Return(s.object(c, f))
}
