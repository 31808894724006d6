package door_test

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"murlua/lifecycle/credential"
	"murlua/lifecycle/door"
)

// serveSoon opens a door whose deadlines are these.
func serveSoon(t *testing.T, o door.ServerOptions, header, body, write, beat time.Duration) *door.Server {
	t.Helper()
	o.Name, o.Version, o.Session = "coder", "1", session
	s, err := door.ServeWithin(o, header, body, write, beat)
	if err != nil {
		t.Fatal(err)
	}
	return closedAfter(t, s)
}

const long = time.Minute

func TestAConnectionThatAsksNothingIsClosed(t *testing.T) {
	s := serveSoon(t, door.ServerOptions{}, 50*time.Millisecond, long, long, long)
	for _, begun := range []string{"", "GET / HT"} {
		conn := dial(t, s.URL())
		_, _ = io.WriteString(conn, begun)
		if reply, err := io.ReadAll(conn); err != nil || strings.HasPrefix(string(reply), "HTTP/1.1 2") {
			t.Errorf("after %q: %q, %v", begun, reply, err)
		}
	}
}

func TestABodyThatDoesNotComeIsNotWaitedFor(t *testing.T) {
	s := serveSoon(t, door.ServerOptions{OnTask: upper}, long, 50*time.Millisecond, long, long)
	conn := dial(t, s.URL())
	_, _ = io.WriteString(conn, post(`{"jsonrpc":` + strings.Repeat(" ", 100))[:150])
	if reply, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(reply), "HTTP/1.1 400 ") {
		t.Errorf("the reply is %q, %v", reply, err)
	}
}

func TestARefusedCallerCannotHoldItsConnection(t *testing.T) {
	s := serveSoon(t, door.ServerOptions{Auth: &door.Auth{}}, long, long, long, long)
	for status, request := range map[string]string{
		"401": post(strings.Repeat(" ", 100))[:150],
		"200": "GET /.well-known/agent-card.json HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		conn := dial(t, s.URL())
		_, _ = io.WriteString(conn, request)
		if reply, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(reply), "HTTP/1.1 "+status) {
			t.Errorf("the reply is %q, %v", reply, err)
		}
	}
}

func TestAReaderThatDoesNotReadIsLeft(t *testing.T) {
	piece := strings.Repeat("x", 1<<20)
	s := serveSoon(t, door.ServerOptions{OnTask: func(ctx context.Context, in *door.Incoming) (string, error) {
		for range 32 {
			in.Emit(piece)
		}
		<-ctx.Done() // or the stream would end by itself
		return "", context.Cause(ctx)
	}}, long, long, 50*time.Millisecond, long)
	conn := dial(t, s.URL())
	_ = conn.(*net.TCPConn).SetReadBuffer(4096)
	_, _ = io.WriteString(conn, post(rpc("SendStreamingMessage", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}`)))
	for _, held := range []int64{1, 0} { // it begins, and is let go although its task goes on
		for s.Held() != held {
			time.Sleep(time.Millisecond)
		}
	}
}

func TestAQuietStreamShowsSignsOfLife(t *testing.T) {
	s := serveSoon(t, door.ServerOptions{OnTask: upper}, long, long, long, 10*time.Millisecond)
	conn := dial(t, s.URL())
	_, _ = io.WriteString(conn, post(rpc("stream/watch", `{}`)))
	var seen strings.Builder
	for strings.Count(seen.String(), "\n: \n") < 3 {
		piece := make([]byte, 4096)
		n, err := conn.Read(piece)
		if err != nil {
			t.Fatalf("after %q: %v", seen.String(), err)
		}
		seen.Write(piece[:n])
	}
	if _, err := door.Probe(t.Context(), s.URL(), credential.Secret{}); err != nil {
		t.Error(err)
	}
}

func TestATaskMayTakeLongerThanAnyDeadline(t *testing.T) {
	soon := 30 * time.Millisecond
	s := serveSoon(t, door.ServerOptions{OnTask: func(ctx context.Context, in *door.Incoming) (string, error) {
		timer := time.NewTimer(10 * soon)
		defer timer.Stop()
		select {
		case <-timer.C:
			return "late", nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}}, soon, soon, soon, soon)
	client := door.Client{URL: s.URL()}
	if task, err := client.Send(t.Context(), door.Message{Text: "x"}); err != nil || task.Text() != "late" {
		t.Errorf("Send gives %+v, %v", task, err)
	}
}
