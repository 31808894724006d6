package bindings

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"time"

	"murlua/engine"
	"murlua/lifecycle/handle"
)

// testModule completes mur.test with the fixtures that need processes and sockets.
func (w *World) testModule(test engine.Module) engine.Module {
	functions := maps.Clone(test.Functions)
	functions["door"] = fakeDoor
	functions["process"] = w.testProcess
	test.Functions = functions
	return test
}

// announceWithin is how long a stand-in may take to say who it is.
const announceWithin = 20 * time.Second

// testProcess starts a process that is hard to tell from another, and returns its identity.
func (w *World) testProcess(c *engine.Call) error {
	kind := c.String(1)
	program := kind
	switch kind {
	case "sleeping", "zombie", "foreign":
	case "reused":
		program = "sleeping"
	default:
		c.BadArgument(1, "sleeping, zombie, reused or foreign expected, got %q", kind)
	}
	registry, err := w.handlesFor(c.Host())
	if err != nil {
		return err
	}
	var identity struct {
		PID   int    `json:"pid"`
		Start string `json:"process_start"`
	}
	err = c.Block(func(ctx context.Context) error {
		h, err := registry.Start(ctx, handle.Spec{Command: []string{w.Executable, "stand-in", program}, Env: w.Environ, Dir: w.Workdir, Cap: 64})
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, announceWithin)
		defer cancel()
		line, err := h.ReadLine(ctx)
		if err != nil {
			return fmt.Errorf("the stand-in for a %s process did not say who it is: %w", kind, err)
		}
		if err := json.Unmarshal([]byte(line), &identity); err != nil {
			return &engine.Error{Kind: "unsupported", Message: fmt.Sprintf("there is no stand-in for a %s process here: %s", kind, line)}
		}
		return nil
	})
	if err != nil {
		return keepingError(err)
	}
	if kind == "reused" {
		// As when the number was given to another process: the same number, started a tick later.
		ticks, err := strconv.ParseUint(identity.Start, 10, 64)
		if err != nil {
			return fmt.Errorf("cannot change the start %q: %w", identity.Start, err)
		}
		identity.Start = strconv.FormatUint(ticks+1, 10)
	}
	return c.Return(map[string]any{"pid": identity.PID, "process_start": identity.Start})
}
