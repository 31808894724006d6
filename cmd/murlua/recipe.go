package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"murlua/bindings"
	"murlua/lifecycle/formation"
	"murlua/lifecycle/roster"
	"murlua/lifecycle/timeline"
)

// recipeFlags are those that only a recipe takes.
type recipeFlags struct {
	Sandbox  bool     `help:"Run a recipe of unknown origin: it computes, and reaches nothing outside."`
	NoStrict bool     `name:"no-strict" help:"Reading a global that nothing assigned gives nil."`
	Plan     bool     `help:"Print what would be launched, and launch nothing."`
	Only     []string `help:"Launch only these members and what they need." placeholder:"NAME,..."`
	Except   []string `help:"Leave these members out." placeholder:"NAME,..."`
	Events   string   `help:"Write the events to this file, one JSON object a line; - is standard output." placeholder:"FILE"`
	Timeline string   `help:"Draw the members' lives into this SVG file." placeholder:"FILE"`
}

func (c *runCommand) runRecipe(ctx context.Context, o *outside) (err error) {
	script, err := filepath.Abs(c.recipe())
	if err != nil {
		return fmt.Errorf("cannot find recipe %q: %w", c.recipe(), err)
	}
	term := o.terminalOf(o.stderr)
	shown := newProgress(o.stderr, term, o.colours(term))
	defer shown.close()
	world := o.world(filepath.Dir(script))
	world.Only, world.Except = c.Only, c.Except
	world.Script, world.Prompt = script, o.promptOf()
	world.Warn = func(text string) { shown.note("murlua: warning: " + text) }
	if c.Plan {
		world.ShowPlan = func(plan bindings.PlanView) { c.showPlan(o, plan) }
	}
	events, finish, err := c.eventSinks(o, shown)
	if err != nil {
		return err
	}
	defer func() {
		if failed := finish(); err == nil || isExit(err) && failed != nil {
			err = firstOf(failed, err)
		}
	}()
	saving := newLean()
	defer saving.close()
	world.Relay = shown
	world.OnEvent = func(e formation.Event) {
		events(e)
		saving.event(e)
	}
	world.Log = bindings.LogOptions{Out: shown, Level: c.LogLevel, JSON: c.LogJSON}
	defer context.AfterFunc(o.hurried, world.Hurry)()
	options := o.hostOptions(world, c.recipe(), c.arguments())
	options.Strict, options.Sandbox = !c.NoStrict, c.Sandbox
	if c.Sandbox {
		world.Prompt = nil // nobody can attach to a script of unknown origin
	}
	options.Stderr, options.Folders = shown, []string{filepath.Dir(script)}
	run := func() (int, error) { return world.RunRecipe(ctx, options, c.recipe()) }
	if isRoster(script) {
		run = func() (int, error) { return world.RunSource(ctx, options, c.recipe(), rosterRecipe) }
	}
	code, err := run()
	if err == nil {
		err = context.Cause(ctx) // a script that ends in order after a signal was still ended by it
	}
	if err != nil {
		return err
	}
	return exitError{code}
}

// rosterRecipe stands in for a recipe when a murmur project's roster is run: the first argument is the entry's task.
const rosterRecipe = `return require "mur".formation.roster(arg[0], { task = arg[1] })`

// isRoster reports whether a path names the roster of a murmur project, or a folder that has one.
func isRoster(path string) bool {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, roster.File)
		_, err := os.Stat(path)
		return err == nil
	}
	return filepath.Base(path) == roster.File
}

func isExit(err error) bool {
	_, ok := err.(exitError)
	return ok
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// eventSinks opens what the flags ask for and returns a function that hands each event to all of it, and one that
// finishes what was opened.
func (c *runCommand) eventSinks(o *outside, shown *progress) (events func(formation.Event), finish func() error, err error) {
	sinks := []func(formation.Event){shown.event}
	if c.JSON {
		sinks[0] = eventLines(o.stderr)
	}
	var finishing []func() error
	switch c.Events {
	case "":
	case "-":
		sinks = append(sinks, eventLines(o.stdout))
	default:
		file, err := os.OpenFile(c.Events, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return nil, nil, fmt.Errorf("cannot write events: %w", err)
		}
		sinks = append(sinks, eventLines(file))
		finishing = append(finishing, file.Close)
	}
	if c.Timeline != "" {
		chart := &timeline.Chart{}
		sinks = append(sinks, chart.Add)
		finishing = append(finishing, func() error {
			if err := os.WriteFile(c.Timeline, []byte(chart.SVG()), 0o666); err != nil {
				return fmt.Errorf("cannot draw the timeline: %w", err)
			}
			return nil
		})
	}
	events = func(e formation.Event) {
		for _, sink := range sinks {
			sink(e)
		}
	}
	finish = func() error {
		var failed []error
		for _, step := range finishing {
			failed = append(failed, step())
		}
		return firstOf(failed...)
	}
	return events, finish, nil
}

// eventLines writes each event as a line. Formations that run at the same time may share it.
func eventLines(out io.Writer) func(formation.Event) {
	var mu sync.Mutex
	return func(e formation.Event) {
		line, err := json.Marshal(bindings.EventFields(e))
		if err != nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		writeAll(out, string(line)+"\n")
	}
}
