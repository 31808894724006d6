package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"murlua/engine/check"
	"murlua/lifecycle/formation"
	"murlua/stdlib/meta"
)

type checkCommand struct {
	JSON    bool     `name:"json" help:"One JSON array of the findings."`
	Recipes []string `arg:"" help:"The scripts."`
}

// run reports what is wrong with scripts, one line for each finding, without running them.
func (c *checkCommand) run(_ context.Context, o *outside) error {
	docs, err := meta.Load()
	if err != nil {
		return err
	}
	surface, err := check.NewSurface(docs)
	if err != nil {
		return err
	}
	surface.Circle = formation.Circle
	findings := []check.Finding{}
	for _, path := range c.Recipes {
		source, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("cannot read the script: %w", err)
		}
		findings = append(findings, check.Script(path, string(source), surface)...)
	}
	if c.JSON {
		text, err := json.MarshalIndent(findings, "", "  ")
		if err != nil {
			return err
		}
		writeAll(o.stdout, string(text)+"\n")
	} else {
		for _, f := range findings {
			writeAll(o.stdout, f.String()+"\n")
		}
	}
	if len(findings) > 0 {
		return exitError{exitFailure}
	}
	return nil
}
