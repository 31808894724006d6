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
	if startsProcesses(o.args) {
		_ = o.keep().Warm() // it comes up meanwhile; a failure is told where a process is started
		defer o.release()
	}
	parser, err := kong.New(grammar(o.args), kong.Name("murlua"), kong.NoDefaultHelp(), kong.Exit(func(int) {}))
	if err != nil {
		return fail(ctx, o.stderr, fmt.Errorf("cannot build the command line: %w", err))
	}
	if len(o.args) == 1 && o.args[0] == "--version" {
		return fail(ctx, o.stderr, versionCommand{}.run(ctx, o))
	}
	if asked, topic := asksForHelp(o.args); asked {
		return fail(ctx, o.stderr, helpCommand{Topic: topic}.run(ctx, o))
	}
	parsed, err := parser.Parse(o.args)
	if err != nil {
		if failed := o.handOverUnread(); failed != nil {
			return fail(ctx, o.stderr, failed)
		}
		return fail(ctx, o.stderr, usageOf(o.args, err))
	}
	target := parsed.Selected()
	if target == nil {
		return fail(ctx, o.stderr, &usageError{err: errors.New("no command given")})
	}
	chosen, ok := target.Target.Addr().Interface().(command)
	if !ok {
		return fail(ctx, o.stderr, fmt.Errorf("the command %q does nothing", target.Name))
	}
	if _, own := chosen.(interface{ ownSignals() }); own {
		defer o.release()
		return fail(ctx, o.stderr, chosen.run(ctx, o))
	}
	ctx, hurried, done := o.watchSignals(ctx)
	defer done()
	o.hurried = hurried
	defer o.release()
	return fail(ctx, o.stderr, chosen.run(ctx, o))
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
