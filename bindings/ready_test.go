package bindings

import (
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// freePort returns a port of 127.0.0.1 and of ::1 on which nobody listens.
func freePort(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return port
}

func TestPoliciesSayWhatTheyWaitForAndWhyNotYet(t *testing.T) {
	closed := freePort(t)
	server := serve(t, "tcp", "127.0.0.1:0")
	dir := t.TempDir()
	w := &World{Workdir: dir}
	for _, test := range []struct{ policy, describe, why string }{
		{`tcp(P)`, `port P accepts connections`, `waiting until port P accepts connections: connection refused`},
		{`tcp "127.0.0.1:P"`, `port P of 127.0.0.1 accepts connections`, `waiting until port P of 127.0.0.1 accepts connections: connection refused`},
		{`unix "s"`, `the socket s accepts connections`, `waiting until the socket s accepts connections: no such file or directory`},
		{`door()`, `its door answers`, `waiting until its door answers: only a member of a formation has a door to ask`},
		{`http "U/missing"`, `U/missing answers`, `waiting until U/missing answers: it answered 404 Not Found`},
		{`http { url = "U/", status = { 201, 204 } }`, `U/ answers with status 201 or 204`, `waiting until U/ answers with status 201 or 204: it answered 200 OK`},
		{`http { url = "U/", body = "nope" }`, `U/ answers with a body with "nope"`, `waiting until U/ answers with a body with "nope": the body does not have "nope"`},
		{`http { url = "U/x", json = { path = "/y" } }`, `U/x answers with path = "/y"`, `waiting until U/x answers with path = "/y": path is "/x", not "/y"`},
		{`http { url = "U/missing", status = 404, json = { a = 1 } }`, `U/missing answers with status 404 and a = 1`, `waiting until U/missing answers with status 404 and a = 1: not JSON at line 1, column 1: a value expected, got 'n'`},
		{`http { url = "U/", header = { ["X-Two"] = "^b" } }`, `U/ answers with a X-Two of ^b`, `waiting until U/ answers with a X-Two of ^b: the header X-Two is "a, b"`},
		{`http "http://127.0.0.1:P/"`, `http://127.0.0.1:P/ answers`, `waiting until http://127.0.0.1:P/ answers: cannot reach 127.0.0.1:P (127.0.0.1:P: connection refused)`},
		{`http "/health"`, `/health answers`, `waiting until /health answers: the member has no url yet`},
		{`log "ready"`, `it has written "ready"`, `waiting until it has written "ready": it has written nothing`},
		{`file "f"`, `the file f exists`, `waiting until the file f exists: it is not there`},
		{`file { path = "g", min_size = 3 }`, `the file g exists with 3 bytes`, `waiting until the file g exists with 3 bytes: it has 2 bytes`},
		{`file { path = "g", contains = "x" }`, `the file g has "x"`, `waiting until the file g has "x": its text does not`},
		{`all { mur.ready.file "g", { tcp = P } }`, `the file g exists and port P accepts connections`, `waiting until port P accepts connections: connection refused`},
		{`any { mur.ready.file "f", { tcp = P } }`, `the file f exists or port P accepts connections`, `waiting until the file f exists: it is not there, or waiting until port P accepts connections: connection refused`},
		{`none { mur.ready.file "g" }`, `not: the file g exists`, `waiting while the file g exists`},
		{`stable(2, mur.ready.file "g")`, `the file g exists, 2 times in a row`, `waiting until the file g exists, 1 of 2 times in a row`},
		{`after_delay(9, { file = "g" })`, `the file g exists, asked after 9s`, `waiting for 9s to pass`},
		{`policy(function() return false, "no table" end)`, `the function at test.lua:1 says yes`, `waiting: no table`},
		{`policy(function() end)`, `the function at test.lua:1 says yes`, `waiting until the function at test.lua:1 says yes`},
		{`policy(function() mur.fs.read "f" end)`, `the function at test.lua:1 says yes`, `waiting: cannot read "f": no such file or directory`},
		{`policy(function() return false, "no table" end, "the tables exist")`, `the tables exist`, `waiting until the tables exist: no table`},
		{`policy(function() end, "the tables exist")`, `the tables exist`, `waiting until the tables exist`},
		{`within(9, mur.ready.policy({ file = "f" }, "it is built"))`, `it is built`, `waiting until the file f exists: it is not there`},
		{`policy { file = "f", tcp = P, within = 5 }`, `port P accepts connections and the file f exists`, `waiting until port P accepts connections: connection refused`},
	} {
		replaced := strings.NewReplacer("P)", closed+")", "P ", closed+" ", "P\"", closed+"\"", "P/", closed+"/", "P:", closed+":", "P,", closed+",", "U/", server.URL+"/")
		source := `mur.fs.write("g", "12") local p = mur.ready.` + test.policy + ` print(p) print(p:check { })`
		want := test.describe + "\nfalse\t" + test.why
		if diff := cmp.Diff(replaced.Replace(want + " ")[:len(replaced.Replace(want+" "))-1], script(t, w, replaced.Replace(source))); diff != "" {
			t.Errorf("%s: -want +got\n%s", test.policy, diff)
		}
	}
}

func TestPoliciesSayYes(t *testing.T) {
	server := serve(t, "tcp", "127.0.0.1:0")
	dir := t.TempDir()
	serve(t, "unix", filepath.Join(dir, "s"))
	for _, policy := range []string{
		`tcp(` + port(t, server) + `)`, `tcp "` + port(t, server) + `"`, `http { "` + server.URL + `/", status = 200 }`, `tcp { port = ` + port(t, server) + `, host = "127.0.0.1" }`, `unix "s"`,
		`http "` + server.URL + `"`, `http { url = "` + server.URL + `/redirect" }`, `http { url = "/p", unix = "s", json = { path = "/p" } }`,
		`http { url = "` + server.URL + `/", header = { ["x-two"] = "a" }, body = "GET", status = 200, method = "get" }`,
		`log "ready"`, `log { pattern = "re.dy", count = 2 }`, `log { pattern = "(", plain = true }`,
		`file "g"`, `file { path = "g", min_size = 2, contains = "^12$" }`,
		`all { { file = "g" }, function() return true end }`, `any { { file = "none" }, { file = "g" } }`, `none { { file = "none" } }`,
		`stable(1, { file = "g" })`, `within(1, { file = "g" })`, `every(5, { file = "g" })`, `after_delay(0)`, `after_delay(0, { file = "g" })`,
		`policy { file = "g", stable = 1, every = 1, within = 1, after_delay = 0 }`,
	} {
		printed(t, &World{Workdir: dir}, `mur.fs.write("g", "12")
			local member = { url = "http://x", workdir = "`+dir+`", output = function() return "a\nready (\nready" end }
			print(mur.ready.`+policy+`:check(member))`, "true\tnil")
	}
}

func TestPoliciesThatCannotBeMeant(t *testing.T) {
	for _, test := range []struct{ policy, want string }{
		{`tcp "x"`, `bad argument #1 to 'mur.ready.tcp' (a port or "host:port" expected, got "x")`},
		{`tcp(70000)`, `bad argument #1 to 'mur.ready.tcp' (a port from 1 to 65535 expected, got 70000)`},
		{`tcp { prot = 1 }`, `unknown option 'prot' of 'mur.ready.tcp'; did you mean 'port'?`},
		{`http { status = 200 }`, `bad option 'url' of 'mur.ready.http': it is required`},
		{`policy(function() end, { })`, `bad argument #2 to 'mur.ready.policy' (a clause expected, got table)`},
		{`all { }`, `bad argument #1 to 'mur.ready.all' (a list expected: { policy, policy })`},
		{`http { 8080 }`, `bad option 'url' of 'mur.ready.http': string expected, got number`},
		{`all { 1 }`, `a readiness policy is a function, a table or made by mur.ready, not a number`},
		{`policy { tpc = 1 }`, `unknown option 'tpc' of 'a readiness policy'; did you mean 'tcp'?`},
		{`policy { within = 1 }`, `a readiness policy needs one of door, tcp, unix, http, log, file, command, all, any, none`},
		{`within("x", { tcp = 1 })`, `bad argument #1 to 'mur.ready.within' (seconds expected, got x)`},
		{`wait({ tcp = 1 }, { whithin = 1 })`, `unknown option 'whithin' of 'mur.ready.wait'; did you mean 'within'?`},
	} {
		printed(t, nil, `local ok, e = pcall(function() mur.ready.`+test.policy+` end) print(e.kind, e.message, e.where)`, "usage\t"+test.want+"\ttest.lua:1")
	}
	out := script(t, nil, `local ok, e = pcall(mur.ready.log, "(") print(e.kind, e.message)`)
	if !strings.HasPrefix(out, "usage\tbad argument #1 to 'mur.ready.log' (") || !strings.Contains(out, "unfinished capture") {
		t.Errorf("a malformed pattern gives %q", out)
	}
}

// An error that is no news from the world outside is a fault of the policy and is not waited out.
func TestAFaultyPolicyFailsAtOnce(t *testing.T) {
	printed(t, nil, `
		local ok, e = pcall(mur.ready.wait, function() local x = nil; return x.y end)
		print(ok, (tostring(e):gsub("^.-: ", "")))`, "false\tattempt to index local 'x' (a nil value)")
}

func TestWaiting(t *testing.T) {
	printed(t, nil, `
		mur.task.spawn(function() mur.sleep(0.02) mur.fs.write("f", "1") mur.sleep(0.02) mur.fs.write("f", "123") end)
		local reasons = {}
		print(mur.ready.wait({ file = { path = "f", min_size = 3 } }, { within = 10, on_waiting = function(why) reasons[#reasons + 1] = why end }))
		print(table.concat(reasons, "\n"))`,
		"true\nwaiting until the file f exists with 3 bytes: it is not there\nwaiting until the file f exists with 3 bytes: it has 1 bytes")
	printed(t, nil, `
		local ok, e = mur.ready.wait({ file = "f" }, { within = 0.03 })
		print(ok, e.kind, e.message)`, "nil\tnot_ready\tnot within 0.03s: waiting until the file f exists: it is not there")
	printed(t, nil, `
		local ok, e = mur.ready.wait({ file = "f", within = 0.03 })
		print(ok, e.kind, e.message)`, "nil\tnot_ready\tnot within 0.03s: waiting until the file f exists: it is not there")
	printed(t, nil, `
		local asked, began = 0, mur.time.monotonic()
		local p = mur.ready.every(0.05, function() asked = asked + 1 return asked == 3 end)
		mur.ready.wait(p)
		print(asked, mur.time.monotonic() - began >= 0.1)`, "3\ttrue")
	printed(t, nil, `
		local row = 0
		print(mur.ready.wait(mur.ready.stable(3, function() row = row + 1 return row ~= 2 end)), row)`, "true\t5")
	printed(t, nil, `
		local began = mur.time.monotonic()
		mur.ready.wait(mur.ready.after_delay(0.05))
		print(mur.time.monotonic() - began >= 0.05)`, "true")
}

// How late a server that has just begun to listen is noticed: the median, for servers that take 50 to 330 ms to come up.
func BenchmarkServerNoticed(b *testing.B) {
	const tries = 15
	var late []time.Duration
	for b.Loop() {
		for i := range tries {
			late = append(late, noticed(b, time.Duration(50+20*i)*time.Millisecond))
		}
	}
	slices.Sort(late)
	b.ReportMetric(float64(late[len(late)/2].Microseconds())/1000, "ms-late-median")
	b.ReportMetric(float64(late[len(late)-1].Microseconds())/1000, "ms-late-worst")
}

func noticed(b *testing.B, after time.Duration) time.Duration {
	address := "127.0.0.1:" + freePort(b)
	listening := make(chan time.Time, 1)
	var server *http.Server
	time.AfterFunc(after, func() {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			b.Error(err)
		}
		server = &http.Server{Handler: http.HandlerFunc(echo)}
		listening <- time.Now()
		_ = server.Serve(listener)
	})
	_, err := runScript(b, nil, `assert(mur.ready.wait { http = "http://`+address+`/" })`)
	now := time.Now()
	if err != nil {
		b.Fatal(err)
	}
	began := <-listening
	_ = server.Close()
	return now.Sub(began)
}
