//go:build linux

package interop_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// ourCapsule starts a capsule of this program by hand and returns its session.
func (r *room) ourCapsule(environ ...string) (*process, string) {
	r.t.Helper()
	r.write("echo.lua", script("ours", "return 'ours: ' .. task.text"))
	p := r.start(environ, murlua, "run", "--capsule", "ours", "--capsule-version", "1.0.0", "--script", "echo.lua", "--json")
	return p, text(p.object()["session_id"])
}

func TestMurListsOurSession(t *testing.T) {
	r := newRoom(t)
	_, session := r.ourCapsule()
	theirs, ours := r.listed(session)
	mustContain(t, theirs, session+"  ours@1.0.0", "  running ", "  localhost:")
	if ours != "live" {
		t.Errorf("we list it as %q", ours)
	}
	for _, name := range []string{session, "@1", session[len(session)-6:]} {
		if theirs, ours := r.ok(mur, "token", name), r.ok(murlua, "token", name); theirs != ours || !strings.HasPrefix(ours, "mdt1.") {
			t.Errorf("its token by %s is another for mur", name)
		}
	}
	if got := r.run(mur, "token", "@1", "--credential", "nobody"); got.code != 1 || !strings.Contains(got.stderr, "E-RUN-049") {
		t.Errorf("a credential it has not: %+v", got)
	}
}

func TestMurStopsOurSession(t *testing.T) {
	r := newRoom(t)
	p, session := r.ourCapsule()
	said := r.ok(mur, "stop", session)
	mustContain(t, said, "stopped: "+session+"\n", "capsule: ours@1.0.0\n", "signal:  SIGTERM\n", "residue: nothing else was left running\n")
	if code := p.wait(); code != 0 {
		t.Errorf("it ended with %d", code)
	}
}

// A task that is under way when mur stops the session is cancelled through the door, and mur finds its end in the trace.
func TestMurStopsOurSessionAtWork(t *testing.T) {
	r := newRoom(t)
	r.write("slow.lua", script("slow", "mur.fs.write('working', '')\nmur.sleep(600)"))
	p := r.start(nil, murlua, "run", "--capsule", "slow", "--capsule-version", "1.0.0", "--script", "slow.lua", "--json")
	session := text(p.object()["session_id"])
	asking := r.start(nil, murlua, "send", session, "work")
	eventually(t, "the task begins", func() bool {
		_, err := os.Stat(filepath.Join(r.project, "working"))
		return err == nil
	})
	said := r.ok(mur, "stop", session)
	mustContain(t, said, "stopped: "+session+"\n", "canceled: ")
	if strings.Contains(said, "unended") {
		t.Errorf("the trace does not say how its task ended:\n%s", said)
	}
	if code := p.wait(); code != 0 && code != 1 {
		t.Errorf("it ended with %d", code)
	}
	if code := asking.wait(); code != 1 {
		t.Errorf("who asked was told %d", code)
	}
}

func TestMurPrunesWhatWeLeftBehind(t *testing.T) {
	r := newRoom(t)
	p, session := r.ourCapsule()
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.wait()
	got := r.run(mur, "ps", "--verbose")
	mustContain(t, got.stdout+got.stderr, "no running capsules", session, "no process holds pid")
	if theirs, ours := r.listed(session); theirs != "" || ours != "" {
		t.Errorf("still listed: %q, %q", theirs, ours)
	}
}

// ourFormation runs a recipe with a peer and an entry that waits for a task, and returns the formation.
func (r *room) ourFormation() (launcher *process, formation string) {
	r.t.Helper()
	r.write("echo.lua", script("peer", "return 'peer: ' .. task.text"))
	r.write("lead.lua", script("lead", "return task.peers.peer:send(task.text)"))
	r.write("recipe.lua", `local mur = require "mur"
local f = mur.formation.launch { members = {
  { name = "peer", script = "echo.lua", version = "1.0.0" },
  { name = "lead", script = "lead.lua", version = "1.0.0", entry = true, calls = { "peer" } },
} }
print(f.id)
return f:wait()`)
	launcher = r.start(nil, murlua, "run", "recipe.lua")
	return launcher, launcher.line()
}

func TestMurListsAndStopsOurFormation(t *testing.T) {
	r := newRoom(t)
	launcher, formation := r.ourFormation()
	eventually(t, "mur lists both members", func() bool {
		return strings.Contains(r.ok(mur, "ps"), "formation "+formation+": 2 listed (2 running)")
	})
	said := r.ok(mur, "stop", formation)
	mustContain(t, said, "stopped:  "+formation+"\n", "SIGTERM\n", "peer@1.0.0  formation_ended\n", "lead@1.0.0  formation_ended\n")
	if code := launcher.wait(); code != 128+int(syscall.SIGTERM) {
		t.Errorf("the launcher ended with %d:\n%s", code, launcher.stderr)
	}
}

// A peer that mur stops by itself ends in order; what becomes of its formation is the recipe's to say.
func TestMurStopsOneMemberOfOurFormation(t *testing.T) {
	r := newRoom(t)
	launcher, formation := r.ourFormation()
	session := regexp.MustCompile(`(?m)^(ses_[0-9a-f]{32})  peer@`).FindStringSubmatch(r.ok(mur, "ps"))
	if session == nil {
		t.Fatalf("mur does not list the peer:\n%s", r.ok(mur, "ps"))
	}
	mustContain(t, r.ok(mur, "stop", session[1]), "stopped: "+session[1]+"\n", "signal:  SIGTERM\n")
	eventually(t, "the lead runs on alone", func() bool {
		return strings.Contains(r.ok(mur, "ps"), "formation "+formation+": 1 listed (1 running)")
	})
	r.ok(mur, "stop", formation)
	launcher.wait()
}

// A member that was started by hand holds no lifeline: mur stops it as a session, after the formation.
func TestMurStopsOurMemberStartedByHand(t *testing.T) {
	r := newRoom(t)
	launcher, formation := r.ourFormation()
	hand, session := r.ourCapsule("MURMUR_FORMATION_ID=" + formation)
	mustContain(t, hand.stderr.String(), "W-RUN-007")
	said := r.ok(mur, "stop", formation)
	mustContain(t, said, session+"  ours@1.0.0  started by hand — stopped as one session below\n", "\nstopped: "+session+"\n")
	hand.wait()
	launcher.wait()
}

// What happens at our door while mur watches it.
func TestMurWatchesOurSession(t *testing.T) {
	r := newRoom(t)
	r.write("pieces.lua", script("pieces", "task.emit('piece one, ')\nreturn 'and all of ' .. task.text"))
	p := r.start(nil, murlua, "run", "--capsule", "pieces", "--capsule-version", "1.0.0", "--script", "pieces.lua", "--json")
	session := text(p.object()["session_id"])
	watching := r.start(nil, mur, "watch", session)
	eventually(t, "mur watches", func() bool { return strings.Contains(watching.stderr.String(), "watching "+session) })
	r.ok(murlua, "send", session, "it")
	for seen := ""; !strings.Contains(seen, "piece one, ") || !strings.Contains(seen, "[completed]"); {
		seen += watching.line() + "\n"
	}
}

// A task of ours is cancelled by mur, and what is left in the trace is read by it.
func TestMurCancelsOurTaskAndReadsOurTrace(t *testing.T) {
	r := newRoom(t)
	r.write("slow.lua", script("slow", "if task.text == 'work' then mur.fs.write('working', '')\nmur.sleep(600) end\nreturn 'done'"))
	p := r.start(nil, murlua, "run", "--capsule", "slow", "--capsule-version", "1.0.0", "--script", "slow.lua", "--json")
	session := text(p.object()["session_id"])
	r.ok(murlua, "send", session, "nothing")
	asking := r.start(nil, murlua, "send", session, "work")
	eventually(t, "the task begins", func() bool {
		_, err := os.Stat(filepath.Join(r.project, "working"))
		return err == nil
	})
	trace := filepath.Join(r.home, ".murmur", "records", r.project, session, "trace.jsonl")
	written, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	tasks := regexp.MustCompile(`tsk_[0-9a-f]{32}`).FindAllString(string(written), -1)
	task := tasks[len(tasks)-1]
	mustContain(t, r.ok(mur, "cancel", session, task), task, "canceled")
	if code := asking.wait(); code != 1 {
		t.Errorf("who asked was told %d", code)
	}
	mustContain(t, r.ok(mur, "trace", "list", "--workdir", r.project), session, "running")
	r.ok(mur, "stop", session)
	p.wait()
	mustContain(t, r.ok(mur, "trace", "list", "--workdir", r.project), session, "ended")
	shown := r.ok(mur, "trace", "show", trace)
	mustContain(t, shown, session, "slow v1.0.0", "task 1 ", " ok ", "task 2  "+task[:12], " canceled ")
}
