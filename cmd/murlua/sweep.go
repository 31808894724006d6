package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"murlua/engine"
	"murlua/lifecycle/sweep"
)

//go:embed sweep.lua
var sweepScript string

type sweepCommand struct {
	DryRun  bool     `help:"Do nothing, and say what would be done."`
	JSON    bool     `name:"json" help:"One JSON object instead of the table."`
	Verbose bool     `help:"A line for each item that is kept, instead of a summary."`
	Over    []string `help:"The kinds to look at."`
	Grace   *float64 `help:"Seconds that a process which is stopped has before it is killed."`
	Policy  string   `arg:"" optional:"" help:"A script that returns the policy."`
}

func (c *sweepCommand) run(ctx context.Context, o *outside) error {
	if err := c.check(); err != nil {
		return &usageError{"sweep", err}
	}
	folder := o.workdir
	if c.Policy != "" {
		policy, err := filepath.Abs(c.Policy)
		if err != nil {
			return fmt.Errorf("cannot find policy %q: %w", c.Policy, err)
		}
		folder = filepath.Dir(policy)
	}
	world := o.world(folder)
	options := o.hostOptions(world, "murlua sweep", c.arguments())
	options.Strict, options.Folders = true, []string{folder}
	if c.JSON { // standard output is for the object alone, whatever the policy prints
		world.Stdout, options.Stdout = o.stderr, o.stderr
	}
	var found, touched atomic.Bool
	world.OnSweep = func(acts bool) {
		if acts {
			touched.Store(true)
		} else {
			found.Store(true)
		}
	}
	host, err := engine.New(options)
	if err != nil {
		return err
	}
	values, err := host.Run(ctx, "mur.sweep", sweepScript) // like a module: its own lines are no places in errors
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	err = errors.Join(err, host.Close(closing))
	if status, exited := host.ExitStatus(); exited {
		return exitError{status}
	}
	if err != nil {
		if found.Load() && !touched.Load() && !c.DryRun {
			// Whoever's policy failed halfway wants to know at once that it did no harm.
			writeAll(o.stderr, "murlua: the sweep ended before anything was done\n")
		}
		return err
	}
	if c.JSON {
		if _, err := io.WriteString(o.stdout, values[1].String()+"\n"); err != nil {
			return fmt.Errorf("cannot print what was done: %w", err)
		}
	}
	if values[0].String() != "0" {
		return exitError{exitFailure}
	}
	return nil
}

// check refuses what the parser lets through. No kinds at all may be a variable that is not set, and would mean all kinds.
func (c *sweepCommand) check() error {
	if c.Over != nil && len(c.Over) == 0 {
		return errors.New("--over: no kind given")
	}
	for _, kind := range c.Over {
		if !slices.Contains(sweep.Kinds, sweep.Kind(kind)) {
			return fmt.Errorf("--over: there is no kind %q, only %s", kind, words(sweep.Kinds))
		}
	}
	if c.Grace != nil && !(*c.Grace >= 0 && *c.Grace <= math.MaxFloat64) {
		return errors.New("--grace: it is a number of seconds, zero or more")
	}
	return nil
}

// arguments are those of the script.
func (c *sweepCommand) arguments() []string {
	flag := func(set bool) string {
		if set {
			return "yes"
		}
		return ""
	}
	grace := ""
	if c.Grace != nil {
		grace = strconv.FormatFloat(*c.Grace, 'g', -1, 64)
	}
	return []string{c.Policy, flag(c.DryRun), flag(c.JSON), flag(c.Verbose), strings.Join(c.Over, ","), grace}
}

func words(kinds []sweep.Kind) string {
	var names []string
	for _, kind := range kinds {
		names = append(names, string(kind))
	}
	return strings.Join(names, ", ")
}
