//go:build unix

package bindings

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"murlua/engine"
)

func TestFilesAreWrittenAndRead(t *testing.T) {
	dir := t.TempDir()
	w := &World{Workdir: dir}
	printed(t, w, `
		mur.fs.write("a", "one", { mode = "600" })
		mur.fs.write("a", "two")
		mur.fs.append("a", "\nthree\0")
		print(#mur.fs.read "a", mur.fs.stat("a").mode, mur.fs.stat("a").size, mur.fs.stat("a").type)
		mur.fs.write("b", "x", { atomic = false })
		print(mur.fs.stat("b").mode, mur.fs.exists "b", mur.fs.exists "c")`,
		"10\t600\t10\tfile\n644\ttrue\tfalse")
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}

func TestWritingThroughALinkKeepsTheLink(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("target", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "target"), []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	printed(t, &World{Workdir: dir}, `
		mur.fs.write("link", "new")
		print(mur.fs.read "target", mur.fs.stat("link", { follow = false }).type, mur.fs.stat("link").mode)`, "new\tlink\t640")
}

func TestFoldersAreMadeListedAndRemoved(t *testing.T) {
	printed(t, nil, `
		mur.fs.mkdir "a/b"
		mur.fs.mkdir "a/b"
		mur.fs.write("a/x", "1")
		for _, e in ipairs(mur.fs.list "a") do print(e.name, e.type, e.path) end
		print(pcall(mur.fs.remove, "a"))
		print(table.concat(mur.fs.glob "**", " "))
		mur.fs.rename("a/x", "a/y")
		print(mur.fs.remove("a", { recursive = true }), mur.fs.remove "a", mur.fs.exists "a")`,
		"b\tdirectory\ta/b\nx\tfile\ta/x\nfalse\ttest.lua:6: cannot remove \"a\": directory not empty\na a/b a/x\ntrue\tfalse\tfalse")
}

func TestFileErrorsHaveKinds(t *testing.T) {
	dir := t.TempDir()
	for _, make := range []func() error{
		func() error { return os.Mkdir(filepath.Join(dir, "d"), 0o700) },
		func() error { return os.WriteFile(filepath.Join(dir, "d", "f"), []byte("12345"), 0o600) },
		func() error { return syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600) },
	} {
		if err := make(); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ call, want string }{
		{`read, "none"`, `not_found cannot read "none": no such file or directory`},
		{`read, "d"`, `is_a_directory cannot read "d": is a directory`},
		{`read, "pipe"`, `io cannot read "pipe": it is not a regular file`},
		{`read, "d/f/x"`, `not_a_directory cannot read "d/f/x": not a directory`},
		{`read, "d/f", { max_bytes = 4 }`, `too_large cannot read "d/f": it is longer than 4 bytes`},
		{`write, "none/x", ""`, `not_found cannot write "none/x": no such file or directory`},
		{`write, "d", ""`, `is_a_directory cannot write "d": is a directory`},
		{`write, "x", "", { mode = "888" }`, `usage bad option 'mode' of 'mur.fs.write': permission bits in octal expected, such as "644", got "888"`},
		{`mkdir, "d", { parents = false }`, `exists cannot make the folder "d": file exists`},
		{`mkdir, "d/f"`, `exists cannot make the folder "d/f": file exists`},
		{`remove, "d"`, `not_empty cannot remove "d": directory not empty`},
		{`rename, "none", "x"`, `not_found cannot rename "none": no such file or directory`},
		{`list, "d/f"`, `not_a_directory cannot list "d/f": not a directory`},
		{`glob, "a["`, `bad_pattern bad pattern "` + dir + `/a[": a bracket is not closed`},
		{`watch, "none"`, `not_found cannot watch "none": no such file or directory`},
	} {
		printed(t, &World{Workdir: dir}, `local ok, e = pcall(mur.fs.`+test.call+`) print(e.kind, e.message)`,
			strings.Replace(test.want, " ", "\t", 1))
	}
}

func TestTemporaryFoldersVanishWithTheScript(t *testing.T) {
	tmp := t.TempDir()
	w := &World{Workdir: t.TempDir(), Environ: []string{"TMPDIR=" + tmp}}
	out := script(t, w, `
		local dir = mur.fs.tempdir { prefix = "x-" }
		mur.fs.mkdir(dir .. "/a/b")
		print(mur.fs.stat(dir).mode, mur.fs.dirname(dir), mur.fs.basename(dir):sub(1, 2))`)
	if want := "700\t" + tmp + "\tx-"; out != want {
		t.Errorf("printed %q, want %q", out, want)
	}
	if _, err := runScript(t, w, `mur.fs.tempdir() error "failed"`); err == nil {
		t.Error("the script did not fail")
	}
	if entries, err := os.ReadDir(tmp); err != nil || len(entries) != 0 {
		t.Errorf("left over: %v, %v", entries, err)
	}
}

func TestPaths(t *testing.T) {
	printed(t, &World{Workdir: "/w"}, `print(mur.fs.join("a/", "../b"), mur.fs.dirname "/a/b", mur.fs.basename "/a/b", mur.fs.abspath "x/../y")`,
		"b\t/a\tb\t/w/y")
}

func TestAWatchReportsAndEnds(t *testing.T) {
	printed(t, nil, `
		local w = mur.fs.watch "."
		mur.fs.write("x", "1", { atomic = false })
		local e = w:next { timeout = 10 }
		print(e.kind, mur.fs.basename(e.path), w)
		while w:next { timeout = 0.05 } do end
		local none, err = w:next { timeout = 0.001 }
		print(none, err.kind)
		w:close() w:close()
		print(select(2, w:next()).kind)`, "created\tx\twatch of .\nnil\ttimeout\nclosed")
}

func TestAWatchDoesNotReportHowAFileIsWritten(t *testing.T) {
	printed(t, nil, `
		local w = mur.fs.watch "."
		mur.fs.write("x", "1")
		local e = w:next { timeout = 10 }
		print(e.kind, mur.fs.basename(e.path), w:next { timeout = 0.02 } == nil)`, "created\tx\ttrue")
}

// A script that waits comes back at once when it is stopped (and so does one that waits for an answer).
func TestWaitingCallsAreStopped(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections, in the kernel, and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for _, source := range []string{
		`mur.fs.watch("."):next()`,
		`mur.http.get("http://` + listener.Addr().String() + `/", { timeout = 0 })`,
		`mur.http.stream { url = "http://` + listener.Addr().String() + `/", timeout = 0 }`,
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(30*time.Millisecond, func() { cancel(errors.New("enough")) })
		_, err := runScriptWithin(t, ctx, nil, source)
		var failure *engine.Error
		if !errors.As(err, &failure) || failure.Kind != engine.KindCancelled {
			t.Errorf("%s: %v", source, err)
		}
	}
}

func TestEnvironment(t *testing.T) {
	w := &World{Workdir: t.TempDir(), Environ: []string{"A=1", "B=", "A=2", "_=x"}}
	printed(t, w, `print(mur.env.get "A", mur.env.get "B", mur.env.get "C", mur.env.get("C", "d"), mur.env.all().A)`, "2\t\tnil\td\t2")
	printed(t, w, `print(mur.env.expand("$A${B}-$C$$", { C = "3" }))`, "2-3$")
	printed(t, w, `local ok, e = pcall(mur.env.need, "B") print(mur.env.need "A", e.kind, e.message, e.name)`,
		"2\tnot_set\tthe environment variable B is not set\tB")
	printed(t, w, `
		mur.fs.write(".env", "X=$A\n# no\nY='$A'\n")
		local v = mur.env.load ".env"
		print(v.X, v.Y)
		mur.fs.write(".env", "X=1\nsecret")
		local ok, e = pcall(mur.env.load, ".env")
		print(e.kind, e.line, e.message)
		print(select(2, pcall(mur.env.load, "none")).kind)`,
		"2\t$A\nbad_env_file\t2\tcannot read \".env\": line 2: it has no '='\nnot_found")
}

func TestTimes(t *testing.T) {
	printed(t, nil, `print(mur.time.format(1767225600.5), mur.time.format(1767225600.5, { fraction = 2 }), mur.time.format(-1))`,
		"2026-01-01T00:00:00Z\t2026-01-01T00:00:00.50Z\t1969-12-31T23:59:59Z")
	printed(t, nil, `print(mur.time.parse "2026-01-01T02:00:00.25+02:00" == 1767225600.25, mur.time.parse "2026-01-01t00:00:00z" == 1767225600)`, "true\ttrue")
	printed(t, nil, `local n = mur.time.now() print(math.abs(mur.time.since(n)) < 5, math.abs(mur.time.parse(mur.time.format(n, {fraction=6})) - n) < 1e-5)`, "true\ttrue")
	printed(t, nil, `print(mur.time.since(mur.time.format(mur.time.now() - 100)) > 99)`, "true")
	printed(t, nil, `print(mur.time.seconds "1h30m", mur.time.seconds "250ms", mur.time.seconds "2d", mur.time.seconds "1.5", mur.time.seconds(7))`,
		"5400\t0.25\t172800\t1.5\t7")
	for _, call := range []string{`seconds, "soon"`, `seconds, ""`, `seconds, "5x"`, `seconds, "-1"`, `parse, "today"`, `since, "x"`, `format, 1e18`, `format, 0/0`} {
		printed(t, nil, `print(select(2, pcall(mur.time.`+call+`)).kind)`, "bad_time")
	}
	printed(t, nil, `local a = mur.time.monotonic() mur.sleep(0.002) print(mur.time.monotonic() - a >= 0.002)`, "true")
}
