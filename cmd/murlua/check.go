package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"murlua/engine"
	"murlua/engine/check"
	"murlua/lifecycle/formation"
	"murlua/stdlib/meta"
)

type checkCommand struct {
	JSON    bool     `name:"json" help:"One JSON array of the findings."`
	Recipes []string `arg:"" help:"The scripts."`
}

// run reports what is wrong with scripts, one line for each finding, without running them. One that cannot be read does
// not keep the others from being looked into.
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
	var unread []error
	for _, path := range c.Recipes {
		source, err := os.ReadFile(path)
		if err != nil {
			unread = append(unread, fmt.Errorf("cannot read the script: %w", err))
			continue
		}
		surface.Module = moduleIn(filepath.Dir(path))
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
	if len(unread) > 0 {
		return errors.Join(unread...)
	}
	if len(findings) > 0 {
		return exitError{exitFailure}
	}
	return nil
}

// moduleIn returns a function that finds the modules which the scripts of a folder require.
func moduleIn(folder string) func(name string) (source string, found bool) {
	return func(name string) (string, bool) {
		for _, file := range engine.ModuleFiles(name) {
			if source, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(file))); err == nil {
				return string(source), true
			}
		}
		return "", false
	}
}
