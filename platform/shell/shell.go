// Package shell runs command lines with the system's shell, for scripts that ask for that. Commands that a formation
// looks after are not started here.
package shell

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"time"
)

// drain is how long output is still read after the command has ended, when something it started keeps the pipes.
const drain = time.Second

// Runner runs commands in a folder with an environment; empty ones are the process's own.
type Runner struct {
	Folder  string
	Environ []string
}

// Run runs a command line and waits for it. It returns the exit status, or the signal that ended the command. When
// ctx ends first, the command and everything in its process group is killed and the error is ctx's cause.
func (r Runner) Run(ctx context.Context, command string, stdin io.Reader, stdout, stderr io.Writer) (status, signal int, err error) {
	name, args := interpreter(command)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = r.Folder, r.Environ
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	cmd.WaitDelay = drain
	ownGroup(cmd)
	err = cmd.Run()
	if ctx.Err() != nil {
		return 0, 0, context.Cause(ctx)
	}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return exitStatus(exit), exitSignal(exit), nil
	case errors.Is(err, exec.ErrWaitDelay):
		return 0, 0, nil // it ended well; what it left behind had the pipes open
	}
	return 0, 0, err
}

func exitStatus(exit *exec.ExitError) int { return max(exit.ExitCode(), 0) }
