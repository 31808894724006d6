package bindings

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"murlua/bindings/dotenv"
	"murlua/engine"
)

func (w *World) envModule() engine.Module {
	return engine.Module{
		Name: "env", Doc: "read the environment",
		Functions: map[string]engine.Function{
			"get": w.envGet, "need": w.envNeed, "all": w.envAll, "expand": w.envExpand, "load": w.envLoad,
		},
	}
}

// variables returns the environment; the last of several settings counts.
func (w *World) variables() map[string]string {
	all := make(map[string]string, len(w.Environ))
	for _, entry := range w.Environ {
		if name, value, ok := strings.Cut(entry, "="); ok {
			all[name] = value
		}
	}
	return all
}

func (w *World) envGet(c *engine.Call) error {
	value, set := w.variables()[c.String(1)]
	if !set {
		return c.Return(c.Get(2))
	}
	return c.Return(value)
}

func (w *World) envNeed(c *engine.Call) error {
	name := c.String(1)
	value := w.getenv(name)
	if value == "" {
		return &engine.Error{
			Kind: "not_set", Message: fmt.Sprintf("the environment variable %s is not set", name),
			Hint: fmt.Sprintf("start murlua with %s=…", name), Fields: map[string]any{"name": name},
		}
	}
	return c.Return(value)
}

func (w *World) envAll(c *engine.Call) error { return c.Return(w.variables()) }

func (w *World) envExpand(c *engine.Call) error {
	text := c.String(1)
	own := map[string]string{}
	if c.Has(2) {
		c.Decode(2, &own)
	}
	return c.Return(dotenv.Expand(text, func(name string) string {
		if value, ok := own[name]; ok {
			return value
		}
		return w.getenv(name)
	}, false))
}

func (w *World) envLoad(c *engine.Call) error {
	path := c.String(1)
	var text []byte
	err := c.Block(func(context.Context) (err error) {
		text, err = readFile(w.path(path), 1<<20)
		return err
	})
	if err != nil {
		return fileError("read", path, err)
	}
	variables, err := dotenv.Parse(string(text), w.getenv)
	if syntax, ok := errors.AsType[*dotenv.SyntaxError](err); ok {
		return &engine.Error{
			Kind: "bad_env_file", Message: fmt.Sprintf("cannot read %q: %v", path, syntax), Cause: err,
			Fields: map[string]any{"path": path, "line": syntax.Line},
		}
	}
	if err != nil {
		return err
	}
	values := map[string]string{}
	for _, v := range variables {
		values[v.Name] = v.Value
	}
	return c.Return(values)
}
