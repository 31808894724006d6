package bindings

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine"
)

const (
	defaultHTTPTimeout = 30 * time.Second
	defaultMaxBody     = 16 << 20
)

func (w *World) httpModule() engine.Module {
	client := &httpClient{transports: map[transportKey]*http.Transport{}, path: w.path, route: w.routed}
	return engine.Module{
		Name: "http", Doc: "an HTTP client",
		Functions: map[string]engine.Function{
			"request": func(c *engine.Call) error { return client.request(c, readRequest(c, 1, "", lua.LNil)) },
			"get":     func(c *engine.Call) error { return client.request(c, readRequest(c, 2, c.String(1), lua.LNil)) },
			"post":    func(c *engine.Call) error { return client.request(c, readRequest(c, 3, c.String(1), c.Get(2))) },
			"stream":  client.stream,
		},
		Open: func(c *engine.Call, _ *lua.LTable) error {
			c.Host().OnClose(func(context.Context) error {
				client.close()
				return nil
			})
			return nil
		},
	}
}

// httpError gives the error of a request its kind.
func httpError(target string, err error, limit time.Duration) error {
	if unreachable, ok := errors.AsType[*unreachableError](err); ok && !errors.Is(err, context.Canceled) {
		return unreachable.object()
	}
	var large *http.MaxBytesError
	var own *engine.Error
	switch {
	case errors.As(err, &own): // the task was stopped, or a file of the options cannot be read
		return own
	case errors.Is(err, errHTTPTimeout) || errors.Is(err, context.DeadlineExceeded):
		return timeoutError("no complete answer from %s within %v", target, limit)
	case errors.As(err, &large):
		return &engine.Error{
			Kind: "too_large", Message: fmt.Sprintf("the answer from %s is longer than %d bytes", target, large.Limit),
			Hint: "raise max_body, or use mur.http.stream", Cause: err,
		}
	case isTLSError(err):
		return &engine.Error{
			Kind: "tls", Message: fmt.Sprintf("cannot trust %s: %v", target, rootOf(err)),
			Hint: "give the authority's certificate with tls = { ca = \"path\" }", Cause: err,
		}
	case errors.Is(err, context.Canceled):
		return err
	}
	return &engine.Error{Kind: "io", Message: fmt.Sprintf("cannot ask %s: %v", target, rootOf(err)), Cause: err}
}

// errHTTPTimeout is the cause of a request's context at its time limit.
var errHTTPTimeout = errors.New("the time is up")

func (h *httpClient) request(c *engine.Call, r *request) error {
	start := time.Now()
	var response *http.Response
	var body []byte
	err := c.Block(func(ctx context.Context) (err error) {
		if r.timeout > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeoutCause(ctx, r.timeout, errHTTPTimeout)
			defer cancel()
		}
		response, err = h.do(ctx, r)
		if err == nil {
			defer response.Body.Close()
			body, err = io.ReadAll(http.MaxBytesReader(nil, response.Body, int64(r.maxBody)))
		}
		if err != nil && context.Cause(ctx) == errHTTPTimeout {
			return errHTTPTimeout
		}
		return err
	})
	if err != nil {
		return r.fail(err)
	}
	reason := strings.TrimSpace(strings.TrimPrefix(response.Status, fmt.Sprint(response.StatusCode)))
	return c.Return(map[string]any{
		"status": response.StatusCode, "reason": reason, "headers": headerTable(response.Header),
		"body": body, "url": response.Request.URL.Redacted(), "took": time.Since(start).Seconds(),
	})
}

// headerTable has the headers by their names in lower case.
func headerTable(header http.Header) map[string]string {
	table := map[string]string{}
	for name, values := range header {
		table[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	return table
}
