package handle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"murlua/lifecycle/keeper"
	"murlua/platform/contain"
)

// A RunSpec is a command that somebody waits for.
type RunSpec struct {
	// Stages are the commands, each one's output the next one's input. One is required.
	Stages [][]string
	// Env is the whole environment, Dir the working directory (empty: the host's).
	Env []string
	Dir string
	// Class demands a containment; empty takes the best there is.
	Class contain.Class
	// Stdin is read into the first stage; nil is empty. An [*os.File] is handed over as it is.
	Stdin io.Reader
	// Stdout gets what the last stage writes, Stderr what all stages write to standard error; nil drops it. Calls
	// for one of them do not overlap; the two do.
	Stdout, Stderr io.Writer
}

// A RunResult is how a run ended.
type RunResult struct {
	// Status is the last stage's.
	Status keeper.Status
	// Leftovers are processes that the stages had left behind; they were killed.
	Leftovers []contain.Process
}

// Run starts the stages under the keeper, waits until all have ended, kills what they left behind, and returns when
// everything they wrote has been handed on. When ctx ends first, all of it is killed and the error is ctx's cause;
// what was written until then has been handed on. A reader that blocks may be left with one read under way.
func Run(ctx context.Context, k *keeper.Keeper, spec RunSpec) (RunResult, error) {
	if len(spec.Stages) == 0 || len(spec.Stages[0]) == 0 {
		return RunResult{}, errors.New("cannot run: no command is given")
	}
	r := &run{spec: &spec}
	defer r.closeTheirs()
	last := len(spec.Stages) - 1
	stdin, err := r.input()
	if err != nil {
		return RunResult{}, r.undo(err)
	}
	stderr, err := r.output(spec.Stderr)
	if err != nil {
		return RunResult{}, r.undo(err)
	}
	for i, args := range spec.Stages {
		var stdout, next *os.File
		if i == last {
			stdout, err = r.output(spec.Stdout)
		} else if next, stdout, err = os.Pipe(); err == nil {
			r.theirs = append(r.theirs, next, stdout)
		}
		if err != nil {
			return RunResult{}, r.undo(err)
		}
		kept, err := k.Start(ctx, keeper.Command{
			Args: args, Env: spec.Env, Dir: spec.Dir, Class: spec.Class, Stdin: stdin, Stdout: stdout, Stderr: stderr,
		})
		if err != nil {
			return RunResult{}, r.undo(err)
		}
		r.stages = append(r.stages, kept)
		stdin = next
	}
	r.closeTheirs()
	return r.wait(ctx)
}

// run is a run under way.
type run struct {
	spec   *RunSpec
	stages []*keeper.Kept
	theirs []*os.File // the stages' ends, closed when all have started
	ours   []*os.File // what is read here
	feed   *os.File   // what the first stage reads from us
	copies sync.WaitGroup
}

// input gives the first stage's standard input.
func (r *run) input() (*os.File, error) {
	if r.spec.Stdin == nil {
		return nil, nil
	}
	if f, ok := r.spec.Stdin.(*os.File); ok {
		return f, nil
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("cannot make a pipe for input: %w", err)
	}
	r.theirs, r.feed = append(r.theirs, read), write
	go func() { // ends when the input does, or with the first write after nobody reads any more
		_, _ = io.Copy(write, r.spec.Stdin)
		write.Close()
	}()
	return read, nil
}

// output gives a file to write to that ends up in w.
func (r *run) output(w io.Writer) (*os.File, error) {
	if w == nil {
		return nil, nil
	}
	if f, ok := w.(*os.File); ok {
		return f, nil
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("cannot make a pipe for output: %w", err)
	}
	r.theirs, r.ours = append(r.theirs, write), append(r.ours, read)
	r.copies.Go(func() {
		_, _ = io.Copy(w, read)
		read.Close() // a writer that fails ends the command by a broken pipe, as at the end of a pipeline
	})
	return write, nil
}

func (r *run) wait(ctx context.Context) (RunResult, error) {
	var cause error
	for _, s := range r.stages {
		select {
		case <-s.Exited():
		case <-ctx.Done():
			cause = context.Cause(ctx)
		}
	}
	result := RunResult{}
	for i := len(r.stages) - 1; i >= 0; i-- {
		report := r.stages[i].Kill()
		if cause == nil {
			result.Leftovers = append(result.Leftovers, report.Killed...)
		}
	}
	r.end()
	result.Status = r.stages[len(r.stages)-1].Status()
	return result, cause
}

// end closes what feeds the stages and waits for what they wrote. Nothing of them is left, so that is bounded.
func (r *run) end() {
	if r.feed != nil {
		r.feed.Close()
	}
	r.copies.Wait()
}

// undo ends what was started before a start failed.
func (r *run) undo(err error) error {
	for i := len(r.stages) - 1; i >= 0; i-- {
		r.stages[i].Kill()
	}
	r.closeTheirs()
	r.end()
	return err
}

func (r *run) closeTheirs() {
	for _, f := range r.theirs {
		f.Close()
	}
	r.theirs = nil
}
