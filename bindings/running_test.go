package bindings

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"murlua/lifecycle/credential"
	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/lifecycle/running"
	"murlua/platform/process"
)

// recordWorld is a world whose home is empty.
func recordWorld(t *testing.T) (*World, home.Home) {
	t.Helper()
	dir := t.TempDir()
	h, err := home.Resolve(dir)
	if err != nil {
		t.Fatal(err)
	}
	return &World{Workdir: dir, Environ: []string{"HOME=" + dir}}, h
}

// sleeper starts a process that runs until the test ends.
func sleeper(t *testing.T) process.Identity {
	t.Helper()
	cmd := exec.Command("cat")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stdin.Close(); _ = cmd.Wait() })
	identity, err := process.Identify(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	return identity
}

func record(t *testing.T, h home.Home, identity process.Identity, change func(*running.Record)) running.Record {
	t.Helper()
	r := running.Record{
		SessionID: id.NewSession(), CapsuleName: "demo", CapsuleVersion: "0.1.0", Workdir: "/tmp/demo",
		RecordsDir: "/tmp/records", StartedAt: "2026-01-01T00:00:00Z",
	}
	r.SetProcess(identity)
	if change != nil {
		change(&r)
	}
	if _, err := running.Write(h, r); err != nil {
		t.Fatal(err)
	}
	return r
}

func stale(identity process.Identity) process.Identity {
	identity.Start += "0"
	return identity
}

func TestRunningListAndScan(t *testing.T) {
	w, h := recordWorld(t)
	printed(t, w, `print(#mur.running.list(), #mur.running.scan().records)`, "0\t0")
	self := sleeper(t)
	record(t, h, self, func(r *running.Record) { r.CapsuleName = "other" })
	record(t, h, self, func(r *running.Record) { r.FormationID, r.FormationMember = id.NewFormation(), "lead" })
	garbage := filepath.Join(h.Running(), "x.json")
	if err := os.WriteFile(garbage, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	printed(t, w, `
		local scan = mur.running.scan { capsule = "demo" }
		print(#scan.records, #scan.older, #scan.unreadable, scan.unreadable[1].path, scan.records[1].formation_member)`,
		"1\t0\t1\t"+garbage+"\tlead")
	printed(t, w, `
		local list = mur.running.list()
		print(#list, list[1].capsule_name, list[2].capsule_name, #mur.running.list { capsule = "other" },
			#mur.running.list { formation = list[1].formation_id }, #mur.running.scan().unreadable)`,
		"2\tdemo\tother\t1\t1\t0")
	if _, err := runScript(t, w, `mur.running.list { capsul = "x" }`); err == nil || !strings.Contains(err.Error(), "capsule") {
		t.Errorf("an unknown option: %v", err)
	}
}

func TestRunningGet(t *testing.T) {
	w, h := recordWorld(t)
	self := sleeper(t)
	first := record(t, h, self, nil)
	second := record(t, h, self, nil)
	ended := record(t, h, stale(self), nil)
	suffix := string(first.SessionID[len(first.SessionID)-12:])
	printed(t, w, fmt.Sprintf(`
		print(mur.running.get("@1").session_id == %q, mur.running.get("@2").session_id == %q,
			mur.running.get((%q):upper()).session_id == %q)`, second.SessionID, first.SessionID, suffix, first.SessionID),
		"true\ttrue\ttrue")
	record(t, h, stale(self), func(r *running.Record) { r.SessionID = ended.SessionID })
	printed(t, w, fmt.Sprintf(`local r, err = mur.running.get(%q); print(r, err.kind, err.problem, err.sessions[1], err.message)`, ended.SessionID),
		fmt.Sprintf("nil\tno_session\tended\t%s\t%[1]s is not running: pid %d is held by a process that started at another time", ended.SessionID, self.PID))
	printed(t, w, `local r, err = mur.running.get("@9"); print(r, err.kind, err.problem, #err.sessions)`, "nil\tno_session\tnone_runs\t0")
	if _, err := runScript(t, w, `mur.running.get("/tmp/x")`); err == nil || !strings.Contains(err.Error(), "not by a file") {
		t.Errorf("a path: %v", err)
	}
}

func TestRunningVerify(t *testing.T) {
	w, h := recordWorld(t)
	self := sleeper(t)
	live := record(t, h, self, nil)
	gone := record(t, h, stale(self), func(r *running.Record) { r.CapsuleName = "gone" })
	silent := record(t, h, self, func(r *running.Record) { r.URL, r.CapsuleName = "localhost:1", "silent" })
	reason := fmt.Sprintf("pid %d is held by a process that started at another time", self.PID)
	printed(t, w, fmt.Sprintf(`
		local live, gone = mur.running.verify(%q), mur.running.verify(%q)
		print(live.state, live.reason, gone.state, gone.reason)`, live.SessionID, gone.SessionID),
		"live\tnil\tgone\t"+reason)
	got := script(t, w, `for _, v in ipairs(mur.running.verify_all()) do print(v.record.capsule_name, v.state, v.reason) end`)
	lines := strings.Split(got, "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "silent\tunreachable\t") || lines[1] != "gone\tgone\t"+reason || lines[2] != "demo\tlive\tnil" {
		t.Errorf("verify_all gives %q", lines)
	}
	printed(t, w, `print(#mur.running.verify_all { capsule = "silent" })`, "1")
	printed(t, w, fmt.Sprintf(`
		local record = mur.running.get(%q)
		os.remove(%q)
		local verdict = mur.running.verify(record)
		print(verdict.state, verdict.reason)`, silent.SessionID, running.Location(h, silent.SessionID)),
		"gone\tits record was removed")
}

// A script cannot have a process of its choice signalled by changing the record that it holds.
func TestRunningSignalAndPrune(t *testing.T) {
	w, h := recordWorld(t)
	bystander, victim := sleeper(t), sleeper(t)
	record(t, h, bystander, func(r *running.Record) { r.CapsuleName = "bystander" })
	record(t, h, victim, func(r *running.Record) { r.CapsuleName = "victim" })
	record(t, h, stale(bystander), func(r *running.Record) { r.CapsuleName = "stale" })
	printed(t, w, fmt.Sprintf(`
		local function one(name) return mur.running.list({ capsule = name })[1] end
		local stale = one "stale"
		print(mur.running.signal(stale, "KILL").outcome)
		local ok, err = mur.running.prune(one "bystander")
		print(ok, err.kind)
		print(mur.running.prune(stale), mur.running.prune(stale), one "stale")
		local victim = one "victim"
		victim.pid, victim.process_start = %d, %q
		local sent = mur.running.signal(victim, "KILL")
		print(sent.outcome, sent.reason, sent.method)
		local watch = mur.running.watch()
		repeat
			local event = assert(watch:next { timeout = 20 })
		until event.record and event.record.capsule_name == "victim" and event.state == "gone"
		print(mur.running.signal(victim).outcome, mur.running.prune(victim), mur.running.signal(victim).reason)
	`, bystander.PID, bystander.Start), "gone\nnil\tnot_gone\ntrue\tfalse\tnil\nsent\tnil\thandle\ngone\ttrue\tits record was removed")
	if state := process.Inspect(bystander); state.Kind != process.Alive {
		t.Errorf("the bystander was signalled: %+v", state)
	}
	for chunk, want := range map[string]string{
		`mur.running.signal("ses_x")`:                                  "32 hex digits",
		`mur.running.signal({})`:                                       "session id",
		`mur.running.signal(1)`:                                        "expected a record",
		`mur.running.verify("../../etc")`:                              "session id",
		fmt.Sprintf(`mur.running.signal(%q, "USR9")`, id.NewSession()): "none of the signals",
	} {
		if _, err := runScript(t, w, chunk); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", chunk, err)
		}
	}
}

func TestRunningWatch(t *testing.T) {
	w, h := recordWorld(t)
	r := record(t, h, sleeper(t), nil)
	printed(t, w, fmt.Sprintf(`
		local watch = mur.running.watch()
		local event = watch:next { timeout = 20 }
		print(event.kind, event.record.session_id == %q, event.state, event.reason)
		print(watch:next { timeout = 20 }.kind)
		print(select(2, watch:next { timeout = 0 }).kind)
		os.remove(%q)
		print(watch:next { timeout = 20 }.kind)
		watch:close()
		watch:close()
		print(select(2, watch:next()).kind, watch)
	`, r.SessionID, running.Location(h, r.SessionID)), "appeared\ttrue\talive\tnil\ncaught_up\ntimeout\nvanished\nclosed\twatch of running records")
}

func TestRunningIdentity(t *testing.T) {
	w, _ := recordWorld(t)
	other := sleeper(t)
	printed(t, w, fmt.Sprintf(`
		local own, other = mur.running.identity(), mur.running.identity(%d)
		print(own.pid == %d, other.process_start == %q, select(2, mur.running.identity(4194305)).kind)
	`, other.PID, os.Getpid(), other.Start), "true\ttrue\tgone")
}

func TestRunningNeverShowsTokens(t *testing.T) {
	w, h := recordWorld(t)
	record(t, h, sleeper(t), func(r *running.Record) {
		r.URL, r.DoorToken = "localhost:1", credential.NewSecret("mdt1.hidden")
		r.Credentials = map[string]credential.Secret{"web": credential.NewSecret("mdt1.hidden.web")}
	})
	got := script(t, w, `
		local function show(value)
			if type(value) ~= "table" then return print(tostring(value)) end
			for k, v in pairs(value) do print(k) show(v) end
		end
		show(mur.running.list()) show(mur.running.scan()) show(mur.running.get "@1") show(mur.running.verify_all())
		print(mur.json.encode(mur.running.list()))
		show(mur.running.watch():next())
		print(pcall(mur.running.verify, mur.running.get "@1"))`)
	if !strings.Contains(got, "authenticated") || strings.Contains(got, "hidden") {
		t.Errorf("shown: %s", got)
	}
}
