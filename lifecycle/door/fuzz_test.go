package door_test

import (
	"encoding/json"
	"strings"
	"testing"

	"murlua/lifecycle/door"
)

func FuzzCard(f *testing.F) {
	f.Add([]byte(cardOf(session)))
	f.Add([]byte(`{"name":"c","protocolVersion":"0.3.0","supportsAuthenticatedExtendedCard":true}`))
	f.Add([]byte(`{"supportedInterfaces":[{"protocolVersion":"1.0"}],"capabilities":{"extensions":[null]}}`))
	f.Add([]byte(`[{"capabilities":{}}]`))
	f.Add([]byte("<html>"))
	f.Fuzz(func(t *testing.T, text []byte) {
		named := door.SessionOf(text)
		if named != "" && !json.Valid(text) {
			t.Errorf("a session is read off what is no JSON: %q", text)
		}
		card, err := door.ReadCard(text)
		if err == nil && card.Session != "" && card.Session != named {
			t.Errorf("the card names %q and %q", card.Session, named)
		}
	})
}

func FuzzAddress(f *testing.F) {
	for _, text := range []string{"localhost:41873", "http://localhost:1", "https://[::1]:65535/", "http://http://x:1/a/b", "user@x:1", "x:1\r\ny"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		host, port, path, err := door.ParseAddress(text)
		if err != nil {
			return
		}
		if port == 0 || strings.ContainsAny(host+path, "\r\n \x00") || host == "" {
			t.Errorf("%q is taken as host %q, port %d, path %q", text, host, port, path)
		}
	})
}

func FuzzRequest(f *testing.F) {
	f.Add([]byte(rpc("SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}`)))
	f.Add([]byte(rpc("message/send", `{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"data","data":{}}]},"configuration":{"blocking":false}}`)))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1.5,"method":"x"}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		method, code := door.Answer(body)
		if code == 0 && (method == "" && !json.Valid(body)) {
			t.Errorf("a request that is no JSON is accepted: %q", body)
		}
		if code > 0 || code < -32700 {
			t.Errorf("%q is answered with code %d", body, code)
		}
	})
}

func FuzzStream(f *testing.F) {
	f.Add([]byte("id: 1\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"task\":{\"id\":\"t\",\"contextId\":\"c\",\"status\":{\"state\":\"TASK_STATE_WORKING\"}}}}\n\n"))
	f.Add([]byte(": \n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\ndata: \"result\":{\"kind\":\"status-update\",\"taskId\":\"t\",\"status\":{\"state\":\"working\"},\"final\":false}}\r\n\r\n"))
	f.Add([]byte("data: {\"result\":{\"kind\":\"artifact-update\",\"artifact\":{\"artifactId\":\"a\",\"parts\":[{\"kind\":\"text\",\"text\":\"x\"}]}}}\n\n"))
	f.Add([]byte("data: {\"error\":{\"code\":-32001,\"message\":\"x\"}}\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		events, err := door.Events(text)
		if err == nil {
			t.Error("a stream ends without an error, not even the end")
		}
		if len(events) > len(text) {
			t.Errorf("%d events from %d bytes", len(events), len(text))
		}
	})
}
