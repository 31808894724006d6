//go:build linux

package interop_test

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(livenessBound); !condition(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", livenessBound, what)
		}
	}
}

// theirCapsule starts a capsule of murmur's, as its user does, and returns its session.
func (r *room) theirCapsule() (*process, string) {
	r.t.Helper()
	manifest := r.write("theirs/murmur.yaml", r.murmurManifest("theirs"))
	p := r.start(nil, mur, "run", "--json", "--manifest", manifest)
	return p, text(p.object()["session_id"])
}

func TestWeListTheirSession(t *testing.T) {
	r := newRoom(t)
	_, session := r.theirCapsule()
	theirs, ours := r.listed(session)
	mustContain(t, theirs, session+"  theirs@1.0.0", "  running ")
	if ours != "live" {
		t.Errorf("we list it as %q", ours)
	}
	if theirs, ours := r.ok(mur, "token", session), r.ok(murlua, "token", session); theirs != ours || !strings.HasPrefix(ours, "mdt1.") {
		t.Error("its token is another for us")
	}
}

func TestWeGiveTheirSessionTasks(t *testing.T) {
	r := newRoom(t)
	_, session := r.theirCapsule()
	if said := r.ok(murlua, "send", session, "echo hello there"); said != "echo: hello there\n" {
		t.Errorf("it answers %q", said)
	}
	if got := r.run(murlua, "send", session, "nonsense"); got.code != 1 || !strings.Contains(got.stderr, "no task nonsense") {
		t.Errorf("a task that fails: %+v", got)
	}
}

// spaced makes every run of spaces one: how columns are aligned is nobody's protocol.
func spaced(text string) string {
	for strings.Contains(text, "  ") {
		text = strings.ReplaceAll(text, "  ", " ")
	}
	return text
}

func TestWeStopTheirSession(t *testing.T) {
	r := newRoom(t)
	p, session := r.theirCapsule()
	said := spaced(r.ok(murlua, "stop", session))
	mustContain(t, said, "stopped: "+session+"\n", "capsule: theirs@1.0.0\n", "signal: SIGTERM\n", "residue: nothing else was left running\n")
	if code := p.wait(); code != 0 {
		t.Errorf("it ended with %d", code)
	}
}

func TestWeStopTheirSessionAtWork(t *testing.T) {
	r := newRoom(t)
	p, session := r.theirCapsule()
	asking := r.start(nil, murlua, "send", session, "wait")
	eventually(t, "the task begins", func() bool {
		out, _ := exec.Command("ps", "-eo", "args").Output()
		return bytes.Contains(out, []byte(r.project+"/bin/"+harnessName+" new"))
	})
	said := spaced(r.ok(murlua, "stop", session))
	mustContain(t, said, "stopped: "+session+"\n", "canceled: tsk_")
	if strings.Contains(said, "unended") {
		t.Errorf("the trace does not say how its task ended:\n%s", said)
	}
	p.wait()
	if code := asking.wait(); code != 1 {
		t.Errorf("who asked was told %d: %s", code, asking.stderr)
	}
}

// What scripts see of it: the record, its verification, its task, and the signal.
func TestAScriptDrivesTheirSession(t *testing.T) {
	r := newRoom(t)
	p, session := r.theirCapsule()
	r.write("drive.lua", `local mur = require "mur"
local r = mur.running.get(arg[1])
print(r.capsule_name, r.capsule_version, mur.running.verify(r).state)
print(mur.door.send(r, "echo from a script").text)
print(mur.running.signal(r, "TERM"))`)
	said := r.ok(murlua, "run", "drive.lua", session)
	mustContain(t, said, "theirs\t1.0.0\tlive\n", "echo: from a script\n")
	if code := p.wait(); code != 0 {
		t.Errorf("it ended with %d:\n%s", code, p.stderr)
	}
}
