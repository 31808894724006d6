package bindings

import (
	"context"
	"errors"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine"
)

// cleanupWithin bounds the end of everything that a recipe left running. Members have a grace of their own, which is
// shorter.
const cleanupWithin = 2 * time.Minute

// RunRecipe runs a script until it ends, stops what it left running, and returns the exit code: what the script gave
// to os.exit, else the number or the ending that it returned, else that of the formation that ended last. The end of
// ctx stops the script and its formations; its cause becomes theirs, so a [formation.Interruption] gives its code.
func (w *World) RunRecipe(ctx context.Context, options engine.Options, path string) (code int, err error) {
	return w.runToItsEnd(ctx, options, path, func(h *engine.Host) ([]lua.LValue, error) { return h.RunFile(ctx, path) })
}

// RunSource is RunRecipe for a script that is not in a file.
func (w *World) RunSource(ctx context.Context, options engine.Options, name, source string) (code int, err error) {
	return w.runToItsEnd(ctx, options, name, func(h *engine.Host) ([]lua.LValue, error) { return h.Run(ctx, name, source) })
}

func (w *World) runToItsEnd(ctx context.Context, options engine.Options, name string, run func(*engine.Host) ([]lua.LValue, error)) (code int, err error) {
	host, err := engine.New(options)
	if err != nil {
		return 1, err
	}
	values, err := run(host)
	if err == nil {
		values, err = w.runPlan(ctx, host, name, values)
	}
	if w.Keeper != nil {
		w.Keeper.Drain() // whatever ends from here on, nothing is started any more
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupWithin)
	defer cancel()
	err = errors.Join(err, host.Close(closing))
	if status, exited := host.ExitStatus(); exited {
		return status & 0xff, nil
	}
	if errors.Is(err, errPlanShown) {
		return 0, nil
	}
	if failed, ok := errors.AsType[*callbackError](err); ok {
		err = failed.error // with its own place in the script, not that of the call that it interrupted
	}
	if err != nil {
		return 1, err
	}
	return w.codeOf(values), nil
}

// runPlan launches a plan that a recipe returned, as a plan or as the table that describes one, waits for its
// formation and returns the ending in its place. Other values are returned as they are.
func (w *World) runPlan(ctx context.Context, host *engine.Host, path string, values []lua.LValue) ([]lua.LValue, error) {
	if len(values) == 0 || !isPlan(values[0]) {
		return values, nil
	}
	// The script has ended: nobody else can have a use for its formation, so the stop need not wait for Lua to come back.
	defer context.AfterFunc(ctx, func() { w.stopAll(context.Cause(ctx)) })()
	chunk := path + " (the plan it returns)"
	proto, err := engine.Compile(chunk, launchPlan)
	if err != nil {
		return nil, err
	}
	var ending []lua.LValue
	err = host.Do(ctx, func(c *engine.Call) (err error) {
		ending, err = c.Call(c.L().NewFunctionFromProto(proto), values[0])
		return err
	})
	if own, ok := errors.AsType[*engine.Error](err); ok && strings.HasPrefix(own.Where, chunk) {
		placed := *own // the line is ours, not the recipe's, and so is the stack
		placed.Where, placed.Trace = path, ""
		err = &placed
	}
	return ending, err
}

const launchPlan = `return require "mur".formation.launch(...):wait()`

func isPlan(value lua.LValue) bool {
	if table, ok := value.(*lua.LTable); ok {
		return table.RawGetString("members") != lua.LNil
	}
	_, ok := engine.Unbox(value, planType)
	return ok
}

func (w *World) codeOf(values []lua.LValue) int {
	if len(values) > 0 {
		switch v := values[0].(type) {
		case lua.LNumber:
			return int(v) & 0xff
		case *lua.LTable:
			if code, ok := v.RawGetString("code").(lua.LNumber); ok {
				return int(code) & 0xff
			}
		}
	}
	code, _ := w.LastCode()
	return code & 0xff
}
