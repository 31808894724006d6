package door_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"murlua/lifecycle/credential"
	"murlua/lifecycle/door"
	"murlua/lifecycle/id"
)

const (
	formation      = id.Formation("frm_0199c4e2f1b7712a9d3e4f5061728394")
	otherFormation = id.Formation("frm_0199c4e2f1b7712a9d3e4f50617283ff")
)

// raw sends bytes to a door and returns the reply's head and body; it reads to the end of the stream, as murmur does.
func raw(t testing.TB, url, request string) (head, body string) {
	t.Helper()
	_, port, _ := strings.Cut(url, ":")
	conn, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	reply, err := io.ReadAll(conn)
	if err != nil {
		t.Fatalf("after %q: %v", reply, err)
	}
	head, body, _ = strings.Cut(string(reply), "\r\n\r\n")
	return head, body
}

// post returns a request with a JSON body and these header lines.
func post(body string, headers ...string) string {
	lines := append([]string{"POST / HTTP/1.1", "Host: localhost", "Content-Type: application/json", fmt.Sprintf("Content-Length: %d", len(body))}, headers...)
	return strings.Join(lines, "\r\n") + "\r\n\r\n" + body
}

func rpc(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"x","method":%q,"params":%s}`, method, params)
}

// headerOf returns the value of a header line of a reply.
func headerOf(head, name string) string {
	for _, line := range strings.Split(head, "\r\n") {
		if key, value, _ := strings.Cut(line, ": "); strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}

func statusOf(head string) string {
	_, rest, _ := strings.Cut(head, " ")
	status, _, _ := strings.Cut(rest, " ")
	return status
}

func TestAnAuthenticatedDoorRefusesAsMurmurDoes(t *testing.T) {
	authority, err := credential.NewAuthority(formation)
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := credential.NewAuthority(otherFormation)
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, door.ServerOptions{
		OnTask: upper, RefusePeers: true,
		Auth: &door.Auth{Formation: authority.Verifier("coder"), Credentials: map[string][]string{"watcher": {"GetTask"}}},
	})
	memberless := serve(t, door.ServerOptions{OnTask: upper, Auth: &door.Auth{}})
	bearer := func(s credential.Secret) string { return "Authorization: Bearer " + s.Reveal() }
	operator, watcher, member := bearer(s.Token()), bearer(s.Tokens()["watcher"]), bearer(authority.Token("lead", "coder"))
	send := rpc("SendMessage", `{}`)
	const realm = `Bearer realm="coder"`

	for _, c := range []struct {
		name, request           string
		status, code, challenge string
		door                    *door.Server
	}{
		{"no header", post(send), "401", "unauthenticated", realm, nil},
		{"no header, other path", "GET /x HTTP/1.1\r\nHost: x\r\n\r\n", "401", "unauthenticated", realm, nil},
		{"no header, no JSON", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx", "401", "unauthenticated", realm, nil},
		{"no header, peer", post(send, "X-Murmur-Task-Origin: peer"), "401", "unauthenticated", realm, nil},
		{"other scheme", post(send, "Authorization: Basic eDp5"), "401", "invalid_token", realm + `, error="invalid_token"`, nil},
		{"no token", post(send, "Authorization: Bearer"), "401", "invalid_token", realm + `, error="invalid_token"`, nil},
		{"two headers", post(send, operator, operator), "401", "invalid_token", realm + `, error="invalid_token"`, nil},
		{"another door's token", post(send, bearer(memberless.Token())), "401", "invalid_token", realm + `, error="invalid_token"`, nil},
		{"forged", post(send, operator[:len(operator)-6]+"AAAAAA"), "401", "invalid_token", realm + `, error="invalid_token"`, nil},
		{"bad, other path", "GET /x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\n\r\n", "401", "invalid_token", realm + `, error="invalid_token"`, nil},
		{"another formation's token", post(send, bearer(foreign.Token("lead", "coder"))), "401", "invalid_token", realm + `, error="invalid_token"`, nil},
		{"formation token, no verifier", post(send, member), "401", "invalid_token", realm + `, error="invalid_token"`, memberless},
		{"for another member's door", post(send, bearer(authority.Token("lead", "reviewer"))), "403", "not_permitted", realm + `, error="insufficient_scope"`, nil},
		{"scope missing", post(send, watcher), "403", "insufficient_scope", realm + `, error="insufficient_scope", scope="SendMessage"`, nil},
		{"scope missing, 0.3", post(rpc("message/send", `{}`), watcher), "403", "insufficient_scope", realm + `, error="insufficient_scope", scope="message/send"`, nil},
		{"member stops", post(rpc("session/stop", `{}`), member), "403", "insufficient_scope", realm + `, error="insufficient_scope", scope="session/stop"`, nil},
		{"member streams", post(rpc("SendStreamingMessage", `{}`), member), "403", "insufficient_scope", realm + `, error="insufficient_scope", scope="SendStreamingMessage"`, nil},
		{"scope before params", post(rpc("SendMessage", `7`), watcher), "403", "insufficient_scope", realm + `, error="insufficient_scope", scope="SendMessage"`, nil},
		{"peer", post(send, operator, "X-Murmur-Task-Origin: peer"), "403", "peer_not_accepted", "", nil},
		{"peer, before JSON-RPC", post("not JSON", operator, "x-murmur-task-origin: Peer"), "403", "peer_not_accepted", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := s
			if c.door != nil {
				at = c.door
			}
			head, body := raw(t, at.URL(), c.request)
			var said struct{ Error, Message string }
			if err := json.Unmarshal([]byte(body), &said); err != nil || said.Message == "" {
				t.Errorf("the body is %q", body)
			}
			got := []string{statusOf(head), said.Error, headerOf(head, "Www-Authenticate"), headerOf(head, "Connection"), headerOf(head, "Content-Type")}
			if diff := cmp.Diff([]string{c.status, c.code, c.challenge, "close", "application/json"}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if headerOf(head, "Content-Length") != fmt.Sprint(len(body)) || strings.Contains(head, "Transfer-Encoding") {
				t.Errorf("the reply is not framed by its length: %s", head)
			}
		})
	}
}

func TestRefusalsWithStatus401AreTheSameAtEveryDoor(t *testing.T) {
	first := serve(t, door.ServerOptions{Auth: &door.Auth{}, Name: "a", Version: "1"})
	second := serve(t, door.ServerOptions{Auth: &door.Auth{}, Name: "b", Version: "2", OnTask: upper, Session: otherSession})
	for _, header := range []string{"X-Nothing: 1", "Authorization: Bearer x"} {
		_, a := raw(t, first.URL(), post("{}", header))
		_, b := raw(t, second.URL(), post(rpc("GetTask", `{"id":"x"}`), header))
		if a != b {
			t.Errorf("%s: %q and %q", header, a, b)
		}
	}
}

// outcome is what a JSON-RPC call came to: an error code, or 0.
func outcome(t testing.TB, url, request string) int {
	t.Helper()
	head, body := raw(t, url, request)
	var reply struct {
		JSONRPC string
		ID      any
		Result  json.RawMessage
		Error   *struct {
			Code    int
			Message string
		}
	}
	if err := json.Unmarshal([]byte(body), &reply); err != nil || statusOf(head) != "200" || reply.JSONRPC != "2.0" || (reply.Error == nil) == (reply.Result == nil) {
		t.Fatalf("not a JSON-RPC reply: %s\n%s", head, body)
	}
	if reply.Error == nil {
		return 0
	}
	return reply.Error.Code
}

func TestCallsAreJudgedInMurmursOrder(t *testing.T) {
	s := serve(t, door.ServerOptions{OnTask: upper})
	closed := serve(t, door.ServerOptions{})
	gated := serve(t, door.ServerOptions{OnTask: upper, Auth: &door.Auth{}})
	operator := "Authorization: bEaReR " + gated.Token().Reveal()
	const v1, v03 = "A2A-Version: 1.0", "A2A-Version: 0.3"
	for _, c := range []struct {
		name, request string
		want          int
		door          *door.Server
	}{
		{"not JSON", post("{"), -32700, nil},
		{"not JSON, bad version", post("{", "A2A-Version: 9"), -32700, nil},
		{"batch", post("[]"), -32600, nil},
		{"other jsonrpc", post(`{"jsonrpc":"1.0","id":1,"method":"GetTask"}`), -32600, nil},
		{"no id", post(`{"jsonrpc":"2.0","method":"GetTask"}`), -32600, nil},
		{"id null", post(`{"jsonrpc":"2.0","id":null,"method":"GetTask"}`), -32600, nil},
		{"id fraction", post(`{"jsonrpc":"2.0","id":1.5,"method":"GetTask"}`), -32600, nil},
		{"method a number", post(`{"jsonrpc":"2.0","id":1,"method":7}`), -32600, nil},
		{"key in other case", post(`{"jsonrpc":"2.0","ID":1,"method":"GetTask"}`), -32600, nil},
		{"version before method", post(rpc("None", "{}"), "A2A-Version: 2.0"), -32009, nil},
		{"two versions", post(rpc("GetTask", `{"id":"x"}`), v1, v1), -32009, nil},
		{"patch of a patch", post(rpc("GetTask", `{"id":"x"}`), "A2A-Version: 1.0.x"), -32009, nil},
		{"the outcome of a delegated task, before the method", post(rpc("SendMessage", "{}"), v1, "X-Murmur-Task-Origin: completion"), -31002, nil},
		{"unknown method", post(rpc("gettask", "{}"), v1), -32601, nil},
		{"unknown method before params", post(rpc("None", "7"), v1), -32601, nil},
		{"params a list", post(rpc("GetTask", "[]"), v1), -32602, nil},
		{"no params", post(`{"jsonrpc":"2.0","id":1,"method":"GetTask"}`, v1), -32602, nil},
		{"GetTask", post(rpc("GetTask", `{"id":"x"}`), v1), -32001, nil},
		{"GetTask, patch version", post(rpc("GetTask", `{"id":"x"}`), "a2a-version: 1.0.7"), -32001, nil},
		{"GetTask, no version", post(rpc("GetTask", `{"id":"x"}`)), -32001, nil},
		{"tasks/get", post(rpc("tasks/get", `{"id":"x"}`)), -32001, nil},
		{"tasks/get, version", post(rpc("tasks/get", `{"id":"x"}`), v03), -32001, nil},
		{"tenant", post(rpc("GetTask", `{"id":"x","tenant":"y"}`), v1), -32602, nil},
		{"extended card of a public door, 1.0", post(rpc("GetExtendedAgentCard", "{}"), v1), -32004, nil},
		{"extended card of a public door, 0.3", post(rpc("agent/getAuthenticatedExtendedCard", "{}")), -32007, nil},
		{"extended card", post(rpc("GetExtendedAgentCard", "{}"), v1, operator), 0, gated},
		{"extended card, 0.3", post(rpc("agent/getAuthenticatedExtendedCard", "{}"), operator), 0, gated},
		{"push", post(rpc("CreateTaskPushNotificationConfig", "{}"), v1), -32003, nil},
		{"session/stop", post(rpc("session/stop", "{}")), 0, nil},
		{"murmur.StopSession", post(rpc("murmur.StopSession", "{}"), v1), 0, nil},
		{"no tasks: send", post(rpc("SendMessage", "{}"), v1), -32601, closed},
		{"no tasks: stream", post(rpc("SendStreamingMessage", "{}"), v1), -32004, closed},
		{"a public door ignores tokens", post(rpc("GetTask", `{"id":"x"}`), v1, "Authorization: Bearer x"), -32001, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := s
			if c.door != nil {
				at = c.door
			}
			if got := outcome(t, at.URL(), c.request); got != c.want {
				t.Errorf("answered with %d, want %d", got, c.want)
			}
		})
	}
}

func TestMessagesAreChecked(t *testing.T) {
	s := serve(t, door.ServerOptions{OnTask: upper})
	send := func(message, more string) string {
		return post(rpc("SendMessage", `{"message":`+message+more+`}`), "A2A-Version: 1.0")
	}
	const good = `{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}`
	for _, c := range []struct {
		name, request string
		want          int
	}{
		{"good", send(good, ""), 0},
		{"data", send(`{"messageId":"m","role":"ROLE_USER","parts":[{"data":null},{"text":""}]}`, ""), 0},
		{"good, 0.3", post(rpc("message/send", `{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"x"}]}}`)), 0},
		{"no message", post(rpc("SendMessage", "{}")), -32602},
		{"no id", send(`{"role":"ROLE_USER","parts":[{"text":"x"}]}`, ""), -32602},
		{"agent's role", send(`{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"x"}]}`, ""), -32602},
		{"0.3 role", send(`{"messageId":"m","role":"user","parts":[{"text":"x"}]}`, ""), -32602},
		{"no parts", send(`{"messageId":"m","role":"ROLE_USER","parts":[]}`, ""), -32602},
		{"empty part", send(`{"messageId":"m","role":"ROLE_USER","parts":[{}]}`, ""), -32602},
		{"two contents", send(`{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x","data":1}]}`, ""), -32602},
		{"text a number", send(`{"messageId":"m","role":"ROLE_USER","parts":[{"text":1}]}`, ""), -32602},
		{"file", send(`{"messageId":"m","role":"ROLE_USER","parts":[{"url":"http://x"}]}`, ""), -32005},
		{"push", send(good, `,"configuration":{"taskPushNotificationConfig":{"url":"x"}}`), -32003},
		{"returnImmediately a text", send(good, `,"configuration":{"returnImmediately":"yes"}`), -32602},
		{"unknown task", send(`{"messageId":"m","taskId":"t","role":"ROLE_USER","parts":[{"text":"x"}]}`, ""), -32001},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := outcome(t, s.URL(), c.request); got != c.want {
				t.Errorf("answered with %d, want %d", got, c.want)
			}
		})
	}
}

func TestWhatIsNoCallIsNotFound(t *testing.T) {
	s := serve(t, door.ServerOptions{OnTask: upper})
	for name, request := range map[string]string{
		"other path":    "POST /x HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
		"other method":  "PUT / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
		"other content": "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}",
		"no body":       "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n",
		"card posted":   "POST /.well-known/agent-card.json HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
	} {
		if head, body := raw(t, s.URL(), request); statusOf(head) != "404" || body != "" || headerOf(head, "Content-Length") != "0" {
			t.Errorf("%s: %s\n%s", name, head, body)
		}
	}
	head, body := raw(t, s.URL(), "GET /.well-known/agent-card.json HTTP/1.1\r\nHost: x\r\n\r\n")
	if statusOf(head) != "200" || headerOf(head, "Connection") != "close" || headerOf(head, "Content-Length") != fmt.Sprint(len(body)) || headerOf(head, "Content-Type") != "application/json" {
		t.Errorf("the card comes with %s", head)
	}
}

func TestATokenReachesItsOwnTasksOnly(t *testing.T) {
	authority, err := credential.NewAuthority(formation)
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, door.ServerOptions{
		OnTask: func(ctx context.Context, in *door.Incoming) (string, error) { return in.Caller + " " + in.Member, nil },
		Auth:   &door.Auth{Formation: authority.Verifier("coder"), Credentials: map[string][]string{"ci": {"message/send", "GetTask"}}},
	})
	clients := map[string]*door.Client{
		"operator ":        {URL: s.URL(), Token: s.Token()},
		"ci ":              {URL: s.URL(), Token: s.Tokens()["ci"]},
		"member:lead lead": {URL: s.URL(), Token: authority.Token("lead", "coder"), Peer: true},
		"member:a a":       {URL: s.URL(), Token: authority.Token("a", "coder"), Peer: true},
	}
	tasks := map[string]string{}
	for name, client := range clients {
		task, err := client.Send(t.Context(), door.Message{Text: "x"})
		if err != nil || task.Text() != name {
			t.Fatalf("%s: Send gives %+v, %v", name, task, err)
		}
		tasks[name] = task.ID
	}
	for reader, client := range clients {
		for owner, task := range tasks {
			_, err := client.Task(t.Context(), task)
			if may := reader == owner || reader == "operator "; (err == nil) != may {
				t.Errorf("%s reads the task of %s: %v", reader, owner, err)
			}
		}
	}
	for _, name := range []string{"", "operator", "member:lead"} {
		o := door.ServerOptions{Name: "coder", Version: "1", Session: session, Auth: &door.Auth{Credentials: map[string][]string{name: {"GetTask"}}}}
		if s, err := door.Serve(o); err == nil {
			_ = s.Close(t.Context())
			t.Errorf("a credential may be called %q", name)
		}
	}
}
