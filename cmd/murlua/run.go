package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"murlua/bindings"
	"murlua/engine"
	"murlua/lifecycle/formation"
	"murlua/stdlib"
)

type runCommand struct {
	capsuleFlags `embed:""`

	JSON    bool `name:"json" help:"With --capsule: print the readiness line. With a recipe: progress as JSON lines."`
	Verbose bool `help:"Say more on standard error."`

	LogLevel string `enum:"debug,info,warn,error,off" default:"info" help:"The least that mur.log writes."`
	LogJSON  bool   `name:"log-json" help:"mur.log writes an object a line."`

	Recipe string   `arg:"" optional:"" help:"The recipe."`
	Args   []string `arg:"" optional:"" passthrough:"all" help:"The recipe's arguments."`
}

func (c *runCommand) run(ctx context.Context, o *outside) error {
	switch {
	case c.Capsule != "" && c.Recipe != "":
		return &usageError{"run", errors.New("a recipe and --capsule do not go together")}
	case c.Capsule != "":
		return c.runCapsule(ctx, o)
	case c.Recipe == "":
		return &usageError{"run", errors.New("no recipe given")}
	}
	return c.runRecipe(ctx, o)
}

func (c *runCommand) runRecipe(ctx context.Context, o *outside) error {
	script, err := filepath.Abs(c.Recipe)
	if err != nil {
		return fmt.Errorf("cannot find recipe %q: %w", c.Recipe, err)
	}
	term := o.terminalOf(o.stderr)
	shown := newProgress(o.stderr, term, o.colours(term))
	defer shown.close()
	world := o.world(filepath.Dir(script))
	world.Relay, world.OnEvent = shown, shown.event
	if c.JSON {
		world.OnEvent = jsonEvents(o.stderr)
	}
	world.Log = bindings.LogOptions{Out: shown, Level: c.LogLevel, JSON: c.LogJSON}
	defer context.AfterFunc(o.hurried, world.Hurry)()
	options := o.hostOptions(world, c.Recipe, c.Args)
	options.Stderr, options.Folders = shown, []string{filepath.Dir(script)}
	code, err := world.RunRecipe(ctx, options, c.Recipe)
	if err != nil {
		return err
	}
	return exitError{code}
}

func jsonEvents(out io.Writer) func(formation.Event) {
	return func(e formation.Event) {
		if line, err := json.Marshal(bindings.EventFields(e)); err == nil {
			writeAll(out, string(line)+"\n")
		}
	}
}

// world is what the modules of a script may touch; folder is the script's.
func (o *outside) world(folder string) *bindings.World {
	return &bindings.World{
		Environ: o.environ, Workdir: o.workdir, Executable: o.executable, MurBinary: o.murBinary(), Folder: folder,
		Stdout: o.stdout, Stderr: o.stderr,
		Warn: func(text string) { writeAll(o.stderr, "murlua: warning: "+text+"\n") },
	}
}

func (o *outside) hostOptions(world *bindings.World, script string, args []string) engine.Options {
	return engine.Options{
		Modules: world.Modules(), Stdlib: engine.NewLibrary(stdlib.Files), Script: script, Args: args,
		Stdin: o.stdin, Stdout: o.stdout, Stderr: o.stderr, Warn: world.Warn,
		Getenv: func(name string) (string, bool) {
			value := o.getenv(name)
			return value, value != ""
		},
	}
}
