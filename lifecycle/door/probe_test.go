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
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"murlua/lifecycle/credential"
	"murlua/lifecycle/door"
)

const token = "mdt1.eyJhIjoxfQ.secret-part"

func TestProbeSendsWhatMurmurSends(t *testing.T) {
	for _, c := range []struct {
		name, token, reply string
		want               []heard
	}{
		{"public", "", ok(cardOf(session)), []heard{{
			head: "GET /.well-known/agent-card.json HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\nA2A-Version: 1.0\r\nConnection: close\r\n\r\n",
		}}},
		{"authenticated", token, ok(`{"jsonrpc":"2.0","id":1,"result":` + cardOf(session) + `}`), []heard{{
			head: "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 66\r\nAuthorization: Bearer " + token + "\r\nA2A-Version: 1.0\r\nConnection: close\r\n\r\n",
			body: `{"id":1,"jsonrpc":"2.0","method":"GetExtendedAgentCard","params":{}}`,
		}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := startFake(t, "127.0.0.1", say(c.reply))
			got, err := door.Probe(t.Context(), d.url, credential.NewSecret(c.token))
			if err != nil || got != session {
				t.Fatalf("Probe gives %q, %v", got, err)
			}
			for i := range c.want {
				c.want[i].head = strings.Replace(c.want[i].head, "Content-Length: 66", fmt.Sprintf("Content-Length: %d", len(c.want[i].body)), 1)
			}
			if diff := cmp.Diff(c.want, d.heard(), cmp.AllowUnexported(heard{})); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

func TestProbeAsksAnOlderDoorByItsOwnMethod(t *testing.T) {
	d := startFake(t, "127.0.0.1", func(conn net.Conn, h heard) {
		if strings.Contains(h.body, `"agent/getAuthenticatedExtendedCard"`) && !strings.Contains(h.head, "A2A-Version") {
			say(ok(`{"id":1,"result":`+cardOf(session)+`}`))(conn, h)
			return
		}
		say(ok(`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`))(conn, h)
	})
	got, err := door.Probe(t.Context(), d.url, credential.NewSecret(token))
	if err != nil || got != session {
		t.Errorf("Probe gives %q, %v", got, err)
	}
}

func TestProbeTriesBothLoopbackAddresses(t *testing.T) {
	for _, hosts := range [][]string{{"127.0.0.1"}, {"::1"}, {"127.0.0.1", "::1"}} {
		t.Run(strings.Join(hosts, "+"), func(t *testing.T) {
			d := startFake(t, hosts[0], say(ok(cardOf(session))))
			if len(hosts) == 2 {
				_, port, _ := strings.Cut(d.url, ":")
				if listener, err := net.Listen("tcp", net.JoinHostPort(hosts[1], port)); err == nil {
					serveFake(t, listener, say(ok(cardOf(session))))
				}
			}
			for _, url := range []string{d.url, "http://" + d.url, "https://" + d.url, "http://http://" + d.url + "/", strings.Replace(d.url, "localhost", "LOCALHOST", 1)} {
				if got, err := door.Probe(t.Context(), url, credential.Secret{}); err != nil || got != session {
					t.Errorf("Probe(%s) gives %q, %v", url, got, err)
				}
			}
		})
	}
}

func TestProbeNamesEveryAddressThatRefused(t *testing.T) {
	_, err := door.Probe(t.Context(), freeAddress(t), credential.Secret{})
	if err == nil {
		t.Fatal("Probe of a closed port succeeds")
	}
	for _, want := range []string{"127.0.0.1: connection refused", "::1: connection refused"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
}

// freeAddress returns localhost with a port that nothing listens on.
func freeAddress(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return fmt.Sprintf("localhost:%d", listener.Addr().(*net.TCPAddr).Port)
}

func TestProbeFindsACardAtTheOldPath(t *testing.T) {
	const usual, old = "/.well-known/agent-card.json", "/.well-known/agent.json"
	page := "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<!doctype html><title>app</title>"
	for _, c := range []struct {
		name     string
		replies  map[string]string
		session  string
		noted    bool
		err      string
		requests int
	}{
		{"usual path", map[string]string{usual: ok(cardOf(session))}, session, false, "", 1},
		{"old path only", map[string]string{old: ok(cardOf(session))}, session, true, "", 2},
		{"a page at the usual path, a card at the old", map[string]string{usual: page, old: ok(cardOf(session))}, session, true, "", 2},
		{"a page everywhere", map[string]string{usual: page, old: page}, "", false, "is not JSON", 2},
		{"an empty object everywhere", map[string]string{usual: ok("{}"), old: ok("{}")}, "", false, "names no session", 2},
		{"a card without session", map[string]string{usual: ok(`{"name":"x"}`), old: ok(cardOf(session))}, "", false, "names no session", 1},
		{"neither", nil, "", false, `answered "HTTP/1.1 404 Not Found"`, 2},
		{"forbidden", map[string]string{usual: "HTTP/1.1 403 Forbidden\r\n\r\n", old: ok(cardOf(session))}, "", false, "403", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := startFake(t, "127.0.0.1", byPath(c.replies))
			sight, err := door.Look(t.Context(), d.url, credential.Secret{})
			if sight.Session != c.session || (sight.Note != "") != c.noted {
				t.Errorf("Look gives %+v", sight)
			}
			if (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("Look fails with %v, want %q in it", err, c.err)
			}
			if n := len(d.heard()); n != c.requests {
				t.Errorf("the door heard %d requests, want %d", n, c.requests)
			}
			client := door.Client{URL: d.url}
			if card, err := client.Card(t.Context()); card.Session != c.session || (err == nil) != (c.session != "" || c.name == "a card without session") {
				t.Errorf("Card gives %+v, %v", card, err)
			}
		})
	}
}

func TestProbeReadsTheSessionWhereMurmurReadsIt(t *testing.T) {
	card := func(extensions string) string { return `{"name":"c","capabilities":{"extensions":` + extensions + `}}` }
	for _, c := range []struct{ name, card, want string }{
		{"extension", cardOf(session), session},
		{"top level, as before 0.5", `{"name":"c","session_id":"` + session + `"}`, ""},
		{"other URI", card(`[{"uri":"https://example.org","params":{"sessionId":"` + session + `"}}]`), ""},
		{"first one counts", card(`[{"uri":"` + capsuleURI + `","params":{}},{"uri":"` + capsuleURI + `","params":{"sessionId":"` + session + `"}}]`), ""},
		{"other case of keys", card(`[{"URI":"` + capsuleURI + `","Params":{"sessionId":"` + session + `"}}]`), ""},
		{"empty", card(`[{"uri":"` + capsuleURI + `","params":{"sessionId":""}}]`), ""},
		{"number", card(`[{"uri":"` + capsuleURI + `","params":{"sessionId":7}}]`), ""},
		{"odd entries", card(`[null,7,{"uri":"` + capsuleURI + `","params":{"sessionId":"` + session + `"}}]`), session},
		{"extensions are no list", card(`{}`), ""},
		{"terminal codes", card(`[{"uri":"` + capsuleURI + `","params":{"sessionId":"\u001b[2Jx"}}]`), ""},
		{"far too long", card(`[{"uri":"` + capsuleURI + `","params":{"sessionId":"` + strings.Repeat("s", 4000) + `"}}]`), ""},
		{"list", `[]`, ""},
		{"two values", cardOf(session) + "{}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := startFake(t, "127.0.0.1", say(ok(c.card)))
			got, err := door.Probe(t.Context(), d.url, credential.Secret{})
			if got != c.want || (err == nil) != (c.want != "") {
				t.Errorf("Probe gives %q, %v; want %q", got, err, c.want)
			}
			if err != nil && (len(err.Error()) > 400 || strings.Contains(err.Error(), "\x1b")) {
				t.Errorf("the error passes on what the door sent: %q", err)
			}
		})
	}
}

func TestProbeOfAHostileDoorIsBounded(t *testing.T) {
	card := cardOf(session)
	var zipped bytes.Buffer
	zip := gzip.NewWriter(&zipped)
	_, _ = io.WriteString(zip, card)
	_ = zip.Close()
	flood := func(conn net.Conn, _ heard) {
		block := bytes.Repeat([]byte(" "), 64<<10)
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n")
		for range (1 << 30) / len(block) {
			if _, err := conn.Write(block); err != nil {
				return
			}
		}
	}
	for _, c := range []struct {
		name   string
		answer func(net.Conn, heard)
		err    string
	}{
		{"silent", func(conn net.Conn, _ heard) { _, _ = conn.Read(make([]byte, 1)) }, "took longer than"},
		{"one byte now and then", drip, "took longer than"},
		{"endless headers", func(conn net.Conn, _ heard) {
			for filler := []byte("x-filler: " + strings.Repeat("y", 8000) + "\r\n"); ; {
				if _, err := conn.Write(filler); err != nil {
					return
				}
			}
		}, "larger than"},
		{"a body of 1 GB", flood, "larger than"},
		{"closes at once", func(net.Conn, heard) {}, "not an HTTP reply"},
		{"resets", func(conn net.Conn, _ heard) { _ = conn.(*net.TCPConn).SetLinger(0) }, "reset"},
		{"redirects", say("HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n"), "302 Found"},
		{"chunked", say(fmt.Sprintf("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(card), card)), "not JSON"},
		{"compressed", say("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n" + zipped.String()), "not UTF-8"},
		{"HTML", say("HTTP/1.1 200 OK\r\n\r\n<html>"), "not JSON"},
		{"never closes", func(conn net.Conn, _ heard) { _, _ = io.WriteString(conn, ok(card)); _, _ = conn.Read(make([]byte, 1)) }, "took longer than"},
		{"HTTP/2", say("HTTP/2 200\r\n\r\n" + card), "HTTP/2"},
		{"no HTTP", say("220 mail ready\r\n\r\n"), "220 mail"},
		{"deep JSON", say(ok(strings.Repeat("[", 500_000))), "not JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := startFake(t, "127.0.0.1", c.answer)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			sight, err := door.LookWithin(t.Context(), d.url, credential.Secret{}, time.Second)
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("Look gives %+v, %v; want an error with %q", sight, err, c.err)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 8*door.ReplyLimit {
				t.Errorf("the probe allocated %d bytes", used)
			}
		})
	}
}

// drip sends a byte at a time and never ends.
func drip(conn net.Conn, _ heard) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		if _, err := conn.Write([]byte("H")); err != nil {
			return
		}
	}
}

func TestProbeEndsWithItsContext(t *testing.T) {
	d := startFake(t, "127.0.0.1", drip)
	why := errors.New("the launch was abandoned")
	ctx, cancel := context.WithCancelCause(t.Context())
	result := make(chan error, 1)
	go func() { _, err := door.Probe(ctx, d.url, credential.Secret{}); result <- err }()
	for len(d.heard()) == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel(why)
	if err := <-result; !errors.Is(err, why) {
		t.Errorf("Probe fails with %v, want the context's cause", err)
	}
}

func TestProbeKeepsTheTokenOutOfItsErrors(t *testing.T) {
	secret := credential.NewSecret(token)
	echo := func(conn net.Conn, h heard) {
		_, _ = io.WriteString(conn, "HTTP/1.1 400 "+strings.ReplaceAll(h.head, "\r\n", " ")+"\r\n\r\n"+h.head+h.body)
	}
	for name, answer := range map[string]func(net.Conn, heard){
		"echoes the request": echo, "closes": func(net.Conn, heard) {}, "no result": say(ok("{}")), "no JSON": say("HTTP/1.1 200 OK\r\n\r\n" + token),
		"session": say(ok(`{"result":` + cardOf(token) + `}`)),
	} {
		_, err := door.Probe(t.Context(), startFake(t, "127.0.0.1", answer).url, secret)
		if err == nil {
			t.Errorf("%s: Probe succeeds", name)
		} else if strings.Contains(err.Error(), token) || strings.Contains(err.Error(), "secret-part") {
			t.Errorf("%s: the error shows the token: %v", name, err)
		}
	}
	plain := startFake(t, "127.0.0.1", say(ok(`{"result":`+cardOf("aplaintoken")+`}`)))
	if session, err := door.Probe(t.Context(), plain.url, credential.NewSecret("plaintoken")); err == nil || session != "" {
		t.Errorf("a card that names the token as session gives %q, %v", session, err)
	}
	if _, err := door.Probe(t.Context(), freeAddress(t), credential.NewSecret("a\r\nX: y")); err == nil || strings.Contains(err.Error(), "X: y") {
		t.Errorf("a token with a line break: %v", err)
	}
}

func TestProbeRefusesWhatIsNoAddress(t *testing.T) {
	for _, url := range []string{"", "http://", ":80", "localhost:0", "localhost:65536", "localhost:x", "user:pass@localhost:80", "local host:80", "localhost:80\r\nx: y", "[::1"} {
		if _, err := door.Probe(t.Context(), url, credential.Secret{}); err == nil || !strings.Contains(err.Error(), "cannot read door address") {
			t.Errorf("Probe(%q) gives %v", url, err)
		}
	}
}
