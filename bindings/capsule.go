package bindings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine"
	"murlua/lifecycle/door"
	"murlua/lifecycle/member"
)

func (w *World) capsuleModule() engine.Module {
	return engine.Module{Name: "capsule", Doc: "describe a capsule written in Lua", Call: newCapsule}
}

// capsule is what a capsule's script returns.
type capsule struct {
	name, version string
	onTask        *lua.LFunction
}

var capsuleType = &engine.Type{
	Name: "capsule", Class: "mur.Capsule",
	Fields: map[string]func(any) any{
		"name":    func(v any) any { return v.(*capsule).name },
		"version": func(v any) any { return v.(*capsule).version },
	},
	String: func(v any) string { return "capsule " + v.(*capsule).name + "@" + v.(*capsule).version },
}

func newCapsule(c *engine.Call) error {
	o := c.Options(1)
	o.Required("name", "version", "on_task")
	made := &capsule{name: o.String("name", ""), version: o.String("version", ""), onTask: o.Function("on_task")}
	o.Done(false)
	return c.Return(capsuleType.Box(made))
}

// CapsuleOptions says how a capsule is run.
type CapsuleOptions struct {
	Member member.Options
	// World is that of the host's modules: members may be called by their addresses in the formation. Nil: they cannot be.
	World *World
	// Host says what its script sees. Stdout is held back until the readiness line has been written; Script, Files and
	// Folders are set to where the capsule's code is.
	Host engine.Options
	// Prompt says what those find who attach to the capsule's script. Nil: nobody can.
	Prompt Prompt
}

// closeWithin bounds the end of a capsule's script once its session has ended.
const closeWithin = 10 * time.Second

// RunCapsule runs a Lua capsule until its session ends, and returns the exit status of the process. An error has not
// been printed; the status goes with it.
func RunCapsule(ctx context.Context, o CapsuleOptions) (status int, err error) {
	held := &gate{to: o.Host.Stdout}
	if o.Member.Flags.JSON {
		held.closed = true
		o.Member.Stdout = &opener{to: o.Member.Stdout, gate: held}
	}
	o.Host.Stdout = held
	session, err := member.Start(o.Member)
	if err != nil {
		return 1, err
	}
	defer session.Close()
	code, err := o.Member.Flags.ReadCode(o.Member.Home)
	if err != nil {
		return 1, err
	}
	o.Host.Script, o.Host.Files = code.Path, code.Files
	if code.Files == nil {
		o.Host.Folders = []string{filepath.Dir(code.Path)}
	}
	if o.World != nil {
		o.World.mu.Lock()
		o.World.callees = session.Callee
		o.World.mu.Unlock()
	}
	host, err := engine.New(o.Host)
	if err != nil {
		return 1, err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeWithin)
		defer cancel()
		if closed := host.Close(closing); closed != nil {
			status, err = max(status, 1), errors.Join(err, closed)
		}
	}()
	var loaded *capsule
	err = session.Prepare(ctx, func(ctx context.Context) (err error) {
		loaded, err = load(ctx, host, code.Path, string(code.Text))
		return err
	})
	if status, exited := host.ExitStatus(); exited {
		return status, nil
	}
	if err != nil {
		return 1, err
	}
	if !code.Installed {
		session.Introduce(loaded.name, loaded.version)
	}
	if o.Prompt != nil {
		letIntoCapsule(o, host, loaded)
	}
	service := &service{host: host, session: session, capsule: loaded, stderr: o.Member.Stderr}
	status, err = session.Run(service.handle)
	if code, exited := host.ExitStatus(); exited {
		return code, err
	}
	if answer := session.Answer(); answer != "" && err == nil && !o.Member.Flags.JSON {
		// The answer to the command line's task is for whoever gave it.
		_, _ = io.WriteString(held, strings.TrimSuffix(answer, "\n")+"\n")
	}
	return status, err
}

// load runs the capsule's script and returns the capsule that it returned.
func load(ctx context.Context, host *engine.Host, path, source string) (*capsule, error) {
	values, err := host.Run(ctx, path, source)
	if err != nil {
		return nil, err
	}
	if len(values) > 0 {
		if found, ok := engine.Unbox(values[0], capsuleType); ok {
			return found.(*capsule), nil
		}
	}
	return nil, &engine.Error{
		Kind: engine.KindUsage, Message: fmt.Sprintf("%s did not return a capsule", path),
		Hint: "end it with: return mur.capsule { name = …, version = …, on_task = function(task) … end }",
	}
}

// service answers a session's tasks with a capsule's function.
type service struct {
	host    *engine.Host
	session *member.Session
	capsule *capsule
	stderr  io.Writer
}

// telling is a function by which a script tells a text to those who follow its task.
func telling(tell func(text string)) engine.Function {
	return func(c *engine.Call) error {
		text := c.String(1)
		return c.Block(func(context.Context) error {
			tell(text)
			return nil
		})
	}
}

// handle does one task.
func (s *service) handle(ctx context.Context, task member.Task) (string, error) {
	argument := map[string]any{
		"id": task.ID, "text": task.Text, "from": task.From,
		"peers": peersType.Box(s.session),
		"emit":  telling(task.Emit), "note": telling(task.Note),
	}
	if len(task.Data) > 0 {
		data := make([]any, len(task.Data))
		for i, value := range task.Data {
			_ = json.Unmarshal(value, &data[i])
		}
		argument["data"] = data
	}
	running, err := s.host.Spawn(ctx, s.capsule.onTask, argument)
	if err != nil {
		return "", err
	}
	values, err := running.Wait(ctx)
	if _, exited := errors.AsType[*engine.ExitError](err); exited {
		s.session.Stop()
		return "", err
	}
	if err != nil {
		if ctx.Err() == nil && task.ID != "" { // the command line's task is reported by how the capsule ends
			_, _ = fmt.Fprintf(s.stderr, "task %s failed: %v\n", task.ID, err)
		}
		return "", err
	}
	return answerOf(values)
}

func answerOf(values []lua.LValue) (string, error) {
	if len(values) == 0 || values[0] == lua.LNil {
		return "", nil
	}
	switch v := values[0].(type) {
	case lua.LString:
		return string(v), nil
	case lua.LNumber:
		return v.String(), nil
	}
	return "", &engine.Error{
		Kind: engine.KindUsage, Message: "on_task returned a " + values[0].Type().String() + ", not a string",
		Hint: "return mur.json.encode(value)",
	}
}

// peersType is task.peers: a field for each member that the capsule may call.
var peersType = &engine.Type{
	Name:   "peers",
	String: func(any) string { return "peers" },
	Index: func(v any, name string) any {
		session := v.(*member.Session)
		if m := session.Membership(); m != nil {
			for _, callee := range m.Callees {
				if callee == name {
					return peerType.Box(&peer{session: session, name: name})
				}
			}
		}
		return nil
	},
}

// peer is a member that the capsule may call.
type peer struct {
	session *member.Session
	name    string
}

var peerType = &engine.Type{
	Name: "peer", Class: "mur.Peer",
	Methods: map[string]engine.Function{"send": peerSend},
	Fields:  map[string]func(any) any{"name": func(v any) any { return v.(*peer).name }},
	String:  func(v any) string { return "peer " + v.(*peer).name },
}

// peerSend gives a peer a task and returns its answer.
func peerSend(c *engine.Call) error {
	p := c.Self().(*peer)
	text := c.String(1)
	var answer door.Task
	err := c.Block(func(ctx context.Context) error {
		callee, err := p.session.Callee(ctx, p.name)
		if err != nil {
			return err
		}
		client := &door.Client{URL: callee.URL, Token: callee.Token, Peer: true}
		answer, err = client.Send(ctx, door.Message{Text: text})
		return err
	})
	if err != nil {
		return fmt.Errorf("cannot send a task to %q: %w", p.name, err)
	}
	if answer.State != door.Completed {
		return &engine.Error{
			Kind: "task_failed", Message: fmt.Sprintf("the task sent to %q ended as %s: %s", p.name, answer.State, answer.Text()),
			Fields: map[string]any{"task": answer.ID, "state": string(answer.State)},
		}
	}
	return c.Return(answer.Text())
}

// gate holds back what a script prints until the readiness line has been written: nothing may stand before it.
type gate struct {
	mu     sync.Mutex
	to     io.Writer
	closed bool
	held   []byte
}

func (g *gate) Write(data []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		g.held = append(g.held, data...)
		return len(data), nil
	}
	return g.to.Write(data)
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		g.closed = false
		_, _ = g.to.Write(g.held)
		g.held = nil
	}
}

// opener opens the gate after the first write, which is the readiness line.
type opener struct {
	to   io.Writer
	gate *gate
}

func (o *opener) Write(data []byte) (int, error) {
	n, err := o.to.Write(data)
	o.gate.open()
	return n, err
}
