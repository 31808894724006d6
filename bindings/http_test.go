package bindings

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// echo answers with what it was asked.
func echo(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/redirect":
		http.Redirect(w, r, "/?to", http.StatusFound)
		return
	case "/loop":
		http.Redirect(w, r, "/loop", http.StatusFound)
		return
	case "/silent":
		<-r.Context().Done()
		return
	case "/lines":
		for i := range 3 {
			fmt.Fprintf(w, "line %d\r\n", i)
			w.(http.Flusher).Flush()
		}
		fmt.Fprint(w, "last")
		return
	case "/stuck":
		fmt.Fprint(w, "some")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return
	case "/missing":
		http.Error(w, "no", http.StatusNotFound)
		return
	}
	body, _ := io.ReadAll(r.Body)
	w.Header().Add("X-Two", "a")
	w.Header().Add("X-Two", "b")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"method": r.Method, "path": r.URL.Path, "query": r.URL.RawQuery, "body": string(body), "host": r.Host,
		"type": r.Header.Get("Content-Type"), "x": r.Header.Values("X-Test"),
	})
}

func serve(t *testing.T, network, address string) *httptest.Server {
	t.Helper()
	listener, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.HandlerFunc(echo)}}
	server.Start()
	t.Cleanup(server.Close)
	return server
}

func port(t *testing.T, server *httptest.Server) string {
	t.Helper()
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func TestLocalhostIsEitherAddress(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		p := port(t, serve(t, "tcp", address))
		printed(t, nil, `print(mur.http.get("http://localhost:`+p+`/").status)`, "200")
	}
	both := port(t, serve(t, "tcp", ":0"))
	printed(t, nil, `print(mur.http.get("http://localhost:`+both+`/").status)`, "200")
}

func TestWhatCannotBeReachedNamesEveryAddress(t *testing.T) {
	free := serve(t, "tcp", "127.0.0.1:0")
	p := port(t, free)
	free.Close()
	printed(t, nil, `local ok, e = pcall(mur.http.get, "http://localhost:`+p+`/") print(e.kind, e.message)
		for _, a in ipairs(e.addresses) do print(a.address, a.error) end`,
		"unreachable\tcannot reach localhost:"+p+" (127.0.0.1:"+p+": connection refused; [::1]:"+p+": connection refused)\n"+
			"127.0.0.1:"+p+"\tconnection refused\n[::1]:"+p+"\tconnection refused")
}

func TestRequests(t *testing.T) {
	url := serve(t, "tcp", "127.0.0.1:0").URL
	for _, test := range []struct{ call, show, want string }{
		{`get("$U/a?b=1", { query = { c = "x y", a = true } })`, `d.method, d.path, d.query`, "GET\t/a\tb=1&a=true&c=x+y"},
		{`get("$U", { headers = { ["x-test"] = { "1", "2" }, host = "example" } })`, `d.x[1], d.x[2], d.host, r.headers["x-two"]`, "1\t2\texample\ta, b"},
		{`post("$U", "text")`, `d.method, d.body, d.type`, "POST\ttext\t"},
		{`post("$U", { a = 1 })`, `d.body, d.type`, "{\"a\":1}\tapplication/json"},
		{`request { url = "$U", method = "put", json = { 1 }, headers = { ["Content-Type"] = "x/y" } }`, `d.method, d.body, d.type`, "PUT\t[1]\tx/y"},
		{`get("$U/redirect")`, `r.status, d.query, r.url`, "200\tto\t$U/?to"},
	} {
		source := strings.ReplaceAll(`local r = mur.http.`+test.call+` local d = mur.json.decode(r.body) print(`+test.show+`)`, "$U", url)
		printed(t, nil, source, strings.ReplaceAll(test.want, "$U", url))
	}
	printed(t, nil, `local r = mur.http.get("`+url+`/missing") print(r.status, r.reason, r.body == "no\n", r.took >= 0)`, "404\tNot Found\ttrue\ttrue")
	printed(t, nil, `print(mur.http.get("`+url+`/redirect", { redirects = 0 }).status)`, "302")
}

func TestFailedRequestsHaveKinds(t *testing.T) {
	url := serve(t, "tcp", "127.0.0.1:0").URL
	for _, test := range []struct{ call, want string }{
		{`get, "$U/silent", { timeout = 0.03 }`, "timeout no complete answer from $U/silent within 30ms"},
		{`get, "$U/stuck", { timeout = 0.03 }`, "timeout no complete answer from $U/stuck within 30ms"},
		{`get, "$U/", { max_body = 5 }`, "too_large the answer from $U/ is longer than 5 bytes"},
		{`get, "$U/loop", { redirects = 2 }`, "io cannot ask $U/loop: more than 2 redirects"},
		{`get, "ftp://x/"`, `bad_url cannot ask "ftp://x/": an http or https URL with a host is needed`},
		{`get, "http://"`, `bad_url cannot ask "http://": an http or https URL with a host is needed`},
		{`get, "$U", { time_out = 1 }`, "usage unknown option 'time_out' of 'mur.http.get'; did you mean 'timeout'?"},
		{`request, { method = "GET" }`, "usage bad option 'url' of 'mur.http.request': it is required"},
		{`post, "$U", { print }`, "bad_value cannot write value[1] as JSON: it is a function"},
	} {
		source := strings.ReplaceAll(`local ok, e = pcall(mur.http.`+test.call+`) print(e.kind, e.message)`, "$U", url)
		printed(t, nil, source, strings.Replace(strings.ReplaceAll(test.want, "$U", url), " ", "\t", 1))
	}
	printed(t, nil, `local ok, e = pcall(mur.http.get, "http://u:hunter2@`+strings.TrimPrefix(url, "http://")+`/silent", { timeout = 0.01 }) print(e.message:find "hunter2")`, "nil")
}

func TestUnixSockets(t *testing.T) {
	dir := t.TempDir()
	serve(t, "unix", filepath.Join(dir, "s"))
	w := &World{Workdir: dir}
	printed(t, w, `print(mur.http.get("http://any/x", { unix = "s" }).status)`, "200")
	printed(t, w, `print(select(2, pcall(mur.http.get, "http://any/x", { unix = "none" })).message)`,
		"cannot reach "+dir+"/none ("+dir+"/none: no such file or directory)")
}

func TestTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(echo))
	server.Config.ErrorLog = discardLog
	server.StartTLS()
	t.Cleanup(server.Close)
	dir := t.TempDir()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(filepath.Join(dir, "ca.pem"), ca, 0o600); err != nil {
		t.Fatal(err)
	}
	w := &World{Workdir: dir}
	printed(t, w, `print(select(2, pcall(mur.http.get, "`+server.URL+`")).kind)`, "tls")
	printed(t, w, `print(mur.http.get("`+server.URL+`", { tls = { insecure = true } }).status)`, "200")
	printed(t, w, `print(mur.http.get("`+server.URL+`", { tls = { ca = "ca.pem" } }).status)`, "200")
	printed(t, w, `print(select(2, pcall(mur.http.get, "`+server.URL+`", { tls = { ca = "ca.pem", server_name = "other" } })).kind)`, "tls")
	printed(t, w, `print(select(2, pcall(mur.http.get, "`+server.URL+`", { tls = { ca = "none" } })).message)`, "cannot read \"none\": no such file or directory")
}

func TestStreams(t *testing.T) {
	url := serve(t, "tcp", "127.0.0.1:0").URL
	printed(t, nil, `
		local s = mur.http.stream { url = "`+url+`/lines" }
		print(s.status, s.headers["content-type"] ~= nil)
		for line in s:lines() do print(line) end
		print(s:read())`, "200\ttrue\nline 0\nline 1\nline 2\nlast\nnil")
	printed(t, nil, `
		local s = mur.http.stream { url = "`+url+`/stuck", timeout = 0.05 }
		print(s:read())
		local ok, e = pcall(s.read, s)
		print(ok, e.kind)`, "some\nfalse\ttimeout")
	printed(t, nil, `
		local s = mur.http.stream { url = "`+url+`/stuck" }
		s:read()
		local reader = mur.task.spawn(function() return pcall(s.read, s) end)
		mur.sleep(0.01)
		s:close() s:close()
		print((reader:join()))`, "false")
}

// A stream that the script left open is closed with it.
func TestALeftStreamEndsWithTheScript(t *testing.T) {
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(ended)
	}))
	defer server.Close()
	script(t, nil, `mur.http.stream { url = "`+server.URL+`" }`)
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("the connection is still open")
	}
}
