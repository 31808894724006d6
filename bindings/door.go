package bindings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine"
	"murlua/lifecycle/credential"
	"murlua/lifecycle/door"
	"murlua/lifecycle/id"
	"murlua/lifecycle/running"
)

func (w *World) doorModule() engine.Module {
	return engine.Module{
		Name: "door",
		Doc:  "talk to the doors of capsules and other A2A agents",
		Functions: map[string]engine.Function{
			"probe":  w.doorProbe,
			"card":   w.doorCard,
			"send":   w.doorSend,
			"task":   w.doorTask,
			"cancel": w.doorCancel,
			"stream": w.doorStream,
			"watch":  w.doorWatch,
			"stop":   w.doorStop,
			"token":  w.doorToken,
		},
	}
}

const defaultDoorTimeout = 30 * time.Second

// errDoorTimeout is the cause of a call's context at its time limit.
var errDoorTimeout = errors.New("the time is up")

// tokenType is a door's token: scripts can pass it on, and read it only by asking.
var tokenType = &engine.Type{
	Name: "door token", Class: "mur.DoorToken",
	Methods: map[string]engine.Function{"reveal": func(c *engine.Call) error { return c.Return(c.Self().(credential.Secret).Reveal()) }},
	String:  func(any) string { return "door token [redacted]" },
	Equal:   func(a, b any) bool { return a.(credential.Secret).Equal(b.(credential.Secret)) },
}

// doorCall is what a script asks of a door, its arguments read and checked.
type doorCall struct {
	w       *World
	target  string     // as messages name it
	session id.Session // whose record to read, and
	address string     // by which to find it otherwise; both "" when the target says where the door is
	client  *door.Client
	timeout time.Duration // 0 is none
}

// readDoor reads the door in argument 1 and the common options in argument n. otherwise is the time limit if none is given.
func (w *World) readDoor(c *engine.Call, o *engine.OptionTable, otherwise time.Duration) *doorCall {
	d := &doorCall{w: w, client: &door.Client{}, timeout: o.Duration("timeout", otherwise)}
	switch v := c.Get(1).(type) {
	case lua.LString:
		d.target = string(v)
	case *lua.LTable:
		d.target = lua.LVAsString(v.RawGetString("session_id"))
		if d.target == "" {
			c.BadArgument(1, "a record has a session_id")
		}
	default:
		c.BadArgument(1, "expected the address of a door, a session id or a record, got %s", v.Type())
	}
	_, isRecord := c.Get(1).(*lua.LTable)
	switch session, err := id.ParseSession(d.target); {
	case err == nil:
		d.session = session
	case isRecord:
		c.BadArgument(1, "the session_id of the record: %v", err)
	case !strings.Contains(d.target, ":"):
		d.address = d.target
	}
	d.client.URL = d.target
	if value := o.Get("token"); value != lua.LNil {
		if token, ok := engine.Unbox(value, tokenType); ok {
			d.client.Token = token.(credential.Secret)
		} else {
			d.client.Token = credential.NewSecret(o.String("token", ""))
		}
	}
	return d
}

// locate finds the door of a session, and its operator's token unless the script gave one. The record is read anew, so that a
// script cannot make one up.
func (d *doorCall) locate(ctx context.Context) error {
	if d.session == "" && d.address == "" {
		return d.locateMember(ctx)
	}
	record, err := d.record()
	if err != nil {
		return err
	}
	if record.URL == "" {
		return &engine.Error{
			Kind: "no_door", Message: fmt.Sprintf("session %s has no door", record.SessionID),
			Hint: "it is a command or a script, see mur.running.list",
		}
	}
	d.client.URL = record.URL
	if d.client.Token.IsZero() {
		d.client.Token = record.DoorToken
	}
	return nil
}

// locateMember finds the door of a member that is named by its address in the formation.
func (d *doorCall) locateMember(ctx context.Context) error {
	host := strings.TrimSuffix(strings.TrimPrefix(d.client.URL, "http://"), "/")
	name, virtual := virtualMember(host)
	if !virtual {
		return nil
	}
	to, err := d.w.callee(ctx, host, name)
	if err != nil {
		return err
	}
	d.client.URL, d.client.Token, d.client.Peer = to.URL, to.Token, true
	return nil
}

// record reads the record of the session.
func (d *doorCall) record() (running.Record, error) {
	h, err := d.w.home()
	if err != nil {
		return running.Record{}, err
	}
	var record running.Record
	if d.session != "" {
		record, err = running.Read(running.Location(h, d.session))
	} else {
		record, err = running.Find(h, d.address)
	}
	problem, unknown := errors.AsType[*running.AddressError](err)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return record, &engine.Error{Kind: "no_session", Message: fmt.Sprintf("session %s is not running", d.session), Cause: err}
	case unknown:
		return record, &engine.Error{Kind: "no_session", Message: err.Error(), Cause: err, Fields: map[string]any{"sessions": append([]string{}, problem.Sessions...)}}
	}
	return record, err
}

// do makes one call, without the lock, within the time limit.
func (d *doorCall) do(c *engine.Call, call func(ctx context.Context) error) error {
	err := c.Block(func(ctx context.Context) error {
		if d.timeout > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeoutCause(ctx, d.timeout, errDoorTimeout)
			defer cancel()
		}
		err := d.locate(ctx)
		if err == nil {
			err = call(ctx)
		}
		if err != nil && context.Cause(ctx) == errDoorTimeout {
			return errDoorTimeout
		}
		return err
	})
	if errors.Is(err, errDoorTimeout) {
		return timeoutError("no answer from the door of %s within %v", d.target, d.timeout)
	}
	return err
}

func (w *World) doorProbe(c *engine.Call) error {
	o := c.Options(2)
	d := w.readDoor(c, o, defaultDoorTimeout)
	o.Done(false)
	var sight door.Sight
	err := d.do(c, func(ctx context.Context) (err error) {
		sight, err = door.Look(ctx, d.client.URL, d.client.Token)
		return err
	})
	switch {
	case err != nil && c.Context().Err() != nil:
		return err
	case err != nil:
		return c.Return(nil, toScript(err))
	case sight.Note != "":
		return c.Return(sight.Session, sight.Note)
	}
	return c.Return(sight.Session)
}

func (w *World) doorCard(c *engine.Call) error {
	o := c.Options(2)
	d := w.readDoor(c, o, defaultDoorTimeout)
	o.Done(false)
	var card door.Card
	err := d.do(c, func(ctx context.Context) (err error) {
		card, err = d.client.Card(ctx)
		return err
	})
	if err != nil {
		return toScript(err)
	}
	var all any
	_ = json.Unmarshal(card.Raw, &all)
	fields := map[string]any{
		"name": card.Name, "version": card.Version, "description": card.Description, "protocol": card.Protocol,
		"authenticated": card.Authenticated, "streaming": card.Streaming, "methods": append([]string{}, card.Methods...), "card": all,
	}
	if card.Session != "" {
		fields["session_id"] = card.Session
	}
	return c.Return(fields)
}

// readMessage reads the message in argument 2: text, or a value that is sent as JSON data.
func readMessage(c *engine.Call, o *engine.OptionTable) door.Message {
	message := door.Message{Context: o.String("context", "")}
	if text, ok := c.Get(2).(lua.LString); ok {
		message.Text = string(text)
		return message
	}
	data, err := encodeJSON(c.Get(2), "")
	if err != nil || c.Get(2) == lua.LNil {
		c.BadArgument(2, "expected a message: a string, or a value that JSON can hold")
	}
	message.Parts = []door.Part{{Data: json.RawMessage(data)}}
	return message
}

func (w *World) doorSend(c *engine.Call) error {
	o := c.Options(3)
	wait := o.Bool("wait", true)
	limit := defaultDoorTimeout
	if wait {
		limit = 0
	}
	message := readMessage(c, o)
	d := w.readDoor(c, o, limit)
	o.Done(false)
	return d.returnTask(c, func(ctx context.Context) (door.Task, error) {
		if wait {
			return d.client.Send(ctx, message)
		}
		return d.client.Submit(ctx, message)
	})
}

func (d *doorCall) returnTask(c *engine.Call, call func(ctx context.Context) (door.Task, error)) error {
	var task door.Task
	err := d.do(c, func(ctx context.Context) (err error) {
		task, err = call(ctx)
		return err
	})
	if err != nil {
		return toScript(err)
	}
	return c.Return(taskFields(task))
}

func (w *World) doorTask(c *engine.Call) error {
	name, o := c.String(2), c.Options(3)
	d := w.readDoor(c, o, defaultDoorTimeout)
	o.Done(false)
	return d.returnTask(c, func(ctx context.Context) (door.Task, error) { return d.client.Task(ctx, name) })
}

func (w *World) doorCancel(c *engine.Call) error {
	name, o := c.String(2), c.Options(3)
	d := w.readDoor(c, o, defaultDoorTimeout)
	o.Done(false)
	return d.returnTask(c, func(ctx context.Context) (door.Task, error) { return d.client.Cancel(ctx, name) })
}

func (w *World) doorStop(c *engine.Call) error {
	o := c.Options(2)
	d := w.readDoor(c, o, defaultDoorTimeout)
	o.Done(false)
	var stopped door.Stopped
	err := d.do(c, func(ctx context.Context) (err error) {
		stopped, err = d.client.StopSession(ctx)
		return err
	})
	if err != nil {
		return toScript(err)
	}
	residue := make([]any, len(stopped.Residue))
	for i, item := range stopped.Residue {
		_ = json.Unmarshal(item, &residue[i])
	}
	return c.Return(map[string]any{"canceled": append([]string{}, stopped.Canceled...), "residue": residue})
}

// doorToken returns a token of a session by the name of its credential.
func (w *World) doorToken(c *engine.Call) error {
	d := w.readDoor(c, c.Options(3), 0)
	name := c.OptString(2, credential.Operator)
	if d.session == "" && d.address == "" {
		c.BadArgument(1, "expected a session or a record")
	}
	var record running.Record
	err := c.Block(func(context.Context) (err error) {
		record, err = d.record()
		return err
	})
	if err != nil {
		return err
	}
	token := record.Credentials[name]
	if name == credential.Operator {
		token = record.DoorToken
	}
	if token.IsZero() {
		message := fmt.Sprintf("session %s has no credential %q", record.SessionID, name)
		if record.DoorToken.IsZero() {
			message = fmt.Sprintf("the door of session %s is public: it takes no token", record.SessionID)
		}
		return &engine.Error{Kind: "no_token", Message: message}
	}
	return c.Return(tokenType.Box(token))
}
