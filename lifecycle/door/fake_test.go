package door_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

const (
	session      = "ses_0199c4e2f1b7712a9d3e4f5061728394"
	otherSession = "ses_0199c4e2f1b7712a9d3e4f50617283ff"
	capsuleURI   = "https://docs.murmur.nexus/reference/agent-card/#murmur-capsule-v1"
)

// cardOf returns a card as small as one can be, naming a session.
func cardOf(session string) string {
	return fmt.Sprintf(`{"name":"c","capabilities":{"extensions":[{"uri":"x","params":{"sessionId":"no"}},{"uri":%q,"params":{"sessionId":%q}}]}}`, capsuleURI, session)
}

// ok returns a reply that ends as murmur's doors end it.
func ok(body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n\r\n%s", len(body), body)
}

// heard is one request as a fake door read it: the head with its blank line, and the body.
type heard struct{ head, body string }

func (h heard) line() string { line, _, _ := strings.Cut(h.head, "\r\n"); return line }

// fakeDoor answers every connection by answer, which may write whatever it likes, and records the requests.
type fakeDoor struct {
	url string

	mu       sync.Mutex
	requests []heard
	open     map[net.Conn]bool
}

func (d *fakeDoor) heard() []heard {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]heard(nil), d.requests...)
}

// startFake listens on host (an address literal) until the test ends; its url names "localhost".
func startFake(t testing.TB, host string, answer func(net.Conn, heard)) *fakeDoor {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	return serveFake(t, listener, answer)
}

func serveFake(t testing.TB, listener net.Listener, answer func(net.Conn, heard)) *fakeDoor {
	d := &fakeDoor{url: fmt.Sprintf("localhost:%d", listener.Addr().(*net.TCPAddr).Port), open: map[net.Conn]bool{}}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			d.mu.Lock()
			d.open[conn] = true
			d.mu.Unlock()
			running.Go(func() {
				defer conn.Close()
				request, err := hear(conn)
				if err != nil {
					return
				}
				d.mu.Lock()
				d.requests = append(d.requests, request)
				d.mu.Unlock()
				answer(conn, request)
			})
		}
	})
	t.Cleanup(func() {
		listener.Close()
		d.mu.Lock()
		for conn := range d.open {
			conn.Close()
		}
		d.mu.Unlock()
		running.Wait()
	})
	return d
}

// hear reads one request.
func hear(conn net.Conn) (heard, error) {
	var h heard
	var length int
	reader := bufio.NewReader(conn)
	for !strings.HasSuffix(h.head, "\r\n\r\n") {
		line, err := reader.ReadString('\n')
		if err != nil {
			return h, err
		}
		_, _ = fmt.Sscanf(line, "Content-Length: %d", &length)
		h.head += line
	}
	body := make([]byte, length)
	_, err := io.ReadFull(reader, body)
	h.body = string(body)
	return h, err
}

// say answers with one text and closes.
func say(reply string) func(net.Conn, heard) {
	return func(conn net.Conn, _ heard) { _, _ = io.WriteString(conn, reply) }
}

// byPath answers by the path of the request line, 404 for other paths.
func byPath(replies map[string]string) func(net.Conn, heard) {
	return func(conn net.Conn, h heard) {
		reply, found := replies[strings.Fields(h.line())[1]]
		if !found {
			reply = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"
		}
		_, _ = io.WriteString(conn, reply)
	}
}
