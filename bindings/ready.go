package bindings

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine"
	"murlua/lifecycle/formation"
)

const kindNotReady = "not_ready" // a policy's own time is up

// readyModule holds what the policies in stdlib/ready.lua need of the system; scripts see only those.
func (w *World) readyModule() engine.Module {
	return engine.Module{
		Name: "ready", Doc: "when does a member count as ready",
		Functions: map[string]engine.Function{
			"tcp": readyTCP, "unix": w.readyUnix, "door": readyDoor, "lines": readyLines, "pause": readyPause,
			"check": checkOptions, "error": newError, "where": whereOf,
		},
		Open: func(c *engine.Call, module *lua.LTable) error {
			w.readyNative = module
			return nil
		},
	}
}

// retryModule holds what stdlib/retry.lua needs.
func retryModule() engine.Module {
	return engine.Module{
		Name: "retry", Doc: "call something again until it succeeds", Safe: true,
		Functions: map[string]engine.Function{"check": checkOptions},
	}
}

// dialWithin bounds one attempt to connect: what is up answers at once, and what is not is asked again.
const dialWithin = 2 * time.Second

// whyNot turns a failed attempt into what a policy says.
func whyNot(err error) string {
	if err == nil {
		return ""
	}
	unreachable, ok := errors.AsType[*unreachableError](err)
	if !ok || len(unreachable.Attempts) == 0 {
		return err.Error()
	}
	// The reasons alone, when they are all the same: the clause names the port already.
	first := dialReason(unreachable.Attempts[0].Err)
	for _, a := range unreachable.Attempts {
		if dialReason(a.Err) != first {
			return err.Error()
		}
	}
	return first
}

func readyTCP(c *engine.Call) error {
	target := net.JoinHostPort(c.String(1), strconv.Itoa(c.Int(2)))
	return dialOnce(c, func(ctx context.Context) (net.Conn, error) { return dialer{dialWithin}.dial(ctx, target) })
}

func (w *World) readyUnix(c *engine.Call) error {
	path := w.path(c.String(1))
	return dialOnce(c, func(ctx context.Context) (net.Conn, error) { return dialer{dialWithin}.unix(ctx, path) })
}

func dialOnce(c *engine.Call, dial func(ctx context.Context) (net.Conn, error)) error {
	why := ""
	err := c.Block(func(ctx context.Context) error {
		conn, err := dial(ctx)
		if err == nil {
			return conn.Close()
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		why = whyNot(err)
		return nil
	})
	if err != nil {
		return err
	}
	return c.Return(why)
}

// memberType is what a policy gets to know about the member that it is asked about.
var memberType = &engine.Type{
	Name: "member", Class: "mur.ReadyMember",
	Fields: map[string]func(any) any{
		"name":       func(v any) any { return v.(*formation.Probe).Name },
		"pid":        func(v any) any { return v.(*formation.Probe).PID },
		"workdir":    func(v any) any { return textOrNil(v.(*formation.Probe).Workdir) },
		"url":        func(v any) any { return textOrNil(v.(*formation.Probe).URL) },
		"session_id": func(v any) any { return textOrNil(v.(*formation.Probe).Session) },
	},
	Methods: map[string]engine.Function{"output": memberOutput},
	String:  func(v any) string { return "member " + v.(*formation.Probe).Name },
}

func textOrNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func memberOutput(c *engine.Call) error {
	lines, _, _ := c.Self().(*formation.Probe).Log.Since(0)
	var text strings.Builder
	for _, line := range lines {
		text.WriteString(line.Line + "\n")
	}
	return c.Return(text.String())
}

func readyDoor(c *engine.Call) error {
	probe, ok := engine.Unbox(c.Get(1), memberType)
	if !ok {
		return c.Return("only a member of a formation has a door to ask")
	}
	why := ""
	err := c.Block(func(ctx context.Context) error {
		why = probe.(*formation.Probe).AskDoor(ctx)
		return context.Cause(ctx)
	})
	if err != nil {
		return err
	}
	return c.Return(why)
}

// readyLines is lines(member, from): what it wrote from that line on, and the number to go on with.
func readyLines(c *engine.Call) error {
	lines, next, _ := c.Object(1, memberType).(*formation.Probe).Log.Since(c.Int(2))
	texts := make([]string, len(lines))
	for i, line := range lines {
		texts[i] = line.Line
	}
	return c.Return(texts, next)
}

// shortestPause keeps a member that writes without end from keeping its policy busy.
const shortestPause = time.Millisecond

// readyPause is pause(member, seconds, seen): it waits, no longer than until the member has written more than the
// lines seen, and returns how many there are.
func readyPause(c *engine.Call) error {
	limit, seen := c.Duration(2), c.Int(3)
	var more <-chan struct{}
	log := (*formation.Log)(nil)
	if probe, ok := engine.Unbox(c.Get(1), memberType); ok {
		log = probe.(*formation.Probe).Log
	}
	err := c.Block(func(ctx context.Context) error {
		if err := wait(ctx, min(limit, shortestPause), nil); err != nil || limit <= shortestPause {
			return err
		}
		if log != nil {
			next := 0
			if _, next, more = log.Since(seen); next > seen {
				return nil
			}
		}
		return wait(ctx, limit-shortestPause, more)
	})
	if err != nil {
		return err
	}
	if log != nil {
		_, seen, _ = log.Since(seen)
	}
	return c.Return(seen)
}

// wait waits for a time, a channel or the end of the context, whichever comes first.
func wait(ctx context.Context, d time.Duration, more <-chan struct{}) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-more:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// checkOptions is check(function, table, known): it raises that a key is not known, as options read by Go do.
func checkOptions(c *engine.Call) error {
	name, table, known := c.String(1), c.Table(2), c.Strings(3)
	slices.Sort(known)
	var unknown []string
	table.ForEach(func(key, _ lua.LValue) {
		if text := lua.LVAsString(key); !slices.Contains(known, text) {
			unknown = append(unknown, text)
		}
	})
	if len(unknown) == 0 {
		return nil
	}
	slices.Sort(unknown)
	e := &engine.Error{
		Kind: engine.KindUsage, Message: fmt.Sprintf("unknown option '%s' of '%s'", unknown[0], name),
		Fields: map[string]any{"option": unknown[0]},
	}
	if near := engine.Nearest(unknown[0], known); near != "" {
		e.Hint = fmt.Sprintf("did you mean '%s'?", near)
		e.Message += "; " + e.Hint
	} else {
		e.Hint = "it takes " + strings.Join(known, ", ")
	}
	return e
}

// newError is error(kind, message): it returns an error object, raised or not as the caller likes.
func newError(c *engine.Call) error {
	return c.Return(&engine.Error{Kind: c.String(1), Message: c.String(2)})
}

// whereOf is where(function): the place at which it is written.
func whereOf(c *engine.Call) error {
	return c.Return(placeOf(c.Function(1)))
}

func placeOf(fn *lua.LFunction) string {
	if fn.IsG {
		return "(Go)"
	}
	return fmt.Sprintf("%s:%d", fn.Proto.SourceName, fn.Proto.LineDefined)
}

// readiness decides when a member is ready.
type readiness func(context.Context, *formation.Probe) error

// readyPolicy makes a member's readiness policy of what a script gave, and says in words what it waits for; nil when
// the script gave nothing.
func (w *World) readyPolicy(c *engine.Call, policy lua.LValue) (decide readiness, describe string, err error) {
	if policy == lua.LNil {
		return nil, "", nil
	}
	if _, err := c.Require("mur.ready"); err != nil {
		return nil, "", err
	}
	values, err := c.Call(w.readyNative.RawGetString("prepare"), policy)
	if err != nil {
		return nil, "", err
	}
	drive, ok := values[0].(*lua.LFunction)
	if !ok || len(values) < 2 {
		return nil, "", engine.Errorf(engine.KindInternal, "mur.ready prepared a %s", values[0].Type())
	}
	host := c.Host()
	describe = values[1].String()
	decide = func(ctx context.Context, probe *formation.Probe) error { return ask(ctx, host, drive, describe, probe) }
	return decide, describe, nil
}

// withoutPlace is an error's message without the place in the script, for an error that has one already.
func withoutPlace(err error) string {
	if own, ok := errors.AsType[*engine.Error](err); ok && own.Message != "" {
		return own.Message
	}
	return err.Error()
}

// ask runs a policy as a task until it says yes, fails or ctx ends. Its last word is the error then.
func ask(ctx context.Context, host *engine.Host, drive *lua.LFunction, describe string, probe *formation.Probe) error {
	var mu sync.Mutex
	last := "waiting until " + describe // when the time is up before the first answer
	tell := engine.Function(func(c *engine.Call) error {
		mu.Lock()
		last = c.String(1)
		mu.Unlock()
		if probe.NotYet != nil {
			probe.NotYet(c.String(1))
		}
		return nil
	})
	task, err := host.Spawn(ctx, drive, memberType.Box(probe), tell)
	if err != nil {
		return err
	}
	if _, err = task.Wait(context.Background()); err == nil {
		return nil
	}
	if ctx.Err() != nil {
		mu.Lock()
		defer mu.Unlock()
		return errors.New(last)
	}
	if own, ok := errors.AsType[*engine.Error](err); ok && own.Kind == kindNotReady {
		return errors.New(own.Message) // the place is in the library
	}
	return err
}
