package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"murlua/bindings"
)

const aRecipe = `local mur = require "mur"
ticks, answer, enough = 0, 42, false
mur.task.spawn(function() while true do ticks = ticks + 1 mur.sleep(0.005) end end)
local f = mur.formation.launch { members = { { name = "one", script = "one.lua" } }, attach = ATTACH }
print("launched " .. f.id)
while not enough do mur.sleep(0.005) end
print("enough")
`

// aRunningRecipe starts a recipe with one member and returns its formation.
func aRunningRecipe(t *testing.T, attach string) (m *murlua, home, formation string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"one.lua": aCapsule, "recipe.lua": strings.Replace(aRecipe, "ATTACH", attach, 1)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	home = t.TempDir()
	m = newMurlua(t, home, "run", filepath.Join(dir, "recipe.lua"))
	out, err := os.Create(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	m.cmd.Stdout = out
	m.start(t)
	eventually(t, "the recipe has launched", func() bool {
		text, _ := os.ReadFile(out.Name())
		_, after, found := strings.Cut(string(text), "launched ")
		formation, _, _ = strings.Cut(after, "\n")
		return found && len(formation) == len("frm_")+32
	})
	return m, home, formation
}

func TestAttach(t *testing.T) {
	m, home, formation := aRunningRecipe(t, "true")
	a := sit(t, []string{"HOME=" + home}, "attach", formation)
	a.expect("attached to " + formation)
	a.prompt()
	a.send("answer + 1", "43\r\n")
	a.send("formation", "formation "+formation)
	a.send("local seen = ticks", "")
	a.send("mur.sleep(0.05) return ticks > seen", "true\r\n") // the recipe goes on meanwhile
	a.send("ps()", "one@1")
	a.typing("formation.\t\t")
	a.expect("wait")
	a.drop()

	// Somebody else at the same time, who goes in the middle of an evaluation.
	b := sit(t, []string{"HOME=" + home}, "attach", formation)
	b.prompt()
	b.send("answer", "42\r\n")
	b.typing("mur.defer(function() dropped = true end) print('on') while true do mur.sleep(0.01) end\r")
	b.expect("on\r\n")
	a.send("rawget(_G, 'dropped')", "nil\r\n")
	_ = b.cmd.Process.Kill()
	a.send("while not rawget(_G, 'dropped') do mur.sleep(0.005) end return 'dropped'", "dropped")
	a.send("seen < ticks", "true\r\n")

	// ^C stops what was typed here, and the recipe does not hear of it.
	a.typing("while true do end\r")
	a.expect("while true do end\r\n")
	busy := newMurlua(t, home, "show", formation) // needs none of the script's time
	if code := busy.run(t); code != 0 || !strings.Contains(busy.stdout.String(), "running") {
		t.Errorf("show of a busy recipe: %d, %q, %q", code, busy.stdout.String(), busy.stderr.String())
	}
	a.interrupt()
	a.send("answer", "42\r\n")

	// A capsule of the formation, in its own process.
	one := newMurlua(t, home, "attach", "@1")
	one.cmd.Stdin = strings.NewReader("return capsule.name, formation")
	if code := one.run(t); code != 0 || one.stdout.String() != "\"one\"\nnil\n" {
		t.Errorf("in the capsule: %d, %q, %q", code, one.stdout.String(), one.stderr.String())
	}

	inside := sit(t, []string{"HOME=" + home}, "attach", "@1")
	inside.expect("inside capsule one (ses_")
	inside.expect("); its recipe: murlua attach " + formation + "; ^D leaves")
	inside.prompt()
	inside.typing("\x04")
	inside.leave(0)

	// Not a terminal: one input.
	script := newMurlua(t, home, "attach", formation[len(formation)-6:])
	script.cmd.Stdin = strings.NewReader("local x = answer\nprint(x)\nreturn x + 1\n")
	if code := script.run(t); code != 0 || script.stdout.String() != "42\n43\n" {
		t.Errorf("a script: %d, %q, %q", code, script.stdout.String(), script.stderr.String())
	}
	wrong := newMurlua(t, home, "attach", formation)
	wrong.cmd.Stdin = strings.NewReader("error('no')")
	if code := wrong.run(t); code != 1 || !strings.Contains(wrong.stderr.String(), "no") || wrong.stdout.String() != "" {
		t.Errorf("a script that fails: %d, %q, %q", code, wrong.stdout.String(), wrong.stderr.String())
	}

	a.typing("\x04")
	a.leave(0)
	last := sit(t, []string{"HOME=" + home}, "attach", formation)
	last.prompt()
	last.typing("enough = true\r") // the recipe ends, and so does the conversation
	if code := m.wait(t); code != 0 {
		t.Errorf("the recipe ended with %d: %s", code, m.stderr.String())
	}
	last.expect("ended the conversation")
	last.leave(1)
	if entries, err := os.ReadDir(filepath.Join(home, ".murmur", "attach")); err != nil || len(entries) > 0 {
		t.Errorf("sockets are left: %v, %v", entries, err)
	}
	if left := processesWith(t, "HOME="+home); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestShowAsksTheRecipe(t *testing.T) {
	m, home, formation := aRunningRecipe(t, "true")
	show := newMurlua(t, home, "show", formation, "--json")
	if code := show.run(t); code != 0 {
		t.Fatalf("show: %d, %s", code, show.stderr.String())
	}
	var view bindings.FormationView
	if err := json.Unmarshal(show.stdout.Bytes(), &view); err != nil {
		t.Fatal(err)
	}
	if view.Formation != formation || view.State != "running" || view.PID != m.cmd.Process.Pid || len(view.Members) != 1 {
		t.Fatalf("shown: %+v", view)
	}
	one := view.Members[0]
	if one.Name != "one" || one.State != "ready" || one.PID == 0 || one.Session == "" || one.URL == "" || one.Starts != 1 {
		t.Errorf("the member: %+v", one)
	}
	for _, target := range []string{formation, one.Session} {
		text := newMurlua(t, home, "show", target)
		if code := text.run(t); code != 0 || !strings.Contains(text.stdout.String(), formation) || !strings.Contains(text.stdout.String(), "one") {
			t.Errorf("show %s: %d, %q, %q", target, code, text.stdout.String(), text.stderr.String())
		}
	}
	// Gone without a word: the socket is left, and nobody answers.
	_ = m.cmd.Process.Signal(syscall.SIGKILL)
	m.wait(t)
	eventually(t, "the members have ended", func() bool { return len(processesWith(t, "HOME="+home)) == 0 })
	gone := newMurlua(t, home, "attach", formation)
	if code := gone.run(t); code != 1 || !strings.Contains(gone.stderr.String(), "no running member") {
		t.Errorf("attach to a formation that is gone: %d, %q", code, gone.stderr.String())
	}
}

func TestARecipeMayRefuse(t *testing.T) {
	m, home, formation := aRunningRecipe(t, "false")
	refused := newMurlua(t, home, "attach", formation)
	if code := refused.run(t); code != 1 || !strings.Contains(refused.stderr.String(), "nobody answers") {
		t.Errorf("attach: %d, %q", code, refused.stderr.String())
	}
	show := newMurlua(t, home, "show", formation)
	if code := show.run(t); code != 0 || !strings.Contains(show.stdout.String(), "one@1") || !strings.Contains(show.stderr.String(), "lets nobody in") {
		t.Errorf("show: %d, %q, %q", code, show.stdout.String(), show.stderr.String())
	}
	asJSON := newMurlua(t, home, "show", formation, "--json")
	var view bindings.FormationView // of the same form as when the recipe says it
	if code := asJSON.run(t); code != 0 || json.Unmarshal(asJSON.stdout.Bytes(), &view) != nil {
		t.Fatalf("show --json: %d, %q, %q", code, asJSON.stdout.String(), asJSON.stderr.String())
	}
	if view.Formation != formation || view.State != "unknown" || view.PID != m.cmd.Process.Pid || len(view.Members) != 1 || view.Members[0].State != "live" {
		t.Errorf("show --json: %+v", view)
	}
	_ = m.cmd.Process.Signal(syscall.SIGTERM)
	if code := m.wait(t); code != 143 {
		t.Errorf("the recipe ended with %d", code)
	}
}

// A person at work: a recipe that does not come up, and is helped from another terminal.
func TestASessionAtWork(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"one.lua": aCapsule,
		"two.lua": strings.Replace(aCapsule, `"one"`, `"two"`, 1),
		"dev.lua": `local mur = require "mur"
			gate = false
			local function open() return gate, "the gate is closed" end
			mur.formation.launch { members = {
				{ name = "one", script = "one.lua", on_exit = "ignore" },
				{ name = "two", script = "two.lua", on_exit = "ignore", ready = open },
			} }
			print("all are up")
			for i = 1, math.huge do ticks = i mur.sleep(0.01) end`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	recipe := sit(t, []string{"HOME=" + home}, "run", filepath.Join(dir, "dev.lua"))
	recipe.expect("the gate is closed")
	var sessions []struct {
		Formation string `json:"formation_id"`
		Member    string `json:"formation_member"`
	}
	eventually(t, "both sessions are listed", func() bool { // the other one may still be coming up
		ps := newMurlua(t, home, "ps", "--json")
		if code := ps.run(t); code != 0 {
			t.Fatal(ps.stderr.String())
		}
		if err := json.Unmarshal(ps.stdout.Bytes(), &sessions); err != nil {
			t.Fatalf("ps: %v, %s", err, ps.stdout.String())
		}
		return len(sessions) == 2
	})

	s := sit(t, []string{"HOME=" + home}, "attach", sessions[0].Formation)
	s.prompt()
	s.send("gate", "false\r\n")
	s.typing("gate = true mur.sleep(600)\r") // no prompt is open, so what happens is shown at once
	recipe.expect("all are up")
	s.expect("-- two: ready")
	s.interrupt()
	s.send("for _, r in ipairs(mur.running.list()) do if r.formation_member == 'two' then two = r end end", "")
	s.send("mur.door.send(two, 'hello').text", `"hello"`)
	s.send("for event in mur.door.stream(two, 'followed'):events() do print(event.kind, event.task.state) end", "completed\r\n")
	s.send("mur.running.signal(two).outcome", `"sent"`)
	s.send("mur.test.eventually(function() return #mur.running.list() == 1 end)", "true\r\n")
	s.send("local before = ticks mur.sleep(0.1) return ticks > before", "true\r\n")
	s.typing("\x04")
	s.leave(0)

	show := newMurlua(t, home, "show", sessions[0].Formation)
	if code := show.run(t); code != 0 || !strings.Contains(show.stdout.String(), "running") {
		t.Errorf("the recipe does not go on: %d, %q, %q", code, show.stdout.String(), show.stderr.String())
	}
	recipe.typing("\x03")
	recipe.leave(130)
	if left := processesWith(t, "HOME="+home); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
