package door_test

import (
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"murlua/lifecycle/door"
)

var changing = regexp.MustCompile(`(tsk|ctx|msg)_[0-9a-f]{32}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)

// steady replaces what differs from run to run by its kind.
func steady(text string) string {
	return changing.ReplaceAllStringFunc(text, func(match string) string {
		if prefix, _, found := strings.Cut(match, "_"); found {
			return prefix
		}
		return "time"
	})
}

// TestAnAnswerIsInTheDialectOfItsCall writes out what both dialects of A2A look like on the wire.
func TestAnAnswerIsInTheDialectOfItsCall(t *testing.T) {
	s := serve(t, door.ServerOptions{OnTask: upper})
	for _, c := range []struct{ name, call, want string }{
		{
			"1.0", rpc("SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}`),
			`{"jsonrpc":"2.0","id":"x","result":{"task":{"id":"tsk","contextId":"ctx","status":{"state":"TASK_STATE_COMPLETED","timestamp":"time"},` +
				`"artifacts":[{"artifactId":"response","name":"response","parts":[{"text":"X","mediaType":"text/plain"}]}]}}}`,
		},
		{
			"0.3", rpc("message/send", `{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"x"}]}}`),
			`{"jsonrpc":"2.0","id":"x","result":{"kind":"task","id":"tsk","contextId":"ctx","status":{"state":"completed","timestamp":"time"},` +
				`"artifacts":[{"artifactId":"response","name":"response","parts":[{"kind":"text","text":"X"}]}]}}`,
		},
		{
			"1.0 error", rpc("GetTask", `{"id":"none"}`),
			`{"jsonrpc":"2.0","id":"x","error":{"code":-32001,"message":"Task not found","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo",` +
				`"reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"taskId":"none"}}]}}`,
		},
		{"0.3 error", rpc("tasks/get", `{"id":"none"}`), `{"jsonrpc":"2.0","id":"x","error":{"code":-32001,"message":"Task not found"}}`},
		{"stop", rpc("session/stop", `{}`), `{"jsonrpc":"2.0","id":"x","result":{"canceled":[],"residue":[],"session_id":"` + session + `"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, body := raw(t, s.URL(), post(c.call))
			if diff := cmp.Diff(c.want, steady(body)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAStreamIsInTheDialectOfItsCall(t *testing.T) {
	s := serve(t, door.ServerOptions{OnTask: upper})
	if _, err := (&door.Client{URL: s.URL()}).Send(t.Context(), door.Message{Text: "x"}); err != nil {
		t.Fatal(err)
	}
	for version, want := range map[string][]string{
		"0.3": {
			`{"kind":"status-update","taskId":"tsk","contextId":"ctx","status":{"state":"submitted","timestamp":"time"},"final":false}`,
			`{"kind":"status-update","taskId":"tsk","contextId":"ctx","status":{"state":"working","timestamp":"time"},"final":false}`,
			`{"kind":"artifact-update","taskId":"tsk","contextId":"ctx","artifact":{"artifactId":"response","name":"response","parts":[{"kind":"text","text":"X"}]},"lastChunk":true}`,
			`{"kind":"status-update","taskId":"tsk","contextId":"ctx","status":{"state":"completed","timestamp":"time"},"final":true}`,
		},
		"1.0": {
			`{"statusUpdate":{"taskId":"tsk","contextId":"ctx","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"time"}}}`,
			`{"statusUpdate":{"taskId":"tsk","contextId":"ctx","status":{"state":"TASK_STATE_WORKING","timestamp":"time"}}}`,
			`{"artifactUpdate":{"taskId":"tsk","contextId":"ctx","artifact":{"artifactId":"response","name":"response","parts":[{"text":"X","mediaType":"text/plain"}]},"lastChunk":true}}`,
			`{"statusUpdate":{"taskId":"tsk","contextId":"ctx","status":{"state":"TASK_STATE_COMPLETED","timestamp":"time"}}}`,
		},
	} {
		t.Run(version, func(t *testing.T) {
			conn := dial(t, s.URL())
			if _, err := io.WriteString(conn, post(rpc("stream/watch", `{}`), "A2A-Version: "+version)); err != nil {
				t.Fatal(err)
			}
			var got []string
			for text := ""; len(got) < len(want); {
				piece := make([]byte, 4096)
				n, err := conn.Read(piece)
				if err != nil {
					t.Fatal(err)
				}
				text += string(piece[:n])
				got = got[:0]
				for _, event := range strings.Split(text, "\n\n") {
					var reply struct{ Result json.RawMessage }
					_, data, _ := strings.Cut(event, "data: ")
					if json.Unmarshal([]byte(data), &reply) == nil && !strings.Contains(data, "connection-ack") {
						got = append(got, steady(string(reply.Result)))
					}
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
