package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"murlua/lifecycle/id"
)

// The starting points; NAME stands for the name that is asked for.
//
//go:embed new/*.lua
var startingPoints embed.FS

type newCommand struct {
	Kind string `arg:"" enum:"recipe,capsule,test" help:"recipe, capsule or test."`
	Name string `arg:"" help:"Its name."`
}

func (c *newCommand) run(_ context.Context, o *outside) error {
	name := strings.TrimSuffix(c.Name, ".lua")
	if !id.ValidMember(name) {
		return &usageError{"new", fmt.Errorf("%q is not a name: a lower-case letter, then up to 31 of a-z, 0-9 and -", c.Name)}
	}
	text, err := startingPoints.ReadFile("new/" + c.Kind + ".lua")
	if err != nil {
		return err
	}
	file := name + ".lua"
	command := "murlua run " + file
	switch c.Kind {
	case "test":
		file = name + "_test.lua"
		command = "murlua test " + file
	case "capsule":
		command = fmt.Sprintf("murlua run --capsule %s --capsule-version 1.0.0 --script %s --json", name, file)
	}
	err = writeNew(filepath.Join(o.workdir, file), []byte(strings.ReplaceAll(string(text), "NAME", name)))
	if errors.Is(err, fs.ErrExist) {
		return &hintedError{fmt.Errorf("cannot write %q: it is there already", file), "choose another name, or move it away"}
	}
	if err != nil {
		return fmt.Errorf("cannot write %q: %w", file, err)
	}
	writeAll(o.stdout, fmt.Sprintf("wrote %s; try: %s\n", file, command))
	return nil
}
