package bindings

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine"
)

// httpStream is an answer whose body is still being read.
type httpStream struct {
	steps
	request  *request
	response *http.Response

	mu    sync.Mutex // one reader at a time
	lines []byte     // read, and not yet a whole line
	ended error      // io.EOF, or what broke the connection
}

var httpStreamType = &engine.Type{
	Name: "http stream", Class: "mur.HTTPStream",
	Methods: map[string]engine.Function{"read": streamRead, "lines": streamLines, "close": streamClose},
	Fields: map[string]func(any) any{
		"status":  func(v any) any { return v.(*httpStream).response.StatusCode },
		"headers": func(v any) any { return headerTable(v.(*httpStream).response.Header) },
	},
	String: func(v any) string { return "http stream of " + v.(*httpStream).request.target() },
}

func (h *httpClient) stream(c *engine.Call) error {
	r := readRequest(c, 1, "", lua.LNil)
	// The request goes on when the task that began it ends: its stream may be another's. The host's end ends it.
	ctx, cancel := context.WithCancelCause(context.Background())
	s := &httpStream{steps: steps{cancel, r.timeout, errHTTPTimeout}, request: r}
	err := c.Block(func(task context.Context) (err error) {
		return s.limited(task, func() error {
			s.response, err = h.do(ctx, r)
			return err
		})
	})
	if err != nil {
		cancel(nil)
		return r.fail(err)
	}
	c.Host().OnClose(func(context.Context) error { return s.close() })
	return c.Return(httpStreamType.Box(s))
}

// piece returns the next piece of the body, or io.EOF.
func (s *httpStream) piece(task context.Context) ([]byte, error) {
	if s.ended != nil {
		return nil, s.ended
	}
	buffer := make([]byte, 64<<10)
	n := 0
	err := s.limited(task, func() (err error) {
		for n == 0 && err == nil {
			n, err = s.response.Body.Read(buffer)
		}
		return err
	})
	s.ended = err
	if n > 0 {
		return buffer[:n], nil
	}
	return nil, err
}

func streamRead(c *engine.Call) error {
	s := c.Self().(*httpStream)
	var piece []byte
	err := c.Block(func(ctx context.Context) (err error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.lines) > 0 {
			piece, s.lines = s.lines, nil
			return nil
		}
		piece, err = s.piece(ctx)
		return err
	})
	if errors.Is(err, io.EOF) {
		return c.Return(nil)
	}
	if err != nil {
		return s.request.fail(err)
	}
	return c.Return(piece)
}

// line returns the next line without its end, or io.EOF.
func (s *httpStream) line(task context.Context) ([]byte, error) {
	for {
		if end := bytes.IndexByte(s.lines, '\n'); end >= 0 {
			line := s.lines[:end]
			s.lines = s.lines[end+1:]
			return bytes.TrimSuffix(line, []byte("\r")), nil
		}
		if len(s.lines) > s.request.maxBody {
			return nil, &http.MaxBytesError{Limit: int64(s.request.maxBody)}
		}
		piece, err := s.piece(task)
		if errors.Is(err, io.EOF) && len(s.lines) > 0 {
			line := s.lines
			s.lines = nil
			return line, nil
		}
		if err != nil {
			return nil, err
		}
		s.lines = append(s.lines, piece...)
	}
}

func streamLines(c *engine.Call) error {
	s := c.Self().(*httpStream)
	return c.Return(engine.Function(func(c *engine.Call) error {
		var line []byte
		err := c.Block(func(ctx context.Context) (err error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			line, err = s.line(ctx)
			return err
		})
		if errors.Is(err, io.EOF) {
			return c.Return(nil)
		}
		if err != nil {
			return s.request.fail(err)
		}
		return c.Return(line)
	}))
}

func streamClose(c *engine.Call) error {
	s := c.Self().(*httpStream)
	return c.Block(func(context.Context) error { return s.close() })
}

// close gives the connection up; a reader that waits comes back.
func (s *httpStream) close() error {
	s.cancel(context.Canceled)
	return s.response.Body.Close()
}
