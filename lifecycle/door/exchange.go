package door

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"murlua/lifecycle/credential"
)

const (
	// socketTimeout bounds each single read and write of a probe (murmur's value).
	socketTimeout = 5 * time.Second
	// probeTimeout bounds a whole probe, which murmur leaves open: a door that sends a byte now and then would hold it for ever.
	probeTimeout = 10 * time.Second
	// maxReply bounds the reply of a probe, headers included. Cards are a few kilobytes.
	maxReply = 1 << 20
)

// request is one hand-written HTTP/1.1 request. The token goes into the Authorization header and nowhere else.
type request struct {
	method, path string
	headers      []string // "Name: value"
	body         string   // sent with POST only
	token        credential.Secret
}

// encode returns the bytes that murmur's client sends for this request.
func (r request) encode(host string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", r.method, r.path, host)
	if r.method == "POST" {
		b.WriteString("Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(r.body)) + "\r\n")
	}
	if !r.token.IsZero() {
		b.WriteString("Authorization: Bearer " + r.token.Reveal() + "\r\n")
	}
	for _, header := range r.headers {
		b.WriteString(header + "\r\n")
	}
	b.WriteString("Connection: close\r\n\r\n")
	b.WriteString(r.body)
	return b.Bytes()
}

// statusError is a reply whose status is not 2xx.
type statusError struct {
	addr   string
	code   int    // 0 when the status line cannot be read
	status string // the status line, quoted
}

func (e *statusError) Error() string {
	return fmt.Sprintf("the door at %s answered %s", e.addr, e.status)
}

// exchange sends one request over a connection of its own and returns the body of the reply, which must be text.
// It reads until the door closes. It ends early with ctx, and closes the connection in any case.
func exchange(ctx context.Context, a address, r request) ([]byte, error) {
	if strings.ContainsFunc(r.token.Reveal(), unprintable) {
		return nil, fmt.Errorf("cannot call door %q: its token has characters that no token has", a.text)
	}
	conn, err := a.dial(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	_ = conn.SetWriteDeadline(time.Now().Add(socketTimeout))
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()

	if _, err := conn.Write(r.encode(a.host)); err != nil {
		return nil, fmt.Errorf("cannot write to door %q: %w", a.text, because(ctx, err))
	}
	reply, err := readReply(ctx, conn)
	if err != nil {
		return nil, fmt.Errorf("cannot read the reply of door %q: %w", a.text, because(ctx, err))
	}
	head, body, found := bytes.Cut(reply, []byte("\r\n\r\n"))
	if !found {
		return nil, fmt.Errorf("cannot read the reply of door %q: it is not an HTTP reply", a.text)
	}
	if !bytes.HasPrefix(head, []byte("HTTP/1.1 2")) && !bytes.HasPrefix(head, []byte("HTTP/1.0 2")) {
		return nil, refused(a, head, r.token)
	}
	return body, nil
}

// readReply reads to the end of the stream, at most maxReply bytes, each read within socketTimeout.
func readReply(ctx context.Context, conn net.Conn) ([]byte, error) {
	reply := make([]byte, 0, 4096)
	for {
		if len(reply) == cap(reply) {
			larger := make([]byte, len(reply), min(2*len(reply), maxReply+1))
			copy(larger, reply)
			reply = larger
		}
		_ = conn.SetReadDeadline(time.Now().Add(socketTimeout))
		if ctx.Err() != nil { // it may have ended between its own SetDeadline and ours
			return nil, ctx.Err()
		}
		n, err := conn.Read(reply[len(reply):cap(reply)])
		reply = reply[:len(reply)+n]
		switch {
		case len(reply) > maxReply:
			return nil, fmt.Errorf("it is larger than %d bytes", maxReply)
		case errors.Is(err, io.EOF) && !utf8.Valid(reply):
			return nil, errors.New("it is not UTF-8 text")
		case errors.Is(err, io.EOF):
			return reply, nil
		case err != nil:
			return nil, err
		}
	}
}

// refused describes a reply that is not 2xx by its status line alone: the rest may repeat what was sent.
func refused(a address, head []byte, token credential.Secret) error {
	line, _, _ := bytes.Cut(head, []byte("\r\n"))
	failure := &statusError{addr: a.text, status: quoted(scrub(string(line), token))}
	if fields := strings.Fields(string(line)); len(fields) > 1 && strings.HasPrefix(fields[0], "HTTP/") {
		failure.code, _ = strconv.Atoi(fields[1])
	}
	return failure
}

// scrub takes the token out of a text that came from a door, which may send back what it was sent.
func scrub(text string, token credential.Secret) string {
	if token.IsZero() {
		return text
	}
	return strings.ReplaceAll(text, token.Reveal(), token.String())
}

// because prefers the context's reason to the network error that it caused.
func because(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return reason(err)
}
