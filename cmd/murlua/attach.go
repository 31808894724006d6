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
	"murlua/lifecycle/id"
	"murlua/lifecycle/running"
	"murlua/platform/process"
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
	conn, err := dialHost(ctx, h, c.Target)
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
	shown.note("attached to " + c.Target + "; ^D leaves, and what runs there goes on")
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
	ctx, _, done := o.watchSignals(ctx)
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

// dialHost connects to the process that runs a formation's recipe, or to a session's own.
func dialHost(ctx context.Context, h home.Home, target string) (net.Conn, error) {
	candidates, err := hostsOf(h, target)
	if err != nil {
		return nil, err
	}
	err = attach.ErrNobody
	for _, of := range candidates {
		var conn net.Conn
		if conn, err = attach.Dial(ctx, h, of); err == nil {
			return conn, nil
		}
		if !errors.Is(err, attach.ErrNobody) {
			return nil, err
		}
	}
	return nil, &hintedError{
		fmt.Errorf("cannot attach to %s: %w", target, err),
		"only recipes and capsules that murlua runs can be attached to, and those that say `attach = false` refuse",
	}
}

// hostsOf returns the processes to try.
func hostsOf(h home.Home, target string) ([]process.Identity, error) {
	if !strings.HasPrefix(target, "frm_") {
		record, err := running.Find(h, target)
		if err != nil {
			return nil, findHint(err)
		}
		hosts := []process.Identity{record.Identity()}
		if launcher, ok := record.Launcher(); ok {
			hosts = append(hosts, launcher)
		}
		return hosts, nil
	}
	wanted, err := id.ParseFormation(target)
	if err != nil {
		return nil, fmt.Errorf("cannot attach to formation: %w", err)
	}
	listing, err := running.Scan(h.Running())
	if err != nil {
		return nil, err
	}
	var hosts []process.Identity
	for _, r := range listing.Records {
		launcher, ok := r.Launcher()
		if r.FormationID == wanted && ok && (len(hosts) == 0 || hosts[0] != launcher) {
			hosts = append(hosts, launcher)
		}
	}
	if len(hosts) == 0 {
		return nil, &hintedError{fmt.Errorf("no running member of formation %s is known", wanted), "`murlua ps` lists what runs"}
	}
	return hosts, nil
}
