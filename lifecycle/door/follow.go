package door

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// maxEvent bounds one event of a stream.
const maxEvent = 16 << 20

// Stream is a stream of events from a door. It is for one goroutine at a time, which closes it.
type Stream struct {
	client *Client
	ctx    context.Context
	cancel context.CancelFunc
	body   io.ReadCloser
	lines  *bufio.Reader
	method string
	first  []byte // a reply that is no stream, still to be read
	pieces pieces
}

// Stream sends a message and follows the task that it starts. ctx bounds the whole stream; the task goes on when it ends.
func (c *Client) Stream(ctx context.Context, m Message) (*Stream, error) {
	return c.follow(ctx, "SendStreamingMessage", "message/stream", func(d dialect) any { return messageParams(d, m, false) })
}

// Subscribe follows a task that is under way. ctx bounds the whole stream.
func (c *Client) Subscribe(ctx context.Context, id string) (*Stream, error) {
	return c.follow(ctx, "SubscribeToTask", "tasks/resubscribe", func(dialect) any { return map[string]string{"id": id} })
}

// Watch follows all that the session does, beginning with the events that it still has. ctx bounds the whole stream.
func (c *Client) Watch(ctx context.Context) (*Stream, error) {
	return c.follow(ctx, "murmur.WatchSession", "stream/watch", func(dialect) any { return struct{}{} })
}

func (c *Client) follow(ctx context.Context, name, oldName string, params func(dialect) any) (*Stream, error) {
	ctx, cancel := context.WithCancel(ctx)
	for {
		reply, err := c.post(ctx, name, oldName, params, eventStream+", application/json")
		if err != nil {
			cancel()
			return nil, err
		}
		if strings.HasPrefix(reply.Header.Get("Content-Type"), eventStream) {
			return &Stream{client: c, ctx: ctx, cancel: cancel, body: reply.Body, lines: bufio.NewReader(reply.Body), method: name, pieces: pieces{}}, nil
		}
		s, err := c.notAStream(ctx, name, reply)
		if c.fallBack(err) {
			continue
		}
		if err != nil {
			cancel()
			return nil, err
		}
		s.cancel = cancel
		return s, nil
	}
}

// notAStream reads a reply that came as a whole: mostly an error.
func (c *Client) notAStream(ctx context.Context, method string, reply *http.Response) (*Stream, error) {
	defer reply.Body.Close()
	body, err := c.read(ctx, reply, maxClientReply)
	if err != nil {
		return nil, err
	}
	if _, err := c.result(method, body); err != nil {
		return nil, err
	}
	return &Stream{client: c, ctx: ctx, method: method, first: body}, nil
}

// Next waits for the next event. It returns io.EOF after the last one, the context's cause when that ended, and an error as the client's calls return
// it when the door breaks the stream off or sends something that is no event.
func (s *Stream) Next() (Event, error) {
	if s.body == nil {
		body := s.first
		s.first = nil
		if body == nil {
			return Event{}, io.EOF
		}
		return s.event(body, 0)
	}
	for {
		data, id, err := s.read()
		switch {
		case errors.Is(err, io.EOF):
			return Event{}, io.EOF
		case err != nil:
			return Event{}, fmt.Errorf("cannot read the stream of door %s: %w", quoted(s.client.URL), because(s.ctx, err))
		}
		event, err := s.event(data, id)
		if errors.Is(err, errNoEvent) {
			continue
		}
		return event, err
	}
}

func (s *Stream) event(body []byte, id uint64) (Event, error) {
	result, err := s.client.result(s.method, body)
	if err != nil {
		return Event{}, err
	}
	event, f, err := readFramed(result)
	if err != nil {
		return Event{}, fmt.Errorf("cannot read the stream of door %s: %w", quoted(s.client.URL), err)
	}
	event.ID = id
	switch {
	case f.Frame == "":
		return s.pieces.event(event), nil
	case f.Frame == "text" && f.Text != nil && *f.Text != "":
		return s.pieces.text(event, *f.Text), nil
	case f.Frame == "lagged":
		return Event{Lost: f.Missed}, nil
	case f.Frame == "gap":
		return Event{Lost: 1}, nil
	}
	return Event{}, errNoEvent
}

// errNoEvent marks a frame that says nothing about a task.
var errNoEvent = errors.New("no event")

// Close ends the stream and its connection.
func (s *Stream) Close() error {
	s.cancel()
	if s.body == nil {
		return nil
	}
	return s.body.Close()
}

// read returns the data of the next server-sent event. An event without data, such as a sign of life, is passed over.
func (s *Stream) read() (data []byte, id uint64, err error) {
	var event bytes.Buffer
	for {
		line, err := s.line(maxEvent - event.Len())
		if err != nil {
			return nil, 0, err
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "" && event.Len() > 0:
			return bytes.TrimSuffix(event.Bytes(), []byte("\n")), id, nil
		case name == "data":
			event.WriteString(value + "\n")
		case name == "id":
			id, _ = strconv.ParseUint(value, 10, 64)
		}
	}
}

// line reads one line of at most limit bytes. What is cut off by the end of the stream is dropped.
func (s *Stream) line(limit int) (string, error) {
	var line []byte
	for {
		part, err := s.lines.ReadSlice('\n')
		if len(line)+len(part) > limit {
			return "", fmt.Errorf("an event is larger than %d bytes", maxEvent)
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return strings.TrimRight(string(line), "\r\n"), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", err
		}
	}
}
