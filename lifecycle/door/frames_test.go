package door_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"murlua/lifecycle/door"
)

const streamURI = "https://docs.murmur.nexus/reference/streaming-protocol/#murmur-stream-v1"

// inPieces answers in three pieces.
func inPieces(_ context.Context, in *door.Incoming) (string, error) {
	in.Emit("one ")
	in.Emit("two ")
	return "three", nil
}

// dataOf returns what identifies each event of a stream: the frames, states and texts in it.
func dataOf(body string) []string {
	var seen []string
	for line := range strings.Lines(body) {
		data, found := strings.CutPrefix(line, "data: ")
		if !found {
			continue
		}
		for _, known := range []string{
			`"frame":"connection-ack"`, `"frame":"text","text":"one "`, `"frame":"text","text":"two "`, `"frame":"text","text":"three"`,
			`"text":"one two three"`, `"text":"one "`, `"text":"two "`, `"text":"three"`, "TASK_STATE_COMPLETED",
		} {
			if strings.Contains(data, known) {
				seen = append(seen, strings.NewReplacer(`"frame":`, "", `"text":`, "", `"`, "", "TASK_STATE_", "").Replace(known))
				break
			}
		}
	}
	return seen
}

func TestAStreamCarriesMurmursFramesToWhoeverAsks(t *testing.T) {
	begin := make(chan struct{})
	s := serve(t, door.ServerOptions{OnTask: func(ctx context.Context, in *door.Incoming) (string, error) {
		<-begin // until the stream has begun, or the pieces would be in the task that it begins with
		return inPieces(ctx, in)
	}})
	call := rpc("SendStreamingMessage", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}`)
	for _, c := range []struct {
		name, header string
		want         []string
	}{
		{"not asked", "X-Nothing: 1", []string{"one ", "two ", "three", "COMPLETED"}},
		{"asked", "A2A-Extensions: https://example.org, " + streamURI, []string{"text,one ", "text,two ", "one two three", "COMPLETED"}},
		{"asked for another", "A2A-Extensions: " + streamURI + "x", []string{"one ", "two ", "three", "COMPLETED"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn := dial(t, s.URL())
			if _, err := io.WriteString(conn, post(call, "A2A-Version: 1.0", c.header)); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewReader(conn)
			var first string
			for !strings.HasPrefix(first, "data:") {
				line, err := lines.ReadString('\n')
				if err != nil {
					t.Fatal(err)
				}
				first = line
			}
			begin <- struct{}{}
			rest, err := io.ReadAll(lines)
			if diff := cmp.Diff(c.want, dataOf(string(rest))); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
	head, _, _ := strings.Cut(streamHead(t, s.URL(), call), "\r\n\r\n")
	begin <- struct{}{}
	if strings.Contains(head, "chunked") || headerOf(head, "Content-Type") != "text/event-stream" || headerOf(head, "Connection") != "close" ||
		headerOf(head, "Content-Length") != "" || headerOf(head, "A2A-Extensions") != streamURI {
		t.Errorf("the head is %s", head)
	}
}

// streamHead asks for a stream with frames and returns what comes first.
func streamHead(t *testing.T, url, call string) string {
	t.Helper()
	conn := dial(t, url)
	if _, err := io.WriteString(conn, post(call, "A2A-Version: 1.0", "a2a-extensions: "+streamURI)); err != nil {
		t.Fatal(err)
	}
	reply := make([]byte, 4096)
	n, err := conn.Read(reply)
	if err != nil {
		t.Fatal(err)
	}
	return string(reply[:n])
}

func TestAWatcherGetsMurmursFrames(t *testing.T) {
	s, err := door.Serve(door.ServerOptions{Name: "coder", Version: "1", Session: session, OnTask: inPieces})
	if err != nil {
		t.Fatal(err)
	}
	client := door.Client{URL: s.URL()}
	if _, err := client.Send(t.Context(), door.Message{Text: "x"}); err != nil {
		t.Fatal(err)
	}
	conn := dial(t, s.URL())
	if _, err := io.WriteString(conn, post(rpc("murmur.WatchSession", `{}`), "A2A-Version: 1.0", "Last-Event-ID: 2")); err != nil {
		t.Fatal(err)
	}
	reply := make([]byte, 0, 1<<16)
	for !strings.Contains(string(reply), "COMPLETED") {
		n, err := conn.Read(reply[len(reply):cap(reply)])
		if err != nil {
			t.Fatal(err)
		}
		reply = reply[:len(reply)+n]
	}
	if diff := cmp.Diff([]string{"connection-ack", "text,one ", "text,two ", "one two three", "COMPLETED"}, dataOf(string(reply))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if rest, err := io.ReadAll(conn); err != nil || strings.Contains(string(rest), "data:") {
		t.Errorf("after the door closed: %q, %v", rest, err)
	}
}

// TestPiecesAddUpWhicheverWayTheyCome reads the stream of a murmur capsule, as its frames come.
func TestPiecesAddUpWhicheverWayTheyCome(t *testing.T) {
	frame := func(id int, text string) string {
		return fmt.Sprintf("id: %d\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"statusUpdate\":{\"taskId\":\"t\",\"contextId\":\"c\",\"status\":{\"state\":\"TASK_STATE_WORKING\"},\"metadata\":{%q:{\"frame\":\"text\",\"text\":%q,\"final\":false}}}}}\n\n", id, streamURI, text)
	}
	artifact := func(text string) string {
		return fmt.Sprintf("data: {\"result\":{\"artifactUpdate\":{\"taskId\":\"t\",\"contextId\":\"c\",\"artifact\":{\"artifactId\":\"response\",\"name\":\"response\",\"parts\":[{\"text\":%q}]},\"lastChunk\":true}}}\n\n", text)
	}
	const (
		head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
		ack  = "data: {\"result\":{\"message\":{\"messageId\":\"m\",\"role\":\"ROLE_AGENT\",\"parts\":[{\"text\":\"connection-ack\"}],\"metadata\":{\"" + streamURI + "\":{\"frame\":\"connection-ack\"}}}}}\n\n"
		lag  = "data: {\"result\":{\"message\":{\"messageId\":\"m\",\"role\":\"ROLE_AGENT\",\"parts\":[{\"text\":\"lagged\"}],\"metadata\":{\"" + streamURI + "\":{\"frame\":\"lagged\",\"missed\":7}}}}}\n\n"
		done = "data: {\"result\":{\"statusUpdate\":{\"taskId\":\"t\",\"contextId\":\"c\",\"status\":{\"state\":\"TASK_STATE_COMPLETED\"}}}}\n\n"
	)
	for _, c := range []struct{ name, stream, want string }{
		{"frames, then the whole", ack + frame(1, "one ") + ":heartbeat\n\n" + frame(2, "two") + artifact("one two") + done, "one |+two|+ completed"},
		{"more at the end", frame(1, "one ") + artifact("one two") + done, "one |+two completed"},
		{"another answer", frame(1, "thinking") + artifact("one two") + done, "thinking|one two completed"},
		{"no frames", artifact("one two") + done, "one two completed"},
		{"lost events", frame(1, "one ") + lag + artifact("one two") + done, "one |lost 7|+two completed"},
		{"two answers", frame(1, "one") + artifact("one") + done + frame(2, "one") + artifact("one") + done, "one|+ completed|one|+ completed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := startFake(t, "127.0.0.1", func(conn net.Conn, h heard) {
				if !strings.Contains(h.head, "A2a-Extensions: "+streamURI) {
					t.Errorf("the client does not ask for the frames: %s", h.head)
				}
				_, _ = io.WriteString(conn, head+c.stream)
			})
			client := door.Client{URL: d.url}
			stream, err := client.Stream(t.Context(), door.Message{Text: "x"})
			if err != nil {
				t.Fatal(err)
			}
			defer stream.Close()
			var got strings.Builder
			for {
				event, err := stream.Next()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				switch {
				case event.Lost > 0:
					fmt.Fprintf(&got, "|lost %d", event.Lost)
				case event.Artifact != nil && event.Append:
					got.WriteString("|+" + event.Artifact.Text())
				case event.Artifact != nil:
					got.WriteString("|" + event.Artifact.Text())
				default:
					got.WriteString(" " + string(event.Task.State))
				}
			}
			if got := strings.TrimPrefix(got.String(), "|"); got != c.want {
				t.Errorf("read %q, want %q", got, c.want)
			}
		})
	}
}
