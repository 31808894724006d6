package bindings

import (
	"bytes"
	"context"
	"io"
	"log"
	"strings"
	"testing"
	"time"

	"murlua/engine"
	"murlua/stdlib"
)

// runScript runs a chunk in a host with the modules that need nothing but a world, and returns what it printed.
// "mur" is required already.
func runScript(t testing.TB, w *World, source string) (string, error) {
	t.Helper()
	return runScriptWithin(t, t.Context(), w, source)
}

func runScriptWithin(t testing.TB, ctx context.Context, w *World, source string) (string, error) {
	t.Helper()
	if w == nil {
		w = &World{Workdir: t.TempDir()}
	}
	var out bytes.Buffer
	host, err := engine.New(engine.Options{
		Stdout: &out, Script: "test.lua",
		Modules: w.Modules(), Stdlib: engine.NewLibrary(stdlib.Files),
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = host.Run(ctx, "test.lua", "local mur = require 'mur'; "+source)
	closing, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := host.Close(closing); err != nil {
		t.Errorf("close: %v", err)
	}
	return out.String(), err
}

// script is runScript for one that must succeed.
func script(t *testing.T, w *World, source string) string {
	t.Helper()
	out, err := runScript(t, w, source)
	if err != nil {
		t.Fatalf("%v, after %q", err, out)
	}
	return strings.TrimRight(out, "\n")
}

// printed compares what a script prints.
func printed(t *testing.T, w *World, source, want string) {
	t.Helper()
	if got := script(t, w, source); got != want {
		t.Errorf("%s\nprinted %q\n   want %q", source, got, want)
	}
}

var discardLog = log.New(io.Discard, "", 0)
