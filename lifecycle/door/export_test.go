package door

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"time"
)

// LookWithin is Look with another bound on the whole probe.
var LookWithin = look

// ReplyLimit is the size of the largest reply that a probe reads.
const ReplyLimit = maxReply

// SessionOf, ReadCard, ReadEvent and ParseAddress read what comes from outside.
var (
	SessionOf = sessionOf
	ReadCard  = readCard
	ReadEvent = readEvent
)

// ParseAddress returns host, port and path of a door's address.
func ParseAddress(text string) (host string, port uint16, path string, err error) {
	a, err := parseAddress(text)
	return a.host, a.port, a.path, err
}

// Answer reads a request body as the door does and returns the method, or the code of the error and of the message check.
func Answer(body []byte) (method string, code int) {
	c, failure := readCall(body)
	if failure != nil {
		return "", failure.Code
	}
	m, _ := methodNamed(c.method)
	c.dialect = m.dialect
	if _, _, failure = readMessage(c); failure != nil {
		return c.method, failure.Code
	}
	return c.method, 0
}

// Events reads a stream to its end.
func Events(text []byte) (events []Event, err error) {
	s := Stream{client: &Client{URL: "x"}, ctx: context.Background(), cancel: func() {}, body: io.NopCloser(bytes.NewReader(nil)), lines: bufio.NewReader(bytes.NewReader(text)), pieces: pieces{}}
	for {
		event, err := s.Next()
		if err != nil {
			return events, err
		}
		events = append(events, event)
	}
}

// ServeWithin is Serve with a server's own deadlines.
func ServeWithin(o ServerOptions, header, body, write, beat time.Duration) (*Server, error) {
	return serveWithin(o, deadlines{header: header, body: body, write: write, beat: beat})
}

// Held is how many connections streams and waiting callers hold.
func (s *Server) Held() int64 { return s.held.Load() }
