package main

import (
	"context"
	_ "embed"
	"errors"
	"strconv"
	"strings"
	"time"

	"murlua/engine"
)

//go:embed sweep.lua
var sweepScript string

type sweepCommand struct {
	DryRun bool     `help:"Do nothing, and say what would be done."`
	JSON   bool     `name:"json" help:"One JSON object instead of the table."`
	Over   []string `help:"The kinds to look at."`
	Grace  *float64 `help:"Seconds that a process which is stopped has before it is killed."`
	Policy string   `arg:"" optional:"" help:"A script that returns the policy."`
}

func (c *sweepCommand) run(ctx context.Context, o *outside) error {
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
	args := []string{c.Policy, flag(c.DryRun), flag(c.JSON), strings.Join(c.Over, ","), grace}
	host, err := engine.New(o.hostOptions(o.world(o.workdir), "murlua sweep", args))
	if err != nil {
		return err
	}
	_, err = host.Run(ctx, "mur.sweep", sweepScript) // like a module: its own lines are no places in errors
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	err = errors.Join(err, host.Close(closing))
	if status, exited := host.ExitStatus(); exited {
		return exitError{status}
	}
	return err
}
