package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// showAll is a recipe that shows everything that it can get at, in every way, and stays up.
const showAll = `
local mur = require "mur"
local seen = {}
local function show(v, depth)
  print(tostring(v))
  if type(v) ~= "table" or seen[v] or depth > 6 then return end
  seen[v] = true
  for key, value in pairs(v) do show(key, depth + 1); show(value, depth + 1) end
end
local f = mur.formation.launch {
  members = { { name = "one", script = "one.lua" }, { name = "two", script = "one.lua", calls = { "one" } }, { name = "tool", command = { "sleep", "600" } } },
  on_event = function(e) show(e, 0) end,
}
show(f, 0)
for _, name in ipairs { "one", "two", "tool" } do show(f:member(name), 0); show(f:output(name), 0) end
show(mur.formation.list()[1].members, 0)
show(mur.formation.get(f.id).launcher, 0)
show(mur.running.list(), 0)
show(mur.running.scan(), 0)
for _, record in ipairs(mur.running.list()) do show(mur.running.verify(record.session_id), 0) end
show({ pcall(f.send, f, "two", "call") }, 0)
show({ pcall(f.send, f, "one", "fail") }, 0)
show({ pcall(mur.door.send, "127.0.0.1:1", "x") }, 0)
print "all shown"
f:wait()
`

const tokenCapsule = `
local mur = require "mur"
return mur.capsule { name = "one", version = "1", on_task = function(task)
  if task.text == "fail" then error("it failed on purpose") end
  print(tostring(task.peers), tostring(task.peers.one), tostring(task.from))
  for key, value in pairs(task) do print(key, tostring(value)) end
  if task.peers.one then return task.peers.one:send "x" end
  return "done"
end }
`

// A token is in the records and on private pipes, and nowhere else that anybody can look at.
func TestNoTokenIsAnywhereButInTheRecords(t *testing.T) {
	home, folder := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{"show.lua": showAll, "one.lua": tokenCapsule} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	events, picture := filepath.Join(home, "events.jsonl"), filepath.Join(home, "picture.svg")
	m := newMurlua(t, home, "run", "--events", events, "--timeline", picture, filepath.Join(folder, "show.lua"))
	output, err := os.Create(filepath.Join(t.TempDir(), "output"))
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	m.cmd.Stdout, m.cmd.Stderr = output, output
	written := func() string {
		text, err := os.ReadFile(output.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	m.start(t)
	eventually(t, "all has been shown", func() bool { return strings.Contains(written(), "all shown") })

	var tokens []string
	for _, session := range sessions(t, home) {
		if session["url"] == nil {
			continue
		}
		out := newMurlua(t, home, "token", session["session_id"].(string))
		if code := out.run(t); code != 0 {
			t.Fatalf("token: %s", out.stderr.String())
		}
		tokens = append(tokens, strings.TrimSpace(out.stdout.String()))
	}
	if len(tokens) != 2 || !strings.HasPrefix(tokens[0], "mdt1.") {
		t.Fatalf("%d tokens are known", len(tokens))
	}
	check := func(where, text string) {
		t.Helper()
		for _, secret := range append(tokens, "mdt1.", "mft1.") {
			if strings.Contains(text, secret) {
				t.Errorf("there is a token in %s", where)
				return
			}
		}
	}
	for _, session := range sessions(t, home) {
		pid := strconv.Itoa(int(session["pid"].(float64)))
		for _, file := range []string{"cmdline", "environ"} {
			text, err := os.ReadFile(filepath.Join("/proc", pid, file))
			if err != nil {
				t.Fatal(err)
			}
			check("the "+file+" of "+pid, string(text))
		}
	}
	if err := m.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := m.wait(t); code != 143 {
		t.Errorf("exit code %d: %s", code, written())
	}
	check("the output", written())
	files := 0
	err = filepath.WalkDir(home, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		files++
		check(path, string(text))
		return err
	})
	if err != nil || files < 5 {
		t.Errorf("%d files were looked at, %v", files, err)
	}
	for _, path := range []string{events, picture} {
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", path, err)
		}
	}
}
