//go:build linux

package interop_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A recipe of ours has capsules of both kinds, which call each other in both directions: lead, in Lua, calls agent, which
// is murmur's; agent calls helper, in Lua again. Every call needs a token that the launcher signed and both kinds accept.
func TestOurRecipeLaunchesBothKindsOfCapsules(t *testing.T) {
	r := newRoom(t)
	r.murmurCapsule("agent")
	r.write("helper.lua", script("helper", "return 'helper did ' .. task.text .. ' for ' .. task.from"))
	r.write("lead.lua", script("lead", `
print('AGENT SAYS ' .. task.peers.agent:send('echo ' .. task.text))
print('HELPED: ' .. task.peers.agent:send('call helper ' .. task.text))
return 'done'`))
	r.write("recipe.lua", `local mur = require "mur"
return { task = arg[1], members = {
  { name = "agent", capsule = "local/agent", version = "1.0.0", calls = { "helper" } },
  { name = "helper", script = "helper.lua" },
  { name = "lead", script = "lead.lua", entry = true, calls = { "agent" } },
} }`)
	got := r.run(murlua, "run", "--events", "events.jsonl", "recipe.lua", "a thing")
	if got.code != 0 {
		t.Fatalf("it ended with %d:\n%s%s", got.code, got.stdout, got.stderr)
	}
	mustContain(t, got.stdout, "AGENT SAYS echo: a thing\n", "HELPED: ", "helper did a thing for member:agent")
	if ready := r.readyMembers("events.jsonl"); strings.Join(ready, " ") != "agent helper" && strings.Join(ready, " ") != "helper agent" {
		t.Errorf("ready were %v", ready)
	}
}

// readyMembers returns the members that became ready, by a file of events.
func (r *room) readyMembers(file string) []string {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(r.project, file))
	if err != nil {
		r.t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(data)) {
		var event struct{ Kind, Member string }
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			r.t.Fatal(err)
		}
		if event.Kind == "ready" && event.Member != "" { // without a member it is the formation
			names = append(names, event.Member)
		}
	}
	return names
}

// Murmur's capsule is the entry here: its end is the end of the formation, and its exit status the recipe's.
func TestTheirCapsuleIsTheEntryOfOurRecipe(t *testing.T) {
	r := newRoom(t)
	r.murmurCapsule("agent")
	r.write("helper.lua", script("helper", "return 'helper did ' .. task.text .. ' for ' .. task.from"))
	r.write("recipe.lua", `return { task = "call helper a thing", members = {
  { name = "agent", capsule = "local/agent", version = "1.0.0", entry = true, calls = { "helper" } },
  { name = "helper", script = "helper.lua" },
} }`)
	got := r.run(murlua, "run", "recipe.lua")
	if got.code != 0 {
		t.Fatalf("it ended with %d:\n%s%s", got.code, got.stdout, got.stderr)
	}
	results, _ := filepath.Glob(filepath.Join(r.home, ".murmur", "records", r.project, "ses_*", "out", "result.txt"))
	if len(results) != 1 {
		t.Fatalf("results: %v\n%s", results, got.stderr)
	}
	answer, err := os.ReadFile(results[0])
	if err != nil {
		t.Fatal(err)
	}
	mustContain(t, string(answer), "helper did a thing for member:agent")
}

// A member of murmur's ends by its lifeline when we stop the formation, and its trace says so to us.
func TestWeStopAFormationWithTheirMembers(t *testing.T) {
	r := newRoom(t)
	r.murmurCapsule("agent")
	r.write("echo.lua", script("echo", "return task.text"))
	r.write("recipe.lua", `local mur = require "mur"
local f = mur.formation.launch { members = {
  { name = "one", capsule = "local/agent", version = "1.0.0" },
  { name = "two", script = "echo.lua", version = "1.0.0" },
} }
print(f.id)
return f:wait()`)
	launcher := r.start(nil, murlua, "run", "recipe.lua")
	formation := launcher.line()
	said := spaced(r.ok(murlua, "stop", formation))
	mustContain(t, said, "stopped: "+formation+"\n", ", SIGTERM\n", "agent@1.0.0 formation_ended\n", "echo@1.0.0 formation_ended\n")
	if code := launcher.wait(); code != 128+int(syscall.SIGTERM) {
		t.Errorf("the launcher ended with %d:\n%s", code, launcher.stderr)
	}
}

// When a launcher of ours is shot, murmur's members end by their lifelines, as ours do.
func TestTheirMembersEndWithOurLauncher(t *testing.T) {
	r := newRoom(t)
	r.murmurCapsule("agent")
	r.write("recipe.lua", `local mur = require "mur"
local f = mur.formation.launch { members = {
  { name = "one", capsule = "local/agent", version = "1.0.0" },
  { name = "two", capsule = "local/agent", version = "1.0.0" },
} }
print(f.id)
return f:wait()`)
	launcher := r.start(nil, murlua, "run", "recipe.lua")
	formation := launcher.line()
	mustContain(t, r.ok(mur, "ps"), "formation "+formation+": 2 listed (2 running)")
	if err := launcher.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	launcher.wait()
	eventually(t, "nothing of it runs", func() bool { return strings.Contains(r.ok(mur, "ps"), "no running capsules") })
}

func TestALaunchThatTheirCapsuleRefusesLeavesNothing(t *testing.T) {
	r := newRoom(t)
	r.write("helper.lua", script("helper", "return ''"))
	r.write("recipe.lua", `return { members = {
  { name = "agent", capsule = "local/nobody", version = "1.0.0" },
  { name = "helper", script = "helper.lua" },
} }`)
	got := r.run(murlua, "run", "recipe.lua")
	if got.code != 1 {
		t.Errorf("it ended with %d", got.code)
	}
	mustContain(t, got.stderr, "'agent' (local/nobody@1.0.0): its process exited with status 1 before reporting; its last stderr lines were:", "stopped: helper (pid ")
}
