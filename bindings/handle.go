package bindings

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"syscall"
	"time"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine"
	"murlua/lifecycle/handle"
	"murlua/lifecycle/keeper"
)

func (w *World) handleModule() engine.Module {
	return engine.Module{
		Name: "handle",
		Doc:  "start long-running processes, read what they write, and end them with all they started",
		Functions: map[string]engine.Function{
			"start": w.handleStart, "list": w.handleList, "get": w.handleGet, "kill_all": w.handleKillAll,
			"store": w.handleStore, "readopt": w.handleReadopt,
		},
	}
}

var handleType = &engine.Type{
	Name: "handle", Class: "mur.Handle",
	Methods: map[string]engine.Function{
		"poll": handlePoll, "read_line": handleReadLine, "wait": handleWait, "write": handleWrite,
		"close_stdin": handleCloseStdin, "signal": handleSignal, "stop": handleStop, "kill": handleKill,
	},
	Fields: map[string]func(any) any{
		"id":          func(v any) any { return v.(*handle.Handle).ID() },
		"line":        func(v any) any { return v.(*handle.Handle).Line() },
		"state":       func(v any) any { return string(v.(*handle.Handle).State().Name) },
		"code":        func(v any) any { return v.(*handle.Handle).State().Code },
		"pids":        func(v any) any { return v.(*handle.Handle).PIDs() },
		"containment": func(v any) any { return string(v.(*handle.Handle).Class()) },
	},
	String: func(v any) string {
		h := v.(*handle.Handle)
		return fmt.Sprintf("handle %d (%s): %s", h.ID(), h.State(), h.Line())
	},
}

func (w *World) handleStart(c *engine.Call) error {
	o := c.Options(1)
	_, line, env, dir, class := w.readCommand(o)
	spec := handle.Spec{
		Command: o.Strings("command"), Line: line, Env: env, Dir: dir, Class: class,
		Cap: o.Int("cap", 0), Grace: o.Duration("grace", 0), Stdin: o.Bool("stdin", false),
		KeepLeftovers: o.Bool("keep_leftovers", false),
	}
	switch terminal := o.Get("pty").(type) {
	case lua.LBool:
		spec.Terminal = bool(terminal)
	case *lua.LTable:
		size := o.Nested("pty", terminal)
		spec.Terminal, spec.Rows, spec.Columns = true, uint16(size.Int("rows", 24)), uint16(size.Int("columns", 80))
		size.Done(false)
	case *lua.LNilType:
	default:
		o.Bad("pty", "expected true or a table with rows and columns")
	}
	o.Done(false)
	registry, err := w.handlesFor(c.Host())
	if err != nil {
		return err
	}
	var h *handle.Handle
	err = c.Block(func(ctx context.Context) (err error) {
		h, err = registry.Start(ctx, spec)
		return err
	})
	if err != nil {
		return keepingError(err)
	}
	return c.Return(handleType.Box(h))
}

func (w *World) handleList(c *engine.Call) error {
	registry, err := w.handlesFor(c.Host())
	if err != nil {
		return err
	}
	all := registry.All()
	boxed := make([]engine.Boxed, len(all))
	for i, h := range all {
		boxed[i] = handleType.Box(h)
	}
	return c.Return(boxed)
}

func (w *World) handleGet(c *engine.Call) error {
	registry, err := w.handlesFor(c.Host())
	if err != nil {
		return err
	}
	h, err := registry.Get(uint64(max(0, c.Int(1))))
	if err != nil {
		return c.Return(nil, &engine.Error{Kind: "not_found", Message: err.Error(), Cause: err})
	}
	return c.Return(handleType.Box(h))
}

func (w *World) handleKillAll(c *engine.Call) error {
	registry, err := w.handlesFor(c.Host())
	if err != nil {
		return err
	}
	n := 0
	if err := c.Block(func(context.Context) error { n = registry.KillAll(); return nil }); err != nil {
		return err
	}
	return c.Return(n)
}

// handleStore says where the script's handles are recorded, before there are any.
func (w *World) handleStore(c *engine.Call) error {
	path := w.path(c.String(1))
	w.mu.Lock()
	begun := w.kept.handles != nil
	w.mu.Unlock()
	if begun {
		return engine.Errorf(engine.KindUsage, "the store is chosen before the first handle is started or asked for")
	}
	registry, err := w.openHandles(c.Host(), path)
	if err != nil {
		return fileError("read", path, err)
	}
	orphans := 0
	for _, h := range registry.All() {
		if h.State().Name == handle.Orphaned {
			orphans++
		}
	}
	return c.Return(orphans)
}

func (w *World) handleReadopt(c *engine.Call) error {
	registry, err := w.handlesFor(c.Host())
	if err != nil {
		return err
	}
	h, err := registry.Readopt(uint64(max(0, c.Int(1))))
	if err != nil {
		return c.Return(nil, &engine.Error{Kind: kindOrphan, Message: err.Error(), Cause: err})
	}
	return c.Return(handleType.Box(h))
}

func handlePoll(c *engine.Call) error {
	text, skipped, err := c.Self().(*handle.Handle).Poll()
	if err != nil {
		return err
	}
	return c.Return(text, skipped)
}

// waitWithin runs fn without the lock, with the seconds of the option "timeout" as its limit, and reports whether it
// came to its end for that reason.
func waitWithin(c *engine.Call, fn func(ctx context.Context) error) (limit time.Duration, timedOut bool, err error) {
	o := c.Options(1)
	limit = o.Duration("timeout", -1)
	o.Done(false)
	err = c.Block(func(ctx context.Context) error {
		waiting := ctx
		if limit >= 0 {
			var cancel context.CancelFunc
			waiting, cancel = context.WithTimeout(ctx, limit)
			defer cancel()
		}
		err := fn(waiting)
		if err != nil && waiting.Err() != nil && ctx.Err() == nil {
			timedOut = true
			return nil
		}
		return err
	})
	return limit, timedOut, err
}

func handleReadLine(c *engine.Call) error {
	h := c.Self().(*handle.Handle)
	var line string
	limit, timedOut, err := waitWithin(c, func(ctx context.Context) (err error) {
		line, err = h.ReadLine(ctx)
		return err
	})
	switch {
	case timedOut:
		return c.Return(nil, timeoutError("%q wrote no line within %v", h.Line(), limit))
	case err == io.EOF:
		return c.Return(nil, &engine.Error{Kind: "closed", Message: fmt.Sprintf("%q has ended and wrote no more", h.Line()), Cause: err})
	case err != nil:
		return err
	}
	return c.Return(line)
}

func handleWait(c *engine.Call) error {
	h := c.Self().(*handle.Handle)
	var state handle.State
	limit, timedOut, err := waitWithin(c, func(ctx context.Context) (err error) {
		state, err = h.Wait(ctx)
		return err
	})
	switch {
	case timedOut:
		return c.Return(nil, timeoutError("%q has not ended within %v", h.Line(), limit))
	case err != nil:
		return err
	}
	return c.Return(handleEnding(h, state))
}

func handleEnding(h *handle.Handle, state handle.State) map[string]any {
	ending := map[string]any{"state": string(state.Name), "ok": false}
	if state.Name == handle.Exited {
		endedAs(h.Status(), ending)
	}
	return ending
}

func handleWrite(c *engine.Call) error {
	h := c.Self().(*handle.Handle)
	text := c.String(1)
	return c.Block(func(context.Context) error {
		_, err := h.Write([]byte(text))
		return err
	})
}

func handleCloseStdin(c *engine.Call) error {
	c.Self().(*handle.Handle).CloseStdin()
	return nil
}

func handleSignal(c *engine.Call) error {
	h := c.Self().(*handle.Handle)
	err := h.Signal(readSignal(c, 1))
	if errors.Is(err, keeper.ErrEnded) {
		return c.Return(nil, &engine.Error{Kind: "gone", Message: fmt.Sprintf("%q has ended", h.Line()), Cause: err})
	}
	if err != nil {
		return err
	}
	return c.Return(true)
}

func handleStop(c *engine.Call) error {
	h := c.Self().(*handle.Handle)
	o := c.Options(1)
	grace := o.Duration("grace", 0)
	if o.Has("grace") && grace == 0 {
		grace = -1
	}
	o.Done(false)
	var reports []keeper.StopReport
	err := c.Block(func(ctx context.Context) (err error) {
		reports, err = h.Stop(ctx, grace)
		return err
	})
	if err != nil {
		return &engine.Error{Kind: kindOrphan, Message: err.Error(), Cause: err}
	}
	stages := make([]map[string]any, len(reports))
	for i, r := range reports {
		stages[i] = endedAs(r.Status, map[string]any{
			"rung": string(r.Rung), "took": r.Took,
			"escaped": processList(r.Escaped), "killed": processList(r.Killed), "survivors": processList(r.Survivors),
		})
	}
	return c.Return(stages)
}

func handleKill(c *engine.Call) error {
	h := c.Self().(*handle.Handle)
	var was handle.State
	err := c.Block(func(context.Context) (err error) {
		was, err = h.Kill()
		return err
	})
	if err != nil {
		return &engine.Error{Kind: kindOrphan, Message: err.Error(), Cause: err}
	}
	return c.Return(string(was.Name))
}

// readSignal reads a signal by name ("TERM", "SIGTERM") or number.
func readSignal(c *engine.Call, n int) syscall.Signal {
	name := strings.ToUpper(c.String(n))
	if number, err := strconv.Atoi(name); err == nil && number >= 1 && number <= 64 {
		return syscall.Signal(number)
	}
	signal, ok := signalByName("SIG" + strings.TrimPrefix(name, "SIG"))
	if !ok {
		c.BadArgument(n, "%q is no signal", name)
	}
	return signal
}
