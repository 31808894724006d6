package main

import (
	"context"
	"errors"
	"strings"

	"murlua/bindings"
	"murlua/engine"
	"murlua/stdlib"
)

type runCommand struct {
	capsuleFlags `embed:""`
	recipeFlags  `embed:""`

	JSON    bool `name:"json" help:"With --capsule: print the readiness line. With --plan: print it as JSON. Else: progress as JSON lines."`
	Verbose bool `help:"Say more on standard error."`

	LogLevel string `enum:"debug,info,warn,error,off" default:"info" help:"The least that mur.log writes."`
	LogJSON  bool   `name:"log-json" help:"mur.log writes an object a line."`

	scriptWords `embed:""`
}

// scriptWords are a recipe and its arguments. They are one list to the parser, which stops reading options at the
// first of them: whatever follows the recipe's name is the recipe's own.
type scriptWords struct {
	Words []string `arg:"" optional:"" passthrough:"partial" help:"The recipe and its arguments." placeholder:"RECIPE.lua [ARG...]"`
}

// plainRun reads the command line that most runs have: a recipe and its arguments without an option before them. The
// parser gives the same (a test compares the two), but takes as long as starting a process or two.
func plainRun(args []string) (*runCommand, bool) {
	if len(args) < 2 || args[0] != "run" || args[1] == "" || strings.HasPrefix(args[1], "-") {
		return nil, false
	}
	return &runCommand{
		capsuleFlags: capsuleFlags{Bind: defaultBind}, LogLevel: defaultLogLevel, scriptWords: scriptWords{Words: args[1:]},
	}, true
}

// The defaults of options, as their tags have them.
const (
	defaultBind     = "127.0.0.1"
	defaultLogLevel = "info"
)

// recipe is the script's name as it was given, "" when there is none.
func (w scriptWords) recipe() string {
	if len(w.Words) == 0 {
		return ""
	}
	return w.Words[0]
}

// arguments are the recipe's.
func (w scriptWords) arguments() []string { return w.Words[min(1, len(w.Words)):] }

func (c *runCommand) run(ctx context.Context, o *outside) error {
	switch {
	case c.Capsule != "" && c.recipe() != "":
		return &usageError{"run", errors.New("a recipe and --capsule do not go together")}
	case c.Capsule != "":
		return c.runCapsule(ctx, o)
	case c.recipe() == "":
		return &usageError{"run", errors.New("no recipe given")}
	}
	return c.runRecipe(ctx, o)
}

// world is what the modules of a script may touch; folder is the script's.
func (o *outside) world(folder string) *bindings.World {
	return &bindings.World{
		Environ: o.environ, Workdir: o.workdir, Executable: o.executable, MurBinary: o.murBinary(), Folder: folder,
		Stdout: o.stdout, Stderr: o.stderr, Keeper: o.keep(), Log: bindings.LogOptions{Out: o.stderr},
		Warn: func(text string) { writeAll(o.stderr, "murlua: warning: "+text+"\n") },
	}
}

func (o *outside) hostOptions(world *bindings.World, script string, args []string) engine.Options {
	return engine.Options{
		Modules: world.Modules(), Stdlib: engine.NewLibrary(stdlib.Files), Script: script, Args: args,
		Stdin: o.stdin, Stdout: o.stdout, Stderr: o.stderr, Warn: world.Warn, Shell: world.Shell,
		Getenv: func(name string) (string, bool) {
			value := o.getenv(name)
			return value, value != ""
		},
	}
}
