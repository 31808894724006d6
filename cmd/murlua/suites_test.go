package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const aCapsule = `local mur = require "mur"
return mur.capsule { name = "one", version = "1", on_task = function(task) return task.text end }
`

// The suites in tests/lua, run inside of this process, so that coverage and the race detector see what they do.
func TestTheLuaSuites(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	out, err := os.Create(filepath.Join(dir, "report"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	nothing, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer nothing.Close()
	workdir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	o := &outside{
		args: []string{"test", "--jobs", "2", "--quiet", "tests/lua"}, environ: append(os.Environ(), asCommand+"=1", "HOME="+home),
		stdin: nothing, stdout: out, stderr: out, workdir: workdir, executable: testBinary(t),
		openSignals: func() (<-chan os.Signal, func()) { return nil, func() {} },
	}
	if code := run(o); code != exitOK {
		report, _ := os.ReadFile(out.Name())
		t.Errorf("exit code %d\n%s", code, report)
	}
	if left := processesWith(t, "HOME="+home); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
}

// The example on the page about testing is a test that passes.
func TestTheExampleOfTheTestingPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "```lua\n")
	example, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("the page has no example")
	}
	file := filepath.Join(t.TempDir(), "example_test.lua")
	if err := os.WriteFile(file, []byte(example), 0o600); err != nil {
		t.Fatal(err)
	}
	m := newMurlua(t, t.TempDir(), "test", file)
	if code := m.run(t); code != 0 || !strings.HasSuffix(m.stdout.String(), "1 passed, 0 failed\n") {
		t.Errorf("exit code %d\n%s%s", code, m.stdout.String(), m.stderr.String())
	}
}

// With --watch the tests run again when a file has changed, and ^C ends it.
func TestWatchingTests(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a_test.lua")
	write := func(value string) {
		t.Helper()
		text := "local t = require('mur').test\nt.it('is one', function() t.expect(" + value + "):is(1) end)\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("2")
	out, err := os.Create(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	m := newMurlua(t, t.TempDir(), "test", "--watch", dir)
	m.cmd.Stdout = out
	m.start(t)
	shown := func(text string) func() bool {
		return func() bool {
			report, _ := os.ReadFile(out.Name())
			return strings.Contains(string(report), text)
		}
	}
	eventually(t, "the first run is over", shown("0 passed, 1 failed\n"))
	write("1")
	eventually(t, "it ran again", shown("1 passed, 0 failed\n"))
	if err := m.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := m.wait(t); code != 130 {
		t.Errorf("ended with %d: %s", code, m.stderr.String())
	}
}

// ^C in the middle of a test ends what the test started, runs what tidies up, and still reports.
func TestInterruptedTests(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"one.lua": aCapsule,
		"a_test.lua": `local mur = require "mur"
			local t = mur.test
			t.it("waits", function()
				t.finally(function() print("tidied up") end)
				mur.formation.launch { members = { { name = "one", script = "one.lua" }, { name = "two", command = { "sleep", "600" } } } }
				mur.fs.write("` + filepath.ToSlash(dir) + `/up", "")
				mur.sleep(600)
			end, { within = 600 })
			t.it("is not started", function() end)`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m := newMurlua(t, home, "test", dir)
	m.cmd.Env = append(m.cmd.Env, "TMPDIR="+dir)
	m.start(t)
	eventually(t, "the formation is up", func() bool {
		_, err := os.Stat(filepath.Join(dir, "up"))
		return err == nil
	})
	if err := m.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	code := m.wait(t)
	if report := m.stdout.String(); code != 130 || !strings.HasSuffix(report, "0 passed, 1 failed\n") || !strings.Contains(report, "tidied up") {
		t.Errorf("ended with %d: %s%s", code, report, m.stderr.String())
	}
	if left := processesWith(t, "TMPDIR="+dir); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
	if rooms, _ := filepath.Glob(filepath.Join(dir, "murlua-test-*")); len(rooms) > 0 {
		t.Errorf("left behind: %v", rooms)
	}
}
