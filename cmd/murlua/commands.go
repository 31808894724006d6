package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
)

// commands is the whole command line. Each field's type stands in the file of the same name.
type commands struct {
	Run     runCommand     `cmd:"" help:"Run a recipe, or a Lua capsule."`
	Stop    stopCommand    `cmd:"" help:"End a session or a formation."`
	Send    sendCommand    `cmd:"" help:"Give a session a task."`
	Token   tokenCommand   `cmd:"" help:"Print a token for a door."`
	Ps      psCommand      `cmd:"" help:"List the capsules that run on this machine."`
	Repl    replCommand    `cmd:"" help:"Type Lua at a prompt."`
	Attach  attachCommand  `cmd:"" help:"Type Lua inside of a running recipe."`
	Show    showCommand    `cmd:"" help:"Show how it stands with a formation or a session."`
	Logs    logsCommand    `cmd:"" help:"Show what the members of a formation wrote."`
	Doctor  doctorCommand  `cmd:"" help:"Look at what this machine offers."`
	Test    testCommand    `cmd:"" help:"Run tests written in Lua."`
	Check   checkCommand   `cmd:"" help:"Find mistakes in scripts without running them."`
	Sweep   sweepCommand   `cmd:"" help:"End and remove what was left behind."`
	Stubs   stubsCommand   `cmd:"" help:"Write the type stubs for an editor."`
	New     newCommand     `cmd:"" help:"Write a starting point."`
	StandIn standInCommand `cmd:"" hidden:""`
	Help    helpCommand    `cmd:"" help:"Explain a command."`
	Version versionCommand `cmd:"" help:"Print the version."`
}

// grammar is the part of the command line that the arguments need: building all of it would take longer than
// everything else that happens before a recipe runs.
func grammar(args []string) any {
	if len(args) > 0 {
		all := reflect.TypeFor[commands]()
		for i := range all.NumField() {
			if field := all.Field(i); strings.ToLower(field.Name) == strings.ReplaceAll(args[0], "-", "") {
				return reflect.New(reflect.StructOf([]reflect.StructField{field})).Interface()
			}
		}
	}
	return &commands{}
}

// command is what each subcommand does. The context ends at the first signal, with a
// [formation.Interruption] as its cause, unless the command has a method ownSignals.
type command interface {
	run(ctx context.Context, o *outside) error
}

// run parses the command line, does what it says and returns the exit code.
func run(o *outside) int {
	ctx := context.Background()
	signals := o.openSignals
	if startsProcesses(o.args) {
		signals = begun(o.openSignals)
		_ = o.keep().Warm() // it comes up meanwhile; a failure is told where a process is started
	}
	defer o.release()
	chosen, err := parse(o)
	if err != nil {
		return fail(ctx, o.stderr, err)
	}
	if _, own := chosen.(interface{ ownSignals() }); own {
		return fail(ctx, o.stderr, chosen.run(ctx, o))
	}
	ctx, hurried, done := o.watchSignals(ctx, signals)
	defer done()
	o.hurried = hurried
	defer o.release() // before the signals are no longer watched
	return fail(ctx, o.stderr, chosen.run(ctx, o))
}

// parse reads the command line.
func parse(o *outside) (command, error) {
	if run, ok := plainRun(o.args); ok {
		return run, nil
	}
	parser, err := newParser(o.args)
	if err != nil {
		return nil, fmt.Errorf("cannot build the command line: %w", err)
	}
	if len(o.args) == 1 && o.args[0] == "--version" {
		return versionCommand{}, nil
	}
	if asked, topic := asksForHelp(o.args); asked {
		return helpCommand{Topic: topic}, nil
	}
	parsed, err := parser.Parse(o.args)
	if err != nil {
		if failed := o.handOverUnread(); failed != nil {
			return nil, failed
		}
		return nil, usageOf(o.args, err)
	}
	target := parsed.Selected()
	if target == nil {
		return nil, &usageError{err: errors.New("no command given")}
	}
	chosen, ok := target.Target.Addr().Interface().(command)
	if !ok {
		return nil, fmt.Errorf("the command %q does nothing", target.Name)
	}
	return chosen, nil
}

func newParser(args []string) (*kong.Kong, error) {
	return kong.New(grammar(args), kong.Name("murlua"), kong.NoDefaultHelp(), kong.Exit(func(int) {}))
}

// asksForHelp reports whether the arguments ask for help instead of something else: none at all, or --help or
// -h before anything that belongs to a recipe.
func asksForHelp(args []string) (asked bool, topic []string) {
	if len(args) == 0 {
		return true, nil
	}
	for i, arg := range args {
		switch {
		case arg == "--help" || arg == "-h":
			return true, args[:min(i, 1)]
		case arg == "--", i > 0 && !strings.HasPrefix(arg, "-"):
			return false, nil
		}
	}
	return false, nil
}

func usageOf(args []string, err error) error {
	usage := &usageError{err: err}
	for _, arg := range args {
		if _, known := pages()[arg]; known {
			usage.command = arg
			break
		}
	}
	return usage
}
