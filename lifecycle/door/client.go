package door

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"murlua/lifecycle/credential"
)

// callTimeout bounds the calls that a door answers at once, when their context has no deadline of its own.
const callTimeout = 30 * time.Second

// Client talks to one door. Its fields are set before the first call; after that it is safe for concurrent use. Each call has a connection of
// its own, follows no redirect and uses no proxy. Replies and events are read up to 16 MiB.
//
// It speaks A2A 1.0 and, once the door does not know a method by that name, 0.3.
//
// Errors: [*UnreachableError] when no address accepts, [*RefusedError] when the caller may not do this, [*RPCError] when the door refused the
// call, others when it gave no sensible answer. None contains the token or the request.
type Client struct {
	// URL is where the door is: "host:port", with or without "http://".
	URL string
	// Token is presented with every call; the zero Secret for a public door.
	Token credential.Secret
	// Peer marks the calls as those of a member of the door's formation.
	Peer bool

	old atomic.Bool // the door knows only the names of A2A 0.3
}

// Card is what a door says about itself.
type Card struct {
	Name, Version, Description string
	// Session is "" if the card names none, as the public card of an authenticated door does not.
	Session string
	// Protocol is the version of A2A that the door puts first, such as "1.0" or "0.3".
	Protocol string
	// Methods are those that a murmur door lists, nil if it lists none.
	Methods []string
	// Authenticated says that there is an extended card for callers with a token.
	Authenticated bool
	Streaming     bool
	// Raw is the card as it was sent.
	Raw json.RawMessage
}

// Card returns the door's card: the extended one if the client has a token and the door an extended card, else the public one.
func (c *Client) Card(ctx context.Context) (Card, error) {
	ctx, cancel := within(ctx, callTimeout)
	defer cancel()
	body, err := c.getCard(ctx)
	if err != nil {
		return Card{}, err
	}
	card, err := readCard(body)
	if err != nil || c.Token.IsZero() || !card.Authenticated {
		return card, err
	}
	result, err := c.call(ctx, extendedCardMethod, oldExtendedCardMethod, func(dialect) any { return struct{}{} })
	if err != nil {
		return Card{}, err
	}
	return readCard(result)
}

func readCard(body []byte) (Card, error) {
	if !isCard(body) {
		return Card{}, errors.New("cannot read the agent card: the reply is not an agent card")
	}
	var wire struct {
		Name, Version, Description, ProtocolVersion string
		SupportedInterfaces                         []struct{ ProtocolVersion string }
		SupportsAuthenticatedExtendedCard           bool
		Capabilities                                struct {
			Streaming, ExtendedAgentCard bool
			Extensions                   []struct {
				URI    string
				Params struct{ Methods []string }
			}
		}
	}
	if err := json.Unmarshal(body, &wire); err != nil {
		return Card{}, errors.New("cannot read the agent card: a field has the wrong type")
	}
	card := Card{
		Name: wire.Name, Version: wire.Version, Description: wire.Description, Protocol: wire.ProtocolVersion, Raw: body,
		Authenticated: wire.Capabilities.ExtendedAgentCard || wire.SupportsAuthenticatedExtendedCard, Streaming: wire.Capabilities.Streaming,
	}
	if len(wire.SupportedInterfaces) > 0 && wire.SupportedInterfaces[0].ProtocolVersion != "" {
		card.Protocol = wire.SupportedInterfaces[0].ProtocolVersion
	}
	for _, extension := range wire.Capabilities.Extensions {
		if extension.URI == doorExtension {
			card.Methods = extension.Params.Methods
		}
	}
	if session := sessionOf(body); presentable(session) {
		card.Session = session
	}
	return card, nil
}

// Send sends a message and waits for the end of the task that it starts: however long that takes, until ctx ends. The task goes on
// at the door when ctx ends first. A door may answer before the end, then the state says so.
func (c *Client) Send(ctx context.Context, m Message) (Task, error) {
	return c.send(ctx, m, false)
}

// Submit sends a message and returns the task as soon as the door has taken it.
func (c *Client) Submit(ctx context.Context, m Message) (Task, error) {
	ctx, cancel := within(ctx, callTimeout)
	defer cancel()
	return c.send(ctx, m, true)
}

func (c *Client) send(ctx context.Context, m Message, immediately bool) (Task, error) {
	result, err := c.call(ctx, "SendMessage", "message/send", func(d dialect) any { return messageParams(d, m, immediately) })
	if err != nil {
		return Task{}, err
	}
	event, err := readEvent(result)
	if err != nil {
		return Task{}, fmt.Errorf("cannot read the reply of door %s: %w", quoted(c.URL), err)
	}
	return event.Task, nil
}

// messageParams builds the parameters that send a message.
func messageParams(d dialect, m Message, immediately bool) any {
	parts := m.Parts
	if len(parts) == 0 {
		parts = []Part{{Text: m.Text}}
	}
	id := m.ID
	if id == "" {
		id = mint("msg_")
	}
	configuration := map[string]any{"returnImmediately": immediately}
	if d == v03 {
		configuration = map[string]any{"blocking": !immediately}
	}
	return map[string]any{
		"message": wireMessage{
			Kind: d.kind("message"), MessageID: id, ContextID: m.Context, TaskID: m.Task, Role: d.role(false), Parts: d.parts(parts),
		},
		"configuration": configuration,
	}
}

// Task returns a task as the door knows it.
func (c *Client) Task(ctx context.Context, id string) (Task, error) {
	return c.aboutTask(ctx, "GetTask", "tasks/get", id)
}

// Cancel cancels a task and returns it. A task that has ended cannot be canceled: [CodeTaskNotCancelable].
func (c *Client) Cancel(ctx context.Context, id string) (Task, error) {
	return c.aboutTask(ctx, "CancelTask", "tasks/cancel", id)
}

func (c *Client) aboutTask(ctx context.Context, name, oldName, id string) (Task, error) {
	ctx, cancel := within(ctx, callTimeout)
	defer cancel()
	result, err := c.call(ctx, name, oldName, func(dialect) any { return map[string]string{"id": id} })
	if err != nil {
		return Task{}, err
	}
	var wire wireTask
	if json.Unmarshal(result, &wire) != nil || wire.ID == "" {
		return Task{}, fmt.Errorf("cannot read the reply of door %s: it is not a task", quoted(c.URL))
	}
	return taskOf(wire), nil
}

// Stopped is what a session says when it is asked to stop.
type Stopped struct {
	Canceled []string          // ids of the tasks that this call canceled
	Residue  []json.RawMessage // what is left running, each as the session describes it
}

// StopSession asks the session to cancel all it is doing, and what it leaves running. The process goes on; ending it is for a signal.
func (c *Client) StopSession(ctx context.Context) (Stopped, error) {
	ctx, cancel := within(ctx, callTimeout)
	defer cancel()
	result, err := c.call(ctx, "murmur.StopSession", "session/stop", func(dialect) any { return struct{}{} })
	if err != nil {
		return Stopped{}, err
	}
	var stopped Stopped
	if json.Unmarshal(result, &stopped) != nil {
		return Stopped{}, fmt.Errorf("cannot read the reply of door %s: it does not say what was stopped", quoted(c.URL))
	}
	return stopped, nil
}

// within bounds a context that has no deadline.
func within(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if _, bounded := ctx.Deadline(); bounded {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, timeout, fmt.Errorf("it took longer than %s", timeout))
}
