package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"murlua/bindings"
	"murlua/engine"
	"murlua/engine/repl"
	"murlua/lifecycle/formation"
)

const (
	prompt     = "> "
	morePrompt = ">> "
)

type replCommand struct {
	scriptWords `embed:""`
}

// leaving bounds the end of what the conversation started. Members have a grace of their own, which is shorter.
const leaving = 2 * time.Minute

func (c *replCommand) run(ctx context.Context, o *outside) error {
	if !probeTerminal(o.stdin).isTerminal {
		return c.script(ctx, o)
	}
	caught, stop := o.openSignals()
	defer stop()
	lines, err := openPrompter(o)
	if err != nil {
		return err
	}
	defer lines.close()
	shown := &outlet{to: o.stdout}
	world := o.world(c.folder(o))
	world.Script, world.Prompt = c.recipe(), o.promptOf()
	world.Relay, world.OnEvent = shown, func(e formation.Event) { shown.note("-- " + bindings.EventText(e)) }
	world.Warn = func(text string) { shown.note("warning: " + text) }
	options := o.hostOptions(world, c.recipe(), c.arguments())
	options.Stdin, options.Stdout, options.Stderr = nil, shown, shown
	options.Folders = []string{world.Folder}
	host, err := engine.New(options)
	if err != nil {
		return err
	}
	t := &talk{outside: o, lines: lines, shown: shown, caught: caught}
	t.mayLeave = func() bool { return t.mayStop(world.Formations()) }
	shown.note("murlua " + buildVersion().Version + "; `:help` lists the commands, ^D leaves")
	err = t.open(ctx, host, c.recipe())
	if err == nil {
		err = t.all(ctx)
	}
	lines.close()
	return errors.Join(t.end(host, world), ended(o, err))
}

// ended is how the command ends with an error of the conversation.
func ended(o *outside, err error) error {
	if caught, ok := errors.AsType[*formation.Interruption](err); ok {
		writeAll(o.stderr, "murlua: stopped by "+caught.Error()+"\n")
		return exitError{exitSignal + int(caught.Signal)}
	}
	return err
}

// ownSignals says that the command looks after signals itself.
func (c *replCommand) ownSignals() {}

func interruption(s os.Signal) error {
	number, _ := s.(syscall.Signal)
	return &formation.Interruption{Signal: number}
}

func (c *replCommand) folder(o *outside) string {
	if c.recipe() == "" {
		return o.workdir
	}
	return folderOf(o.workdir, c.recipe())
}

// script runs standard input as one chunk.
func (c *replCommand) script(ctx context.Context, o *outside) error {
	if c.recipe() != "" {
		return &usageError{"repl", errors.New("standard input is not a terminal: it is the script, and a recipe cannot be run too")}
	}
	ctx, hurried, done := o.watchSignals(ctx, o.openSignals)
	defer done()
	o.hurried = hurried
	source, err := io.ReadAll(o.stdin)
	if err != nil {
		return fmt.Errorf("cannot read the script from standard input: %w", err)
	}
	world := o.world(c.folder(o))
	world.Relay, world.OnEvent = o.stderr, nil
	defer context.AfterFunc(o.hurried, world.Hurry)()
	options := o.hostOptions(world, "stdin", c.arguments())
	options.Stdin, options.Folders = nil, []string{world.Folder}
	code, err := world.RunSource(ctx, options, "stdin", withMur(string(source)))
	if err != nil {
		return exitError{fail(ctx, o.stderr, err)}
	}
	return exitError{fail(ctx, o.stderr, exitError{code})}
}

// withMur puts mur before a script, as it is at the prompt, without a line of its own.
func withMur(source string) string {
	if strings.HasPrefix(source, "#") { // a first line for the shell
		_, rest, _ := strings.Cut(source, "\n")
		source = "\n" + rest
	}
	return `local mur = require "mur"; ` + source
}

// conversation is what takes the lines: a console for a host in this process, or in another one.
type conversation interface {
	Line(ctx context.Context, line string) repl.Next
	Pending() string
	Drop() bool
}

// talk is one conversation at a terminal.
type talk struct {
	outside  *outside
	lines    prompter
	shown    *outlet
	caught   <-chan os.Signal
	with     conversation
	gone     <-chan struct{} // closed when the other side is no longer there; may be nil
	mayLeave func() bool
	exited   func() error // how it ends when the other side ended it; may return nil
}

// open opens a session with a host of this process and runs the recipe.
func (t *talk) open(ctx context.Context, host *engine.Host, recipe string) error {
	names, err := newNames(t.outside)
	if err != nil {
		return err
	}
	session, err := repl.New(ctx, repl.Options{Host: host, Functions: names.functions(t.shown), Names: names.completion()})
	if err != nil {
		return err
	}
	console := &repl.Console{Session: session, Out: t.shown, ReadFile: func(path string) (string, error) {
		text, err := os.ReadFile(pathFrom(t.outside.workdir, path))
		return string(text), err
	}}
	t.with = console
	t.exited = func() error {
		if console.Exit == nil {
			return nil
		}
		return exitError{console.Exit.Status}
	}
	t.lines.complete(session.Complete, console.Pending)
	if recipe == "" {
		return nil
	}
	next, err := t.interruptible(ctx, func(ctx context.Context) repl.Next {
		if next := console.Load(ctx, recipe); next != repl.Again {
			return next
		}
		return console.Line(ctx, launchIfPlan)
	})
	if next == repl.Leave && err == nil {
		err = t.exited()
	}
	return err
}

// launchIfPlan launches what a recipe returned, as `murlua run` does.
const launchIfPlan = `if type(_) == "table" and rawget(_, "members") or tostring(_):find("^plan of ") then
	formation = mur.formation.launch(_)
end`

// all is the conversation. It returns nil when it was left.
func (t *talk) all(ctx context.Context) error {
	next := repl.Again
	for {
		line, err := t.ask(map[repl.Next]string{repl.Again: prompt, repl.More: morePrompt}[next])
		switch {
		case errors.Is(err, errAborted):
			t.with.Drop()
			next = repl.Again
			continue
		case errors.Is(err, io.EOF):
			next = repl.Leave
		case err != nil:
			return err
		default:
			input := t.with.Pending() + line
			next, err = t.interruptible(ctx, func(ctx context.Context) repl.Next { return t.with.Line(ctx, line) })
			if next != repl.More {
				t.lines.remember(input)
			}
			if err != nil {
				return err
			}
		}
		if next != repl.Leave {
			continue
		}
		if err := t.exited(); err != nil {
			return err
		}
		if t.mayLeave() {
			return nil
		}
		next = repl.Again
	}
}

// ask shows the prompt and waits for a line or a signal that ends the conversation. What is printed meanwhile waits.
func (t *talk) ask(text string) (string, error) {
	t.shown.prompting(true)
	defer t.shown.prompting(false)
	answers := t.lines.prompt(text)
	for {
		select {
		case a := <-answers:
			return a.line, a.err
		case <-t.gone:
			return "", repl.ErrGone
		case s := <-t.caught:
			if s != os.Interrupt {
				return "", interruption(s)
			}
			// A prompt that leaves ^C to the kernel: what was typed is void, and the prompt is still open.
			t.with.Drop()
			writeAll(t.outside.stdout, "\n"+prompt)
		}
	}
}

// interruptible evaluates; ^C stops the evaluation. A signal that ends the conversation is returned.
func (t *talk) interruptible(ctx context.Context, evaluate func(context.Context) repl.Next) (repl.Next, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	finished := make(chan repl.Next, 1)
	go func() { finished <- evaluate(ctx) }() // ends soon after ctx
	var ended error
	for {
		select {
		case next := <-finished:
			return next, ended
		case s := <-t.caught:
			if s != os.Interrupt && ended == nil {
				ended = interruption(s)
			}
			cancel(errInterrupted)
		}
	}
}

var errInterrupted = errors.New("interrupted")

// mayStop asks before formations are stopped.
func (t *talk) mayStop(running []string) bool {
	if len(running) == 0 {
		return true
	}
	line, err := t.ask(fmt.Sprintf("leave and stop %s? [y/N] ", strings.Join(running, ", ")))
	if err != nil && !errors.Is(err, errAborted) {
		return true // nobody is there any more
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes"
}

// end stops what the conversation started, however it ended. Another signal means no more patience.
func (t *talk) end(host *engine.Host, world *bindings.World) error {
	ctx, cancel := context.WithTimeout(context.Background(), leaving)
	defer cancel()
	closed := make(chan error, 1)
	go func() { closed <- host.Close(ctx) }()
	for {
		select {
		case err := <-closed:
			return err
		case <-t.caught:
			world.Hurry()
		}
	}
}

// historyFile is where the lines of earlier conversations are kept.
func historyFile(o *outside) string {
	state := o.getenv("XDG_STATE_HOME")
	if state == "" || !filepath.IsAbs(state) {
		home := o.getenv("HOME")
		if !filepath.IsAbs(home) {
			return ""
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "murlua", "history")
}
