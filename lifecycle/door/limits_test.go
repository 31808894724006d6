package door_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"murlua/lifecycle/credential"
	"murlua/lifecycle/door"
)

// dial opens a bare connection to a door.
func dial(t testing.TB, url string) net.Conn {
	t.Helper()
	_, port, _ := strings.Cut(url, ":")
	conn, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	return conn
}

func TestConnectionsAreCapped(t *testing.T) {
	s := serve(t, door.ServerOptions{MaxConnections: 4})
	var idle []net.Conn
	for range 4 {
		idle = append(idle, dial(t, s.URL()))
	}
	for refused := false; !refused; { // the server counts a connection when it accepts it
		reply, _ := io.ReadAll(dial(t, s.URL()))
		refused = strings.HasPrefix(string(reply), "HTTP/1.1 503 ")
		if !refused && len(reply) > 0 {
			t.Fatalf("a connection too many gets %q", reply)
		}
	}
	if _, err := door.Probe(t.Context(), s.URL(), credential.Secret{}); err == nil {
		t.Error("Probe finds a place")
	}
	for _, conn := range idle {
		conn.Close()
	}
	for {
		if _, err := door.Probe(t.Context(), s.URL(), credential.Secret{}); err == nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func TestWaitingCallersLeaveRoomForOthers(t *testing.T) {
	s := serve(t, door.ServerOptions{OnTask: untilCanceled, MaxConnections: 8})
	client := door.Client{URL: s.URL()}
	for i := range 6 {
		stream, err := client.Stream(t.Context(), door.Message{Text: "x"})
		var refused *door.RefusedError
		if i < 4 {
			if err != nil {
				t.Fatal(err)
			}
			defer stream.Close()
		} else if !errors.As(err, &refused) || refused.Status != 503 {
			t.Errorf("stream %d of a door for 8 connections: %v", i, err)
		}
	}
	if _, err := door.Probe(t.Context(), s.URL(), credential.Secret{}); err != nil {
		t.Errorf("a probe finds no place: %v", err)
	}
}

func TestTasksBeyondTheLimitAreRejected(t *testing.T) {
	s := serve(t, door.ServerOptions{OnTask: untilCanceled, MaxTasks: 2})
	client := door.Client{URL: s.URL()}
	for i := range 3 {
		task, err := client.Submit(t.Context(), door.Message{Text: "x"})
		if err != nil || (task.State == door.Rejected) != (i == 2) {
			t.Errorf("task %d: %+v, %v", i, task, err)
		}
	}
	s.Refuse()
	if task, err := client.Submit(t.Context(), door.Message{Text: "x"}); err != nil || task.State != door.Rejected || !strings.Contains(task.Note, "stopping") {
		t.Errorf("after Refuse: %+v, %v", task, err)
	}
}

func TestRequestsAreLimited(t *testing.T) {
	s := serve(t, door.ServerOptions{OnTask: upper, MaxBody: 1000})
	large := strings.Repeat(" ", 1001)
	for name, c := range map[string]struct{ request, status string }{
		"body":         {post(large), "413"},
		"chunked body": {"POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n" + large + "\r\n0\r\n\r\n", "413"},
		"headers":      {"GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("y", 80<<10) + "\r\n\r\n", "431"},
		"no HTTP":      {"hello\r\n\r\n", "400"},
	} {
		if head, _ := raw(t, s.URL(), c.request); statusOf(head) != c.status {
			t.Errorf("%s: %s", name, head)
		}
	}
	if head, _ := raw(t, s.URL(), "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"); statusOf(head) != "200" {
		t.Errorf("a small chunked body: %s", head)
	}
}

// TestAHostileDoorCannotHoldAClient bounds what the client of a bad door costs: the time of its context, a limited reply.
func TestAHostileDoorCannotHoldAClient(t *testing.T) {
	var zipped bytes.Buffer
	zip := gzip.NewWriter(&zipped)
	_, _ = io.WriteString(zip, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	_ = zip.Close()
	block := bytes.Repeat([]byte(" "), 64<<10)
	flood := func(head string) func(net.Conn, heard) {
		return func(conn net.Conn, _ heard) {
			_, _ = io.WriteString(conn, head)
			for range (1 << 30) / len(block) {
				if _, err := conn.Write(block); err != nil {
					return
				}
			}
		}
	}
	const json, sse = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n", "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
	for _, c := range []struct {
		name   string
		answer func(net.Conn, heard)
		err    string
	}{
		{"silent", func(conn net.Conn, _ heard) { _, _ = conn.Read(make([]byte, 1)) }, "context deadline"},
		{"drips", drip, "context deadline"},
		{"drips a body", func(conn net.Conn, h heard) { _, _ = io.WriteString(conn, json+"\r\n"); drip(conn, h) }, "context deadline"},
		{"1 GB", flood(json + "Content-Length: 1073741824\r\n\r\n"), "larger than"},
		{"endless", flood(json + "\r\n"), "larger than"},
		{"endless event", flood(sse + "data: "), "larger than"},
		{"endless headers", flood("HTTP/1.1 200 OK\r\nX: "), "header"},
		{"closes at once", func(net.Conn, heard) {}, "cannot call door"},
		{"redirects", say("HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"), "status 307"},
		{"compressed", say(json + "Content-Encoding: gzip\r\n\r\n" + zipped.String()), "not a JSON-RPC reply"},
		{"HTML", say("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>"), "not a JSON-RPC reply"},
		{"no result", say(ok(`{"jsonrpc":"2.0","id":1}`)), "not a JSON-RPC reply"},
		{"a number", say(ok(`{"jsonrpc":"2.0","id":1,"result":7}`)), "cannot read"},
		{"no task", say(ok(`{"jsonrpc":"2.0","id":1,"result":{}}`)), "cannot read"},
		{"echo", func(conn net.Conn, h heard) {
			_, _ = fmt.Fprintf(conn, "HTTP/1.1 403 Forbidden\r\n\r\n{\"error\":\"x\",\"message\":%q}", h.head+"\x1b[2J")
		}, "status 403"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := startFake(t, "127.0.0.1", c.answer)
			client := door.Client{URL: d.url, Token: credential.NewSecret(token)}
			for name, call := range map[string]func(context.Context) error{
				"Send": func(ctx context.Context) error {
					_, err := client.Send(ctx, door.Message{Text: "secret message"})
					return err
				},
				"Stream": func(ctx context.Context) error {
					return drain(client.Stream(ctx, door.Message{Text: "secret message"}))
				},
			} {
				ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				err := call(ctx)
				runtime.ReadMemStats(&after)
				cancel()
				text := fmt.Sprint(err)
				timedOut := errors.Is(err, context.DeadlineExceeded) // a flood may take longer than that on a busy machine
				if err == nil || !strings.Contains(text, c.err) && !timedOut && !(name == "Stream" && strings.Contains(c.name, "event")) {
					t.Errorf("%s gives %v, want %q", name, err, c.err)
				}
				if strings.Contains(text, token) || strings.Contains(text, "secret message") || strings.Contains(text, "\x1b") {
					t.Errorf("%s: the error shows what it must not: %q", name, text)
				}
				if used := after.TotalAlloc - before.TotalAlloc; used > 256<<20 {
					t.Errorf("%s allocated %d MiB", name, used>>20)
				}
			}
		})
	}
}

// drain reads a stream to its end or first error.
func drain(stream *door.Stream, err error) error {
	if err != nil {
		return err
	}
	defer stream.Close()
	for {
		if _, err := stream.Next(); err != nil {
			return err
		}
	}
}

func TestASlowReaderOfAStreamLosesNothingThatMatters(t *testing.T) {
	const pieces = 10_000 // more than the session keeps
	written := make(chan struct{})
	s := serve(t, door.ServerOptions{OnTask: func(_ context.Context, in *door.Incoming) (string, error) {
		for range pieces {
			in.Emit("0123456789")
		}
		close(written)
		return "end", nil
	}})
	client := door.Client{URL: s.URL()}
	stream, err := client.Stream(t.Context(), door.Message{Text: "x"})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	<-written
	var text string
	for {
		event, err := stream.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case event.Artifact != nil && event.Append:
			text += event.Artifact.Text()
		case event.Artifact != nil:
			text = event.Artifact.Text()
		case len(event.Task.Artifacts) > 0: // the task as a whole replaces what was read
			text = event.Task.Text()
		}
	}
	if want := strings.Repeat("0123456789", pieces) + "end"; text != want {
		t.Errorf("the reader has %d bytes, want %d", len(text), len(want))
	}
}

func TestWatchSeesEverythingThatTheSessionDoes(t *testing.T) {
	s := serve(t, door.ServerOptions{OnTask: upper})
	client := door.Client{URL: s.URL()}
	if _, err := client.Send(t.Context(), door.Message{Text: "early"}); err != nil {
		t.Fatal(err)
	}
	watch, err := client.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close()
	if _, err := client.Send(t.Context(), door.Message{Text: "late"}); err != nil {
		t.Fatal(err)
	}
	var seen []string
	for len(seen) < 8 {
		event, err := watch.Next()
		if err != nil {
			t.Fatal(err)
		}
		if event.ID != uint64(len(seen)+1) {
			t.Errorf("event %d has id %d", len(seen)+1, event.ID)
		}
		if event.Artifact != nil {
			seen = append(seen, event.Artifact.Text())
		} else {
			seen = append(seen, string(event.Task.State))
		}
	}
	if got, want := strings.Join(seen, " "), "submitted working EARLY completed submitted working LATE completed"; got != want {
		t.Errorf("watched %q, want %q", got, want)
	}
}

func TestADoorServesManyAtOnce(t *testing.T) {
	s := serve(t, door.ServerOptions{OnTask: upper, MaxTasks: 1000})
	var group sync.WaitGroup
	for i := range 50 {
		group.Go(func() {
			client := door.Client{URL: s.URL()}
			text := fmt.Sprintf("message %d", i)
			task, err := client.Send(t.Context(), door.Message{Text: text})
			if err != nil || task.Text() != strings.ToUpper(text) {
				t.Errorf("%s: %+v, %v", text, task, err)
			}
		})
	}
	group.Wait()
}
