package bindings

import (
	"context"
	"errors"
	"slices"
	"strings"

	"murlua/engine"
	"murlua/lifecycle/handle"
	"murlua/lifecycle/keeper"
	"murlua/platform/contain"
)

// Kinds of error objects of processes.
const (
	kindStart       = "not_started" // a program could not be started; program says which
	kindContainment = "containment" // a demanded class cannot be had; class and available say more
	kindCap         = "too_many"    // the cap on live handles is reached; live and cap say more
	kindOrphan      = "orphaned"    // a handle of an earlier process cannot be used so
)

// keeping is what a world has to keep processes with.
type keeping struct {
	keeper  *keeper.Keeper
	handles *handle.Registry
}

// keeperFor returns the keeper of the world's processes: the one it was given, or one of its own that ends with what
// the host had been given since.
func (w *World) keeperFor(host *engine.Host) *keeper.Keeper {
	if w.Keeper != nil {
		return w.Keeper
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.kept.keeper == nil {
		options := keeper.Options{Stderr: w.Stderr}
		if h, err := w.home(); err == nil {
			options.Marks = h.Marks()
		}
		k := keeper.New(options)
		w.kept.keeper = k
		host.OnClose(func(ctx context.Context) error {
			w.mu.Lock()
			w.kept.keeper = nil
			w.mu.Unlock()
			return k.Close(ctx)
		})
	}
	return w.kept.keeper
}

// handlesFor returns the registry of the script's handles, which ends with what the host had been given since.
func (w *World) handlesFor(host *engine.Host) (*handle.Registry, error) {
	return w.openHandles(host, "")
}

// openHandles is handlesFor, and makes the registry with a store if there is none yet.
func (w *World) openHandles(host *engine.Host, store string) (*handle.Registry, error) {
	k := w.keeperFor(host)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.kept.handles == nil {
		r, err := handle.New(handle.Options{Keeper: k, TempDir: w.getenv("TMPDIR"), Store: store})
		if err != nil {
			return nil, err
		}
		w.kept.handles = r
		host.OnClose(func(context.Context) error {
			w.mu.Lock()
			w.kept.handles = nil
			w.mu.Unlock()
			r.Close()
			return nil
		})
	}
	return w.kept.handles, nil
}

// readCommand reads the options that say what to start: command or line, env, cwd, containment.
func (w *World) readCommand(o *engine.OptionTable) (stages [][]string, line string, env []string, dir string, class contain.Class) {
	command := o.Strings("command")
	line = o.String("line", "")
	switch {
	case len(command) > 0 && line != "":
		o.Bad("line", "a command is given as well: one of the two")
	case len(command) > 0:
		stages = [][]string{command}
	case line != "":
		var err error
		if stages, err = handle.ParseLine(line); err != nil {
			o.Bad("line", "%v", err)
		}
	default:
		o.Required("command")
		o.Bad("command", "it is empty")
	}
	env = w.environWith(o.StringMap("env"))
	dir = w.path(o.String("cwd", ""))
	class, err := contain.ParseClass(o.String("containment", ""))
	if err != nil {
		o.Bad("containment", "%v", err)
	}
	return stages, line, env, dir, class
}

// environWith is the world's environment with some variables set.
func (w *World) environWith(set map[string]string) []string {
	env := slices.DeleteFunc(slices.Clone(w.Environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		_, replaced := set[name]
		return replaced
	})
	for name, value := range set {
		env = append(env, name+"="+value)
	}
	return env
}

// keepingError gives an error of a start or a handle its kind and fields.
func keepingError(err error) error {
	if refused, ok := errors.AsType[*contain.UnavailableError](err); ok {
		available := make([]string, len(refused.Available))
		for i, c := range refused.Available {
			available[i] = string(c)
		}
		return &engine.Error{
			Kind: kindContainment, Message: err.Error(), Hint: refused.Hint(), Cause: err,
			Fields: map[string]any{"class": string(refused.Class), "available": available},
		}
	}
	if refused, ok := errors.AsType[*handle.CapError](err); ok {
		return &engine.Error{
			Kind: kindCap, Message: err.Error(), Hint: refused.Hint(), Cause: err,
			Fields: map[string]any{"live": refused.Live, "cap": refused.Cap},
		}
	}
	if failed, ok := errors.AsType[*keeper.StartError](err); ok {
		return &engine.Error{
			Kind: kindStart, Message: err.Error(), Hint: failed.Hint(), Cause: err,
			Fields: map[string]any{"program": failed.Program},
		}
	}
	return err
}

// endedAs is how a process ended, as scripts see it: code, or the number of a signal.
func endedAs(status keeper.Status, into map[string]any) map[string]any {
	switch {
	case status.Lost:
	case status.Signal != 0:
		into["signal"] = int(status.Signal)
	default:
		into["code"] = status.Code
	}
	into["ok"] = status.Success()
	return into
}

func processList(list []contain.Process) []map[string]any {
	processes := make([]map[string]any, len(list))
	for i, p := range list {
		processes[i] = map[string]any{"pid": p.PID, "name": p.Name}
	}
	return processes
}
