//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// recipe writes a recipe and returns murlua about to run it, and what it has written so far.
func recipe(t *testing.T, home, text string) (m *murlua, written func() string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "recipe.lua")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	output, err := os.Create(filepath.Join(t.TempDir(), "output"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { output.Close() })
	m = newMurlua(t, home, "run", path)
	m.cmd.Stdout, m.cmd.Stderr = output, output
	return m, func() string {
		text, err := os.ReadFile(output.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

// A second ^C ends the grace, and murlua does not exit before everything is gone.
func TestASecondInterruptCutsTheGrace(t *testing.T) {
	home := t.TempDir()
	m, written := recipe(t, home, `
local mur = require "mur"
local f = mur.formation.launch { grace = 600, members = {
  { name = "deaf", command = { "sh", "-c", 'trap "" TERM INT; echo up; while :; do sleep 600; done' }, ready = { log = "up" } } } }
print "launched"
return f:wait()`)
	m.start(t)
	eventually(t, "the formation is up", func() bool { return strings.Contains(written(), "launched") })
	began := time.Now()
	for range 2 {
		if err := m.cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond) // two signals of one kind at once would be one
	}
	if code := m.wait(t); code != 130 {
		t.Errorf("exit code %d:\n%s", code, written())
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %v", took)
	}
	nothingLeft(t, home)
}

// A script that exits in the middle of a launch takes what was started along, and its code is the exit code.
func TestExitInTheMiddleOfALaunchStopsMembersFirst(t *testing.T) {
	home := t.TempDir()
	m, written := recipe(t, home, `
local mur = require "mur"
local spawned = 0
mur.formation.launch {
  members = {
    { name = "a", command = { "sleep", "600" }, ready = { log = "never" } },
    { name = "b", command = { "sleep", "600" }, ready = { log = "never" } },
    { name = "c", command = { "sh", "-c", "setsid sleep 600 & sleep 600" }, ready = { log = "never" } },
  },
  on_event = function(e)
    if e.kind == "spawned" then spawned = spawned + 1 end
    if spawned == 3 then os.exit(3) end
  end,
}`)
	if code := m.run(t); code != 3 {
		t.Errorf("exit code %d, want 3:\n%s", code, written())
	}
	nothingLeft(t, home)
}

// How a member ended is the exit code, and a signal is told as one.
func TestTheOnlyMembersEndIsTheExitCode(t *testing.T) {
	for _, test := range []struct {
		script string
		code   int
		text   string
	}{{"exit 7", 7, "status 7"}, {"ulimit -c 0; kill -SEGV $$", 139, "signal 11"}} {
		home := t.TempDir()
		m, written := recipe(t, home, `return { members = { { name = "a", command = { "sh", "-c", "`+test.script+`" } } } }`)
		if code := m.run(t); code != test.code || !strings.Contains(written(), test.text) {
			t.Errorf("%s: exit code %d, want %d and %q in:\n%s", test.script, code, test.code, test.text, written())
		}
		nothingLeft(t, home)
	}
}
