package door

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
)

const (
	maxClientReply  = 16 << 20
	maxServiceReply = 256 << 10 // of a reply that is not a result

	eventStream = "text/event-stream"
)

// transport makes the transport for one call: one connection, to whichever of the door's addresses accepts.
func transport(a address) *http.Transport {
	return &http.Transport{
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return a.dial(ctx) },
		DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: maxHeader,
	}
}

// open sends one request and returns the reply with its body still to be read and closed.
func (c *Client) open(ctx context.Context, method, path string, body []byte, headers map[string]string) (*http.Response, error) {
	a, err := parseAddress(c.URL)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://"+a.text+a.path+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("cannot read door address %s", quoted(c.URL))
	}
	if strings.ContainsFunc(c.Token.Reveal(), unprintable) {
		return nil, fmt.Errorf("cannot call door %q: its token has characters that no token has", a.text)
	}
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	if !c.Token.IsZero() {
		r.Header.Set("Authorization", "Bearer "+c.Token.Reveal())
	}
	if c.Peer {
		r.Header.Set(peerOriginHeader, "peer")
	}
	reply, err := transport(a).RoundTrip(r)
	if err == nil {
		return reply, nil
	}
	var unreached *UnreachableError
	if errors.As(err, &unreached) {
		return nil, unreached
	}
	return nil, fmt.Errorf("cannot call door %q: %w", a.text, because(ctx, err))
}

// getCard returns the public card, from the old path if there is none at the usual one.
func (c *Client) getCard(ctx context.Context) ([]byte, error) {
	headers := map[string]string{"Accept": "application/json", versionHeader: version}
	body, err := c.get(ctx, cardPath, headers)
	refused, isRefused := errors.AsType[*RefusedError](err)
	if err == nil && isCard(body) || err != nil && !(isRefused && refused.Status == http.StatusNotFound) {
		return body, err
	}
	if old, oldErr := c.get(ctx, oldCardPath, headers); oldErr == nil && isCard(old) {
		return old, nil
	}
	return body, err
}

func (c *Client) get(ctx context.Context, path string, headers map[string]string) ([]byte, error) {
	reply, err := c.open(ctx, http.MethodGet, path, nil, headers)
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close()
	if reply.StatusCode/100 != 2 {
		return nil, c.refusal(reply)
	}
	return c.read(ctx, reply, maxReply)
}

// call makes a JSON-RPC call and returns its result. It uses the 1.0 name of the method, and the 0.3 name when the door does not know
// the first: nothing has been done then.
func (c *Client) call(ctx context.Context, name, oldName string, params func(dialect) any) (json.RawMessage, error) {
	for {
		reply, err := c.post(ctx, name, oldName, params, "application/json")
		if err != nil {
			return nil, err
		}
		body, err := c.read(ctx, reply, maxClientReply)
		_ = reply.Body.Close()
		if err != nil {
			return nil, err
		}
		result, err := c.result(name, body)
		if c.fallBack(err) {
			continue
		}
		return result, err
	}
}

// fallBack reports whether the error says that the door does not know a method's 1.0 name, and remembers it.
func (c *Client) fallBack(err error) bool {
	var failure *RPCError
	return errors.As(err, &failure) && failure.Code == codeMethodNotFound && c.old.CompareAndSwap(false, true)
}

// post sends a call in the dialect of the door. The reply's status is 2xx, its body still to be read and closed.
func (c *Client) post(ctx context.Context, name, oldName string, params func(dialect) any, accept string) (*http.Response, error) {
	d, headers := v1, map[string]string{"Content-Type": "application/json", "Accept": accept, versionHeader: version}
	if strings.HasPrefix(accept, eventStream) {
		headers[extensionsHeader] = streamExtension // else a murmur door would keep the pieces of an answer back
	}
	if c.old.Load() {
		d, name = v03, oldName
		delete(headers, versionHeader)
	}
	body := encode(map[string]any{"jsonrpc": "2.0", "id": 1, "method": name, "params": params(d)})
	reply, err := c.open(ctx, http.MethodPost, "/", body, headers)
	if err != nil {
		return nil, err
	}
	if reply.StatusCode/100 != 2 {
		defer reply.Body.Close()
		return nil, c.refusal(reply)
	}
	return reply, nil
}

// read reads a whole body up to a limit.
func (c *Client) read(ctx context.Context, reply *http.Response, limit int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(reply.Body, limit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot read the reply of door %s: %w", quoted(c.URL), because(ctx, err))
	case int64(len(body)) > limit:
		return nil, fmt.Errorf("cannot read the reply of door %s: it is larger than %d bytes", quoted(c.URL), limit)
	}
	return body, nil
}

// result takes the result, or the error, out of a JSON-RPC reply.
func (c *Client) result(method string, body []byte) (json.RawMessage, error) {
	var reply struct {
		Result json.RawMessage
		Error  *struct {
			Code    int
			Message string
		}
	}
	if err := json.Unmarshal(body, &reply); err != nil || reply.Result == nil && reply.Error == nil {
		return nil, fmt.Errorf("cannot read the reply of door %s: it is not a JSON-RPC reply", quoted(c.URL))
	}
	if reply.Error != nil {
		return nil, &RPCError{Method: method, Code: reply.Error.Code, Message: c.said(reply.Error.Message)}
	}
	return reply.Result, nil
}

// refusal reads a reply whose status is not 2xx.
func (c *Client) refusal(reply *http.Response) error {
	refused := &RefusedError{Status: reply.StatusCode, Reason: http.StatusText(reply.StatusCode)}
	body, _ := io.ReadAll(io.LimitReader(reply.Body, maxServiceReply))
	var said struct{ Error, Message string }
	if json.Unmarshal(body, &said) == nil {
		refused.Code = c.said(said.Error)
		if said.Message != "" {
			refused.Reason = c.said(said.Message)
		}
	}
	return refused
}

// said makes a text of the door fit for an error: without the token, without control characters, and not long.
func (c *Client) said(text string) string {
	const limit = 400
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(scrub(text, c.Token), "?"))
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "") + "…"
	}
	return text
}

// readEvent reads what a call or a stream reports, in either dialect: a task, an update, or a message, which is the whole answer then.
func readEvent(result []byte) (Event, error) {
	event, _, err := readFramed(result)
	return event, err
}

// readFramed is readEvent with murmur's frame, if the event carries one.
func readFramed(result []byte) (Event, frame, error) {
	var wire struct {
		Kind           string
		Task           *wireTask
		Message        *wireMessage
		StatusUpdate   *wireStatusUpdate
		ArtifactUpdate *wireArtifactUpdate
	}
	err := json.Unmarshal(result, &wire)
	switch wire.Kind {
	case "task":
		wire.Task = new(wireTask)
		err = json.Unmarshal(result, wire.Task)
	case "message":
		wire.Message = new(wireMessage)
		err = json.Unmarshal(result, wire.Message)
	case "status-update":
		wire.StatusUpdate = new(wireStatusUpdate)
		err = json.Unmarshal(result, wire.StatusUpdate)
	case "artifact-update":
		wire.ArtifactUpdate = new(wireArtifactUpdate)
		err = json.Unmarshal(result, wire.ArtifactUpdate)
	}
	switch {
	case err != nil:
	case wire.Task != nil:
		return Event{Task: taskOf(*wire.Task)}, frame{}, nil
	case wire.StatusUpdate != nil:
		e := Event{Task: Task{ID: wire.StatusUpdate.TaskID, Context: wire.StatusUpdate.ContextID}}
		e.Task.setStatus(wire.StatusUpdate.Status)
		f, _ := wire.StatusUpdate.Metadata.frame()
		return e, f, nil
	case wire.ArtifactUpdate != nil:
		u := wire.ArtifactUpdate
		artifact := artifactOf(u.Artifact)
		return Event{Task: Task{ID: u.TaskID, Context: u.ContextID, State: Working}, Artifact: &artifact, Append: u.Append, Last: u.LastChunk}, frame{}, nil
	case wire.Message != nil:
		m := wire.Message
		f, _ := m.Metadata.frame()
		answer := Artifact{ID: responseArtifact, Name: responseArtifact, Parts: partsOf(m.Parts)}
		return Event{Task: Task{ID: m.TaskID, Context: m.ContextID, State: Completed, Artifacts: []Artifact{answer}}}, f, nil
	}
	return Event{}, frame{}, errors.New("it is neither a task nor a message")
}
