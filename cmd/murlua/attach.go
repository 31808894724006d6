package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"

	"murlua/engine/repl"
	"murlua/lifecycle/attach"
	"murlua/lifecycle/home"
	"murlua/lifecycle/running"
)

type attachCommand struct {
	Target string `arg:"" help:"A formation or a session." placeholder:"FORMATION|SESSION"`
}

// ownSignals says that the command looks after signals itself.
func (c *attachCommand) ownSignals() {}

func (c *attachCommand) run(ctx context.Context, o *outside) error {
	h, err := home.Resolve(o.getenv("HOME"))
	if err != nil {
		return err
	}
	conn, inside, err := dialHost(ctx, h, c.Target)
	if err != nil {
		return err
	}
	if !probeTerminal(o.stdin).isTerminal {
		return attachScript(ctx, o, conn)
	}
	lines, err := openPrompter(o)
	if err != nil {
		conn.Close()
		return err
	}
	defer lines.close()
	caught, stop := o.openSignals()
	defer stop()
	shown := &outlet{to: o.stdout}
	remote := repl.NewRemote(conn, shown, shown)
	defer remote.Close()
	lines.complete(remote.Complete, remote.Pending)
	t := &talk{
		outside: o, lines: lines, shown: shown, caught: caught, with: &fromHere{Remote: remote, workdir: o.workdir}, gone: remote.Gone(),
		mayLeave: func() bool { return true }, exited: func() error { return nil },
	}
	shown.note(inside + "; ^D leaves, and what runs there goes on")
	err = t.all(ctx)
	lines.close()
	if errors.Is(err, repl.ErrGone) {
		writeAll(o.stdout, "\n")
		return fmt.Errorf("%s: %w", c.Target, err)
	}
	return ended(o, err)
}

// attachScript evaluates standard input as one input and shows what comes of it; what goes wrong is shown on standard
// error.
func attachScript(ctx context.Context, o *outside, conn net.Conn) error {
	ctx, _, done := o.watchSignals(ctx, o.openSignals)
	defer done()
	source, err := io.ReadAll(o.stdin)
	if err != nil {
		conn.Close()
		return fmt.Errorf("cannot read the script from standard input: %w", err)
	}
	remote := repl.NewRemote(conn, o.stdout, o.stderr)
	defer remote.Close()
	next, failed := remote.Script(ctx, string(source))
	switch {
	case ctx.Err() != nil:
		return exitError{fail(ctx, o.stderr, context.Cause(ctx))}
	case failed:
		return exitError{exitFailure}
	case next == repl.More:
		return errors.New("the script on standard input ends in the middle of a statement")
	}
	return nil
}

// fromHere is a conversation in which files are those of this process.
type fromHere struct {
	*repl.Remote
	workdir string
}

func (f *fromHere) Line(ctx context.Context, line string) repl.Next {
	if path, ok := strings.CutPrefix(strings.TrimSpace(line), ":load "); ok && f.Pending() == "" {
		if path = strings.TrimSpace(path); path != "" && !filepath.IsAbs(path) {
			line = ":load " + filepath.Join(f.workdir, path)
		}
	}
	return f.Remote.Line(ctx, line)
}

// dialHost connects to the process that runs a formation's recipe, or to a session's own, and says which it is.
func dialHost(ctx context.Context, h home.Home, address string) (conn net.Conn, inside string, err error) {
	candidates, err := hostsOf(h, address)
	if err != nil {
		return nil, "", err
	}
	conn, inside, err = dialOne(ctx, h, candidates)
	if errors.Is(err, attach.ErrNobody) {
		return nil, "", &hintedError{
			fmt.Errorf("cannot attach to %s: %w", address, err),
			"only recipes and capsules that murlua runs can be attached to, and those that say `attach = false` refuse",
		}
	}
	return conn, inside, err
}

// hostsOf returns the processes to try: for a session its own, and then its formation's.
func hostsOf(h home.Home, address string) ([]host, error) {
	target, err := running.FindTarget(h, address)
	if err != nil {
		return nil, findHint(err)
	}
	if target.Formation != "" {
		return launchersOf(h, target.Formation)
	}
	record := target.Session
	own := host{Identity: record.Identity(), inside: fmt.Sprintf("inside capsule %s (%s)", record.CapsuleName, record.SessionID)}
	launcher, ok := record.Launcher()
	if !ok {
		return []host{own}, nil
	}
	own.inside += "; its recipe: murlua attach " + string(record.FormationID)
	return []host{own, launcherOf(record.FormationID, launcher)}, nil
}
