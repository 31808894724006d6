package bindings

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"murlua/lifecycle/formation"
	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/lifecycle/running"
	"murlua/platform/process"
)

// littered is a world whose home holds a record of a process that runs, one of a process that has ended, a file
// that is no record, and two folders of ended formations of one project.
func littered(t *testing.T) (w *World, stop func()) {
	t.Helper()
	dir := t.TempDir()
	w = &World{Workdir: dir, Environ: []string{"HOME=" + dir}}
	h, err := home.Resolve(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.EnsureFormations(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	token, err := process.StartToken(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		_ = cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-exited
	})
	for _, r := range []running.Record{
		{CapsuleName: "living", PID: cmd.Process.Pid, ProcessStart: token}, {CapsuleName: "ended", PID: os.Getpid(), ProcessStart: "1"},
	} {
		r.SessionID, r.CapsuleVersion, r.Workdir, r.RecordsDir, r.StartedAt = id.NewSession(), "1", dir, dir, "2026-01-01T00:00:00Z"
		if _, err := running.Write(h, r); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(h.Running(), "broken.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		folder := filepath.Join(h.Formations(), string(id.NewFormation()))
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		text, _ := json.Marshal(formation.Marker{ProjectDir: dir, LauncherPID: os.Getpid(), LauncherStart: "1"})
		if err := os.WriteFile(filepath.Join(folder, formation.MarkerFile), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return w, func() { <-exited }
}

const sweptKinds = `over = { "record", "unreadable", "formation" }`

func TestADrySweepChangesNothing(t *testing.T) {
	w, _ := littered(t)
	out := script(t, w, `
		local r = mur.sweep.run { policy = mur.sweep.first { mur.sweep.gone(), mur.sweep.keep_newest(1) }, dry_run = true, `+sweptKinds+` }
		print(r.would, r.kept, r.done, r.failed, r.code)`)
	out = regexp.MustCompile(`(ses|frm)_[0-9a-f]{32}`).ReplaceAllString(strings.ReplaceAll(out, w.Workdir, "DIR"), "$1")
	out = regexp.MustCompile(` +|\d+d`).ReplaceAllStringFunc(out, func(s string) string {
		if strings.HasSuffix(s, "d") {
			return "Nd"
		}
		return " "
	})
	out = regexp.MustCompile(`…\S*`).ReplaceAllString(out, "…")
	out = strings.ReplaceAll(out, strconv.Itoa(os.Getpid()), "PID")
	want := `KIND ID NAME STATE AGE ACTION RESULT
record ses ended@1 gone Nd prune would (pid PID is held by a process that started at another time)
unreadable … - gone - remove would (not one JSON value in UTF-8)
formation frm … gone 0s remove would (number 2 of its project, newest first)

KEPT KIND STATE NAME WHY
1 record live living@1 -
1 formation gone … it holds what its members wrote; among the newest 1 of its project
3 would be done, 2 kept
3	2	0	0	0`
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	printed(t, w, `print(#mur.sweep.find { `+sweptKinds+` })`, "5")
}

func TestASweepDoesWhatItsPolicySays(t *testing.T) {
	w, ended := littered(t)
	printed(t, w, `
		local seen = {}
		local r = mur.sweep.run { `+sweptKinds+`, quiet = true, on_item = function(e) seen[#seen + 1] = e.item.kind .. " " .. e.result .. " " .. tostring(e.detail) end,
			policy = mur.sweep.owned_by(".", function(item, live)
				if item.capsule_name == "living" then return "stop", "enough" end
				if item.kind == "formation" and item.rank == 2 then return "remove" end
				return mur.sweep.gone()(item, live)
			end) }
		table.sort(seen)
		print(table.concat(seen, "\n"))
		print(r.done, r.failed, r.kept, r.code)
		print(#mur.running.list())`,
		"formation done removed\nformation kept nil\nrecord done ended by SIGTERM\nrecord done pruned\nunreadable kept nil\n3\t0\t2\t0\n0")
	ended()
}

func TestAFailureIsCountedAndIsTheExitStatus(t *testing.T) {
	w, _ := littered(t)
	out := script(t, w, `
		local r = mur.sweep.run { over = { "record" }, policy = function() return "prune" end }
		print(r.done, r.failed, r.code)`)
	if !strings.Contains(out, "prune   failed: cannot prune the record of session ") || !strings.HasSuffix(out, "\n1 done, 1 failed, 0 kept\n1\t1\t1") {
		t.Errorf("printed\n%s", out)
	}
}

func TestAFaultyPolicyHasDoneNothing(t *testing.T) {
	w, _ := littered(t)
	for _, test := range []struct{ source, want string }{
		{
			`mur.sweep.run { policy = function(item) if item.kind == "formation" then return "prune" end return item.kind == "record" and "kill" end }`,
			`usage the policy of test.lua:1 returned "prune" for the formation frm_…; it can be remove, stop or "keep"`,
		},
		{`mur.sweep.run { policy = 1 }`, `usage bad option 'policy' of 'mur.sweep.run': function expected, got number`},
		{`mur.sweep.run { polcy = 1 }`, `usage unknown option 'polcy' of 'mur.sweep.run'; did you mean 'policy'?`},
		{`mur.sweep.run { over = { "x" } }`, `usage bad argument #1 to 'mur.sweep.find' (one of [record unreadable formation cgroup tracked scratch] expected, got "x")`},
		{`mur.sweep.run { policy = function() return {} end }`, `usage the policy of test.lua:1 returned a table for the record ses_…; it can be prune, stop, kill or "keep"`},
		{
			`mur.sweep.run { policy = function(item) return item.kind == "record" and "kill", {} end }`,
			`usage the policy of test.lua:1 gave a table as its reason for the record ses_…; it can be a string`,
		},
		{`mur.sweep.run { policy = mur.sweep.gone }`, `usage 'mur.sweep.gone' is no policy: what it returns is one, so call it`},
		{`mur.sweep.run { on_item = 1 }`, `usage bad option 'on_item' of 'mur.sweep.run': function expected, got number`},
		{`mur.sweep.run { grace = -1 }`, `usage bad option 'grace' of 'mur.sweep.run': seconds expected, zero or more, got -1`},
		{`mur.sweep.run { grace = "1" }`, `usage bad option 'grace' of 'mur.sweep.run': seconds expected, zero or more, got "1"`},
		{`mur.sweep.older_than "soon"`, `usage bad argument #1 to 'mur.sweep.older_than' (a length of time expected, such as "7d", got soon)`},
	} {
		printed(t, w, `local ok, e = pcall(function() `+test.source+` end) print(e.kind, (e.message:gsub("(%a+_)%x%x%x%x%x%x+", "%1…")))`, strings.Replace(test.want, " ", "\t", 1))
	}
	if diff := cmp.Diff("5", script(t, w, `print(#mur.sweep.find { `+sweptKinds+` })`)); diff != "" {
		t.Error(diff)
	}
}

// What is of one kind and in one state, and was kept for one reason, is one line; a verbose report has a line for each item.
func TestWhatIsKeptIsShownWithTheReason(t *testing.T) {
	w, _ := littered(t)
	out := script(t, w, `
		local r = mur.sweep.run { `+sweptKinds+`, quiet = true, policy = function(item, live)
			if item.kind == "formation" then return "keep", "its logs\nare wanted\27[2J" end
			if live.state == "live" then return nil, 7 end
		end }
		for _, e in ipairs(r.items) do print(e.item.kind, e.result, e.action, (tostring(e.why):gsub("%c", "?"))) end
		print(r)
		r.verbose = true
		print(r)`)
	out = regexp.MustCompile(`(ses|frm)_[0-9a-f]{32}`).ReplaceAllString(out, "$1")
	out = regexp.MustCompile(`…\S*|/\S*`).ReplaceAllString(out, "…")
	out = regexp.MustCompile(` +`).ReplaceAllString(regexp.MustCompile(`\d+[ds]\b`).ReplaceAllString(out, "AGE"), " ")
	lines := strings.Split(out, "\n")
	slices.Sort(lines) // the order of records is that of their ids, which are random within a millisecond
	want := strings.Split(`
0 done, 0 failed, 5 kept
0 done, 0 failed, 5 kept
1 record gone ended@1 -
1 record live living@1 7
1 unreadable gone … -
2 formation gone … its logs are wanted�[2J
KEPT KIND STATE NAME WHY
KIND ID NAME STATE AGE ACTION RESULT
formation	kept	nil	its logs?are wanted?[2J
formation	kept	nil	its logs?are wanted?[2J
formation frm … gone AGE keep its logs are wanted�[2J
formation frm … gone AGE keep its logs are wanted�[2J
record	kept	nil	7
record	kept	nil	nil
record ses ended@1 gone AGE keep -
record ses living@1 live AGE keep 7
unreadable	kept	nil	nil
unreadable … - gone - keep -`, "\n")[1:]
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// Policies that give every item a reason of its own do not fill the screen.
func TestASummaryOfWhatIsKeptIsShort(t *testing.T) {
	dir := t.TempDir()
	w := &World{Workdir: dir, Environ: []string{"HOME=" + dir}}
	h, err := home.Resolve(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.EnsureRunning(); err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		if err := os.WriteFile(filepath.Join(h.Running(), fmt.Sprintf("broken%02d.json", i)), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	printed(t, w, `
		local own = mur.sweep.run { over = { "unreadable" }, quiet = true, policy = function(item) return "keep", item.path end }
		local lines = {}
		for line in tostring(own):gmatch "[^\n]+" do lines[#lines + 1] = line end
		print(#lines, (lines[22]:gsub(" +", " ")), lines[23])
		local same = mur.sweep.run { over = { "unreadable" }, quiet = true, policy = function() return "keep", "so" end }
		print((tostring(same):match "\n([^\n]+)":gsub("…%S*/", ""):gsub("/%S*/", ""):gsub(" +", " ")))`,
		"23\t10 others - - -\t0 done, 0 failed, 30 kept\n30 unreadable gone broken00.json, broken01.json, broken02.json and 27 more so")
}

func TestOlderThan(t *testing.T) {
	w, _ := littered(t)
	printed(t, w, `
		local function kinds(policy)
			local names = {}
			for _, e in ipairs(mur.sweep.run({ policy = policy, dry_run = true, quiet = true, `+sweptKinds+` }).items) do
				if e.action then names[#names + 1] = e.item.kind .. "=" .. e.action end
			end
			return table.concat(names, " ")
		end
		print(kinds(mur.sweep.older_than(0)))
		print(kinds(mur.sweep.older_than("1h")))
		print(kinds(mur.sweep.older_than("1h", "stop")))`,
		"formation=remove formation=remove\n\nrecord=stop record=stop")
}
