package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"murlua/stdlib/meta"
)

// Every example that help and the reference pages show is run as a script of its own, in an empty folder with an
// empty home.
func TestTheExamplesInTheHelpRun(t *testing.T) {
	docs, err := meta.Load()
	if err != nil {
		t.Fatal(err)
	}
	run := func(name, source string) {
		if source == "" {
			return
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runExample(t, source)
		})
	}
	for _, m := range docs.Modules {
		run(m.Name, m.Example)
		for _, f := range m.Functions {
			run(f.Name, f.Example)
		}
		for _, c := range m.Classes {
			run(c.Name, c.Example)
			for _, f := range c.Methods {
				run(f.Name, f.Example)
			}
		}
	}
}

func runExample(t *testing.T, source string) {
	t.Helper()
	dir := t.TempDir()
	name, command := "example.lua", "run"
	if strings.Contains(source, "mur.test") {
		name, command = "example_test.lua", "test"
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, testBinary(t), command, name)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, asCommand+"=1")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Run(); err != nil {
		if strings.Contains(out.String(), "commands cannot be started yet") {
			t.Skip("members that are commands cannot be started yet")
		}
		t.Errorf("%v\n%s\n%s", err, source, out.String())
	}
}
