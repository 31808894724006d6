package bindings

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	lua "github.com/yuin/gopher-lua"

	"murlua/bindings/dotenv"
	"murlua/engine"
	"murlua/lifecycle/formation"
	"murlua/platform/contain"
)

// readSupervision reads what happens to a member once it runs.
func (w *World) readSupervision(c *engine.Call, o *engine.OptionTable, m *formation.Member) {
	m.Unset = o.Strings("unset")
	m.StopSignal = readStopSignal(o)
	class, err := contain.ParseClass(o.String("containment", ""))
	if err != nil {
		o.Bad("containment", "%v", err)
	}
	m.Containment = class
	if ports := o.Table("ports"); ports != nil {
		ports.ForEach(func(_, value lua.LValue) {
			number, ok := value.(lua.LNumber)
			if !ok || number < 1 || number > 65535 || number != lua.LNumber(int(number)) {
				o.Bad("ports", "%s is not a port", value)
			}
			m.Ports = append(m.Ports, int(number))
		})
	}
	if path := o.String("env_file", ""); path != "" {
		w.readEnvFile(o, path, m)
	}
	m.OnExit = readOnExit(c, o)
	if table := o.Table("health"); table != nil {
		m.Health = w.readHealth(c, o.Nested("health", table))
	}
}

// readStopSignal reads a signal by name, with or without SIG.
func readStopSignal(o *engine.OptionTable) syscall.Signal {
	const key = "stop_signal"
	name := o.String(key, "")
	if name == "" {
		return 0
	}
	signal, ok := signalByName("SIG" + strings.TrimPrefix(strings.ToUpper(name), "SIG"))
	if !ok {
		o.Bad(key, "%q is not the name of a signal that can be sent to end a process", name)
	}
	return signal
}

// readEnvFile adds the file's variables to those of the member, which win.
func (w *World) readEnvFile(o *engine.OptionTable, path string, m *formation.Member) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.Folder, path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		o.Bad("env_file", "%v", err)
	}
	variables, err := dotenv.Parse(string(text), w.getenv)
	if err != nil {
		o.Bad("env_file", "%s: %v", path, err)
	}
	env := map[string]string{}
	for _, v := range variables {
		env[v.Name] = v.Value
	}
	for name, value := range m.Env {
		env[name] = value
	}
	m.Env = env
}

// The words for what to do about a member.
var actions = map[string]formation.ActionKind{
	"ignore": formation.Ignore, "stop": formation.StopFormation, "restart": formation.Restart,
}

// How fast a member is started again unless the recipe says otherwise.
const (
	restartFirst = 500 * time.Millisecond
	restartMost  = 30 * time.Second
)

// readOnExit reads on_exit: a word, a table with more about a restart, or a function that decides each time.
func readOnExit(c *engine.Call, o *engine.OptionTable) func(context.Context, formation.Exit) formation.Action {
	switch v := o.Get("on_exit").(type) {
	case *lua.LNilType:
		return nil
	case lua.LString:
		kind, ok := actions[string(v)]
		if !ok {
			o.Bad("on_exit", "%q is none of \"stop\", \"restart\" and \"ignore\"", string(v))
		}
		if kind == formation.Restart {
			return formation.Backoff(restartFirst, restartMost)
		}
		return func(context.Context, formation.Exit) formation.Action { return formation.Action{Kind: kind} }
	case *lua.LTable:
		r := o.Nested("on_exit", v)
		backoff := formation.Backoff(r.Duration("restart_after", restartFirst), r.Duration("up_to", restartMost))
		most := r.Int("at_most", 0)
		failures := r.Bool("on_failure", false)
		r.Done(false)
		return func(ctx context.Context, exit formation.Exit) formation.Action {
			switch {
			case failures && exit.Status.ExitCode() == 0:
				return formation.Action{Kind: formation.StopFormation}
			case most > 0 && exit.Restarts >= most:
				return formation.Action{Kind: formation.StopFormation, Why: gaveUp(exit.Restarts)}
			}
			return backoff(ctx, exit)
		}
	case *lua.LFunction:
		return decide(c, v)
	default:
		o.Bad("on_exit", "a %s is neither a word, a table nor a function", v.Type())
	}
	return nil
}

func gaveUp(restarts int) string {
	if restarts == 1 {
		return "gave up after 1 restart"
	}
	return fmt.Sprintf("gave up after %d restarts", restarts)
}

// decide asks a script's function. One that fails ends the formation, and its script with it.
func decide(c *engine.Call, fn *lua.LFunction) func(context.Context, formation.Exit) formation.Action {
	host, task := c.Host(), c.Task()
	return func(ctx context.Context, exit formation.Exit) formation.Action {
		fields := map[string]any{
			"name": exit.Name, "pid": exit.PID, "status": exit.Status.String(), "code": exit.Status.ExitCode(),
			"ran": exit.Ran.Seconds(), "restarts": exit.Restarts,
		}
		if exit.Reason != nil {
			fields["reason"], fields["message"] = exit.Reason.Kind, exit.Reason.String()
		}
		action, err := askAction(ctx, host, "on_exit", fn, fields)
		if err != nil {
			if ctx.Err() == nil {
				task.Stop(&callbackError{err})
			}
			return formation.Action{Kind: formation.StopFormation}
		}
		return action
	}
}

// askAction calls the function of an option that returns what to do: a word, and for "restart" after how many seconds.
func askAction(ctx context.Context, host *engine.Host, option string, fn *lua.LFunction, argument any) (formation.Action, error) {
	task, err := host.Spawn(ctx, fn, argument)
	if err != nil {
		return formation.Action{}, err
	}
	values, err := task.Wait(context.Background())
	if err != nil {
		return formation.Action{}, err
	}
	if len(values) == 0 || !lua.LVAsBool(values[0]) { // `return exit.code == 3 and "restart"` gives false
		return formation.Action{Kind: formation.Ignore}, nil
	}
	kind, ok := actions[lua.LVAsString(values[0])]
	if !ok {
		return formation.Action{}, &engine.Error{
			Kind: engine.KindUsage, Where: placeOf(fn), Message: fmt.Sprintf("%s returned %q", option, values[0].String()),
			Hint: `return "stop", "restart" (and after how many seconds), "ignore" or nothing`,
		}
	}
	action := formation.Action{Kind: kind}
	if len(values) > 1 {
		seconds, _ := values[1].(lua.LNumber)
		action.After = time.Duration(float64(seconds) * float64(time.Second))
	}
	return action, nil
}

func (w *World) readHealth(c *engine.Call, o *engine.OptionTable) *formation.Health {
	o.Required("check")
	policy, _, err := w.readyPolicy(c, o.Get("check"))
	if err != nil {
		o.Bad("check", "%v", err)
	}
	h := &formation.Health{
		Check: policy, Every: o.Duration("every", 0), Within: o.Duration("within", 0), Failures: o.Int("failures", 0),
	}
	switch v := o.Get("on_unhealthy").(type) {
	case *lua.LNilType:
	case lua.LString:
		kind, ok := actions[string(v)]
		if !ok {
			o.Bad("on_unhealthy", "%q is none of \"stop\", \"restart\" and \"ignore\"", string(v))
		}
		h.OnUnhealthy = func(context.Context, error) formation.Action { return formation.Action{Kind: kind} }
	case *lua.LFunction:
		host, task := c.Host(), c.Task()
		h.OnUnhealthy = func(ctx context.Context, last error) formation.Action {
			action, err := askAction(ctx, host, "on_unhealthy", v, last.Error())
			if err != nil && ctx.Err() == nil {
				task.Stop(&callbackError{err})
			}
			return action
		}
	default:
		o.Bad("on_unhealthy", "a %s is neither a word nor a function", v.Type())
	}
	o.Done(false)
	return h
}

// errNoPort is why mur.port has nowhere to remember what it handed out.
var errNoPort = errors.New("cannot hand out a port")

// portModule is mur.port(): a free port that no other recipe is handed meanwhile.
func (w *World) portModule() engine.Module {
	return engine.Module{Name: "port", Doc: "hand out a free TCP port", Call: func(c *engine.Call) error {
		h, err := w.home()
		if err != nil {
			return errors.Join(errNoPort, err)
		}
		number, err := w.ports.Take(h)
		if err != nil {
			return err
		}
		c.Host().OnClose(func(context.Context) error {
			w.ports.Close() // may be called once for each
			return nil
		})
		return c.Return(number)
	}}
}
