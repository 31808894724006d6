//go:build linux

package interop_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// roster writes a roster; each member is a line "name" or "name entry", and its capsule has the member's name.
func (r *room) roster(reachability string, members ...string) {
	r.t.Helper()
	text := "roster_version: 1\nmembers:\n"
	for _, member := range members {
		name, entry, _ := strings.Cut(member, " ")
		text += "  - {name: " + name + ", capsule: local/" + name + ", version: 1.0.0"
		if entry != "" {
			text += ", entry: true"
		}
		text += "}\n"
	}
	r.write("roster.yaml", text+"reachability: "+reachability+"\n")
}

// throughUs makes mur start every member with this program.
const throughUs = "MURMUR_MUR_BINARY="

// The real launcher admits capsules written in Lua like its own, starts them, lets one call the other and ends them.
func TestMurLaunchesOurCapsules(t *testing.T) {
	r := newRoom(t)
	r.luaCapsule("coder", "return 'coded ' .. task.text .. ' for ' .. task.from")
	r.luaCapsule("lead", "print('LEAD GOT ' .. task.peers.coder:send(task.text))\nreturn 'done'")
	r.roster("[{from: lead, to: [coder]}]", "lead entry", "coder")
	p := r.start([]string{throughUs + murlua}, mur, "run", "--roster", "--json", "--task", "a thing")
	formation := p.object()
	entry := p.object()
	if entry["name"] != "lead" || entry["version"] != "1.0.0" || entry["formation_id"] != formation["formation_id"] {
		t.Errorf("the entry reports %v", entry)
	}
	if line := p.line(); line != "LEAD GOT coded a thing for member:lead" {
		t.Errorf("the entry prints %q", line)
	}
	if code := p.wait(); code != 0 {
		t.Errorf("mur ended with %d:\n%s", code, p.stderr)
	}
}

// A peer of ours that fails is refused by mur in mur's words, with ours as their reason.
func TestMurRefusesOurCapsuleThatFails(t *testing.T) {
	r := newRoom(t)
	r.build("coder", map[string]string{"murmur.yaml": luaManifest("coder"), "capsule.lua": `error "no model"`})
	r.luaCapsule("lead", "return ''")
	r.roster("[]", "lead entry", "coder")
	p := r.start([]string{throughUs + murlua}, mur, "run", "--roster", "--task", "a thing")
	if code := p.wait(); code != 1 {
		t.Errorf("mur ended with %d", code)
	}
	mustContain(t, p.stderr.String(), "error[E-RUN-045]", "'coder' (local/coder@1.0.0): its process exited with status 1 before reporting; its last stderr lines were:",
		"no model")
}

// The same roster is launched by this program, which needs no variable for members of both kinds.
func TestWeLaunchTheirRoster(t *testing.T) {
	r := newRoom(t)
	r.murmurCapsule("agent")
	r.luaCapsule("helper", "return 'helper did ' .. task.text .. ' for ' .. task.from")
	r.luaCapsule("lead", "print('LEAD GOT ' .. task.peers.agent:send('call helper ' .. task.text))\nreturn 'done'")
	r.roster("[{from: lead, to: [agent]}, {from: agent, to: [helper]}]", "lead entry", "agent", "helper")
	said := r.ok(murlua, "run", "roster.yaml", "a thing")
	mustContain(t, said, "LEAD GOT ", "helper did a thing for member:agent")
}

// With a task that fails, mur ends with the entry's status.
func TestMurEndsWithOurEntrysStatus(t *testing.T) {
	r := newRoom(t)
	r.luaCapsule("lead", "error('it cannot be done')")
	r.roster("[]", "lead entry")
	p := r.start([]string{throughUs + murlua}, mur, "run", "--roster", "--task", "a thing")
	if code := p.wait(); code != 1 {
		t.Errorf("mur ended with %d", code)
	}
	mustContain(t, p.stderr.String(), "it cannot be done")
}

// Members of both kinds in one roster: murmur's own are handed over to mur, and calls go both ways.
func TestMurLaunchesBothKindsThroughUs(t *testing.T) {
	r := newRoom(t)
	r.murmurCapsule("agent")
	r.luaCapsule("helper", "return 'helper did ' .. task.text .. ' for ' .. task.from")
	r.luaCapsule("lead", "print('LEAD GOT ' .. task.peers.agent:send('call helper ' .. task.text))\nreturn 'done'")
	r.roster("[{from: lead, to: [agent]}, {from: agent, to: [helper]}]", "lead entry", "agent", "helper")
	p := r.start([]string{throughUs + murlua}, mur, "run", "--roster", "--json", "--task", "a thing")
	p.object()
	p.object()
	mustContain(t, p.line(), "LEAD GOT ", "helper did a thing for member:agent")
	if code := p.wait(); code != 0 {
		t.Errorf("mur ended with %d:\n%s", code, p.stderr)
	}
}

// Without a task the entry stays, and serves who comes to its door.
func TestOurEntryOfTheirRosterServesUntilItIsStopped(t *testing.T) {
	r := newRoom(t)
	r.luaCapsule("peer", "return ''")
	r.luaCapsule("lead", "return 'answer to ' .. task.text")
	r.roster("[]", "lead entry", "peer")
	p := r.start([]string{throughUs + murlua}, mur, "run", "--roster", "--json")
	formation, entry := text(p.object()["formation_id"]), text(p.object()["session_id"])
	for _, question := range []string{"one", "two"} {
		if said := r.ok(murlua, "send", entry, question); said != "answer to "+question+"\n" {
			t.Errorf("it answers %q", said)
		}
	}
	mustContain(t, r.ok(mur, "ps"), "formation "+formation+": 2 listed (2 running)")
	said := spaced(r.ok(murlua, "stop", formation))
	mustContain(t, said, "stopped: "+formation+"\n", ", SIGTERM\n", "lead@1.0.0 formation_ended\n", "peer@1.0.0 formation_ended\n")
	if code := p.wait(); code != 128+int(syscall.SIGTERM) {
		t.Errorf("mur ended with %d", code)
	}
}

func TestOurMembersEndAtTheirDeadline(t *testing.T) {
	r := newRoom(t)
	r.luaCapsule("lead", "mur.sleep(600)")
	r.roster("[]", "lead entry")
	p := r.start([]string{throughUs + murlua}, mur, "run", "--roster", "--deadline", "2", "--task", "a thing")
	if code := p.wait(); code != 1 {
		t.Errorf("mur ended with %d", code)
	}
	mustContain(t, p.stderr.String(), "error[E-RUN-053]")
}

// A class of confinement that Lua does not have is refused, where mur asks for it.
func TestOurMembersDoNotClaimToBeConfined(t *testing.T) {
	r := newRoom(t)
	r.luaCapsule("coder", "return ''")
	r.luaCapsule("lead", "return ''")
	r.roster("[]", "lead entry", "coder")
	p := r.start([]string{throughUs + murlua}, mur, "run", "--roster", "--task", "a thing", "--containment", "scoped")
	if code := p.wait(); code != 1 {
		t.Errorf("mur ended with %d", code)
	}
	mustContain(t, p.stderr.String(), "error[E-RUN-045]", "error[E-CAP-003]: --containment scoped")
}

// An artifact that changes between admission and start is refused, here as there: the store holds another one than its
// digest says by the time the member reads it.
func TestAMemberThatChangedIsRefused(t *testing.T) {
	r := newRoom(t)
	r.luaCapsule("lead", "return ''")
	r.roster("[]", "lead entry")
	installed := filepath.Join(r.home, ".murmur", "artifacts", "local", "lead", "1.0.0", "lead-1.0.0.mur.zip")
	late := r.write("late.sh", "#!/bin/sh\nprintf x >> "+installed+"\nexec "+murlua+` "$@"`)
	if err := os.Chmod(late, 0o700); err != nil {
		t.Fatal(err)
	}
	p := r.start([]string{throughUs + late}, mur, "run", "--roster", "--task", "a thing")
	if code := p.wait(); code != 1 {
		t.Errorf("mur ended with %d", code)
	}
	mustContain(t, p.stderr.String(), "error[E-RUN-047]")
}

func TestTheirShotLauncherTakesOurMembersAlong(t *testing.T) {
	r := newRoom(t)
	r.luaCapsule("peer", "return ''")
	r.luaCapsule("lead", "return ''")
	r.roster("[]", "lead entry", "peer")
	p := r.start([]string{throughUs + murlua}, mur, "run", "--roster", "--json")
	p.object()
	p.object()
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "nothing of it runs", func() bool { return strings.Contains(r.ok(mur, "ps"), "no running capsules") })
	p.wait()
}
