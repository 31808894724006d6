package bindings

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"murlua/engine"
	"murlua/lifecycle/handle"
)

func (w *World) processModule() engine.Module {
	return engine.Module{
		Name:      "process",
		Doc:       "run a command to its end, leaving nothing behind",
		Functions: map[string]engine.Function{"run": w.processRun},
	}
}

// defaultMaxOutput is how much of each of a command's two outputs a script gets, unless it asks for more.
const defaultMaxOutput = 16 << 20

// errRunTimeout is the cause of a run's context at its time limit, errRunOutput that at its limit of output.
var (
	errRunTimeout = errors.New("the time is up")
	errRunOutput  = errors.New("it writes too much")
)

func (w *World) processRun(c *engine.Call) error {
	o := c.Options(1)
	stages, line, env, dir, class := w.readCommand(o)
	if line == "" {
		line = strings.Join(stages[0], " ")
	}
	spec := handle.RunSpec{Stages: stages, Env: env, Dir: dir, Class: class}
	if o.Has("input") {
		spec.Stdin = strings.NewReader(o.String("input", ""))
	}
	timeout := o.Duration("timeout", 0)
	limit := o.Int("max_output", defaultMaxOutput)
	check := o.Bool("check", false)
	o.Done(false)
	k := w.keeperFor(c.Host())

	var result handle.RunResult
	var stdout, stderr *bounded
	err := c.Block(func(ctx context.Context) (err error) {
		ctx, stop := context.WithCancelCause(ctx)
		defer stop(nil)
		if timeout > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeoutCause(ctx, timeout, errRunTimeout)
			defer cancel()
		}
		stdout, stderr = &bounded{limit: limit, full: stop}, &bounded{limit: limit, full: stop}
		spec.Stdout, spec.Stderr = stdout, stderr
		result, err = handle.Run(ctx, k, spec)
		return err
	})
	outputs := func() map[string]any {
		return map[string]any{"stdout": stdout.String(), "stderr": stderr.String()}
	}
	switch {
	case errors.Is(err, errRunTimeout):
		e := timeoutError("%q has not ended within %v", line, timeout)
		e.Fields = outputs()
		return e
	case errors.Is(err, errRunOutput):
		return &engine.Error{
			Kind: engine.KindLimit, Message: fmt.Sprintf("%q wrote more than %d bytes", line, limit), Cause: err,
			Hint: "raise max_output, or start a handle and read it as it comes", Fields: outputs(),
		}
	case err != nil:
		return keepingError(err)
	}
	fields := endedAs(result.Status, outputs())
	fields["leftovers"] = processList(result.Leftovers)
	if check && !result.Status.Success() {
		return &engine.Error{Kind: "failed", Message: fmt.Sprintf("%q ended with %v", line, result.Status), Fields: fields}
	}
	return c.Return(fields)
}

// bounded keeps what is written to it, up to a limit at which it calls full. It has a buffer rather than being one: a
// buffer reads from a stream by itself, past any limit.
type bounded struct {
	kept  bytes.Buffer
	limit int
	full  func(cause error)
}

func (b *bounded) Write(data []byte) (int, error) {
	if room := b.limit - b.kept.Len(); len(data) > room {
		b.kept.Write(data[:max(0, room)])
		b.full(errRunOutput)
		return room, io.ErrShortWrite
	}
	return b.kept.Write(data)
}

func (b *bounded) String() string { return b.kept.String() }

// Shell runs a command line for os.execute and io.popen: under the world's keeper, so that it leaves nothing behind.
// It is an [engine.Shell] and needs [World.Keeper].
func (w *World) Shell(ctx context.Context, command string, stdin io.Reader, stdout, stderr io.Writer) (status, signal int, err error) {
	result, err := handle.Run(ctx, w.Keeper, handle.RunSpec{
		Stages: [][]string{{"/bin/sh", "-c", command}}, Env: w.Environ, Dir: w.Workdir,
		Stdin: stdin, Stdout: stdout, Stderr: stderr,
	})
	if err != nil {
		return 0, 0, keepingError(err)
	}
	if result.Status.Signal != 0 {
		return 0, int(result.Status.Signal), nil
	}
	return result.Status.Code, 0, nil
}

var _ engine.Shell = (*World)(nil).Shell
