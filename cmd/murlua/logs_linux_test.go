package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"murlua/bindings"
	"murlua/lifecycle/attach"
	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/platform/process"
)

// gated is a recipe's member that goes on when a file is there.
const gated = `local function gate(name) return "while ! test -e " .. name .. "; do sleep 0.01; done; " end
`

// inFolder writes a recipe into a folder of its own and prepares its run there.
func inFolder(t *testing.T, home, text string) (m *murlua, dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "recipe.lua"), []byte(gated+text), 0o600); err != nil {
		t.Fatal(err)
	}
	m = newMurlua(t, home, "run", "recipe.lua")
	m.cmd.Dir = dir
	return m, dir
}

func touch(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// follower is a `murlua logs -f` that writes into a file.
type follower struct {
	*murlua
	t    *testing.T
	path string
}

func followed(t *testing.T, home string, args ...string) *follower {
	t.Helper()
	f := &follower{newMurlua(t, home, append([]string{"logs", "-f"}, args...)...), t, filepath.Join(t.TempDir(), "out")}
	out, err := os.Create(f.path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	f.cmd.Stdout = out
	f.start(t)
	return f
}

func (f *follower) text() string {
	text, err := os.ReadFile(f.path)
	if err != nil {
		f.t.Fatal(err)
	}
	return string(text)
}

func (f *follower) waitFor(text string) {
	f.t.Helper()
	eventually(f.t, text+" is followed", func() bool { return strings.Contains(f.text(), text) })
}

// ended waits for the end and returns what each member's lines were.
func (f *follower) ended() map[string]string {
	f.t.Helper()
	if code := f.wait(f.t); code != 0 || f.stderr.Len() > 0 {
		f.t.Errorf("exit code %d: %s", code, f.stderr.String())
	}
	lines := map[string]string{}
	for _, line := range strings.SplitAfter(f.text(), "\n") {
		name, rest, named := strings.Cut(line, "] ")
		if !named {
			name, rest = "", line
		}
		lines[strings.TrimPrefix(name, "[")] += rest
	}
	return lines
}

// Members that wait for others, and those that are started again, are followed from their first line on, and nothing is
// lost or there twice, by however many at once.
func TestLogsFollowsMembersThatStartLater(t *testing.T) {
	home := t.TempDir()
	m, dir := inFolder(t, home, `return { name = "dev", members = {
		{ name = "first", command = { "sh", "-c", "echo one; " .. gate "go" .. "echo two; exec sleep 600" }, ready = { log = "two" } },
		{ name = "late", after = { "first" }, command = { "sh", "-c", "for i in 1 2 3; do echo late $i; done; exec sleep 600" } },
		{ name = "again", after = { "first" }, on_exit = { restart_after = 0.01 },
			command = { "sh", "-c", "echo $PWD >>starts; echo start $(wc -l <starts); test $(wc -l <starts) -lt 4 && exit 1; exec sleep 600" } },
	} }`)
	m.start(t)
	eventually(t, "the formation has its name", func() bool {
		text, err := os.ReadFile(filepath.Join(home, ".murmur/names/dev"))
		return err == nil && len(text) > 0
	})
	all, one, tail, killed := followed(t, home, "dev"), followed(t, home, "dev", "late"), followed(t, home, "-n", "0", "dev", "late", "again"), followed(t, home, "dev")
	all.waitFor("[first] one\n")
	killed.waitFor("[first] one\n")
	if err := killed.cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	killed.wait(t)
	unknown := newMurlua(t, home, "logs", "-f", "dev", "latte")
	if code := unknown.run(t); code != 1 || !strings.Contains(unknown.stderr.String(), `has no member "latte"`) || !strings.Contains(unknown.stderr.String(), "it has first, late, again") {
		t.Errorf("a member that there is not: exit code %d, %s", code, unknown.stderr.String())
	}
	touch(t, filepath.Join(dir, "go"))
	all.waitFor("[again] start 4\n")
	all.waitFor("[late] late 3\n")
	stop := newMurlua(t, home, "stop", "dev")
	if code := stop.run(t); code != 0 {
		t.Errorf("stop: %d, %s", code, stop.stderr.String())
	}
	const late, again = "late 1\nlate 2\nlate 3\n", "start 1\nstart 2\nstart 3\nstart 4\n"
	if got := all.ended(); got["first"] != "one\ntwo\n" || got["late"] != late || got["again"] != again || len(got) != 4 || got[""] != "" {
		t.Errorf("all: %q", got)
	}
	if got := one.ended(); got[""] != late {
		t.Errorf("one: %q", got)
	}
	if got := tail.ended(); got["late"] != late || got["again"] != again || len(got) != 3 {
		t.Errorf("without what was there: %q", got)
	}
	if code := m.wait(t); code != 143 {
		t.Errorf("the recipe ended with %d", code)
	}
	nothingLeft(t, home)
}

// While the only member is about to be started again there is no record that leads to the formation.
func TestAFormationWithoutARunningMemberIsFound(t *testing.T) {
	home := t.TempDir()
	m, dir := inFolder(t, home, `return { members = { { name = "one", command = { "sh", "-c", "echo said; " .. gate "go" }, ready = { log = "said" },
		on_exit = { restart_after = 600 } } } }`)
	m.start(t)
	var formation string
	eventually(t, "the formation is listed", func() bool {
		for _, s := range sessions(t, home) {
			formation = s["formation_id"].(string)
		}
		return formation != ""
	})
	touch(t, filepath.Join(dir, "go"))
	var view bindings.FormationView
	eventually(t, "its member has ended", func() bool {
		show := newMurlua(t, home, "show", formation, "--json")
		if code := show.run(t); code != 0 {
			t.Fatalf("show: %d, %s", code, show.stderr.String())
		}
		return json.Unmarshal(show.stdout.Bytes(), &view) == nil && view.Members[0].State == "restarting"
	})
	if all := sessions(t, home); len(all) != 0 {
		t.Errorf("listed: %v", all)
	}
	f := followed(t, home, formation)
	f.waitFor("said\n")
	if err := m.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if got := f.ended(); got[""] != "said\n" { // one member needs no name
		t.Errorf("followed: %q", got)
	}
	m.wait(t)
	nothingLeft(t, home)
}

// A script may go on when its formation has ended, and need not let anybody in to be asked: the name tells.
func TestLogsEndsWithAFormationThatCannotBeAsked(t *testing.T) {
	home := t.TempDir()
	m, dir := inFolder(t, home, `local mur = require "mur"
		mur.formation.launch { name = "dev", attach = false, members = { { name = "a", command = { "sh", "-c", "echo one; " .. gate "go" .. "echo two" }, ready = { log = "one" } } } }
		mur.sleep(600)`)
	m.start(t)
	up(t, home)
	all, one := followed(t, home, "dev"), followed(t, home, "dev", "a")
	all.waitFor("one\n")
	one.waitFor("one\n")
	touch(t, filepath.Join(dir, "go"))
	if got := all.ended(); got["a"] != "one\ntwo\n" { // nobody says that it has one member only
		t.Errorf("all: %q", got)
	}
	if got := one.ended(); got[""] != "one\ntwo\n" {
		t.Errorf("one: %q", got)
	}
	_ = m.cmd.Process.Signal(os.Interrupt)
	if code := m.wait(t); code != 130 {
		t.Errorf("the recipe ended with %d: %s", code, m.stderr.String())
	}
	nothingLeft(t, home)
}

// Whoever reads along with head goes with it, also when there is nothing to write for a long time.
func TestLogsEndsWithItsReader(t *testing.T) {
	home := t.TempDir()
	m, _ := inFolder(t, home, `return { name = "dev", members = { { name = "a", command = { "sh", "-c", "echo one; exec sleep 600" }, ready = { log = "one" } } } }`)
	m.start(t)
	up(t, home)
	f := newMurlua(t, home, "logs", "-f", "dev")
	f.cmd.Stdout = nil
	out, err := f.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	f.start(t)
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "one\n" {
		t.Errorf("the first line: %q, %v", line, err)
	}
	out.Close()
	if code := f.wait(t); code != 0 || f.stderr.Len() > 0 {
		t.Errorf("exit code %d, %s", code, f.stderr.String())
	}
	_ = m.cmd.Process.Signal(os.Interrupt)
	m.wait(t)
	nothingLeft(t, home)
}

// From the moment at which a formation has its name it can be shown and followed, whatever its launch has come to.
func TestALaunchUnderWayIsShownAndFollowed(t *testing.T) {
	rounds := 10
	if testing.Short() {
		rounds = 3
	}
	home := t.TempDir()
	for range rounds {
		m, _ := inFolder(t, home, `return { name = "dev", members = { { name = "a", command = { "sh", "-c", "echo one; exec sleep 600" }, ready = { log = "one" } } } }`)
		m.start(t)
		for claimed := false; !claimed; {
			text, err := os.ReadFile(filepath.Join(home, ".murmur/names/dev"))
			claimed = err == nil && len(text) > 0
		}
		f, now := followed(t, home, "dev"), followed(t, home, "dev", "a")
		show, logs := newMurlua(t, home, "show", "dev"), newMurlua(t, home, "logs", "dev")
		show.start(t)
		if code := logs.run(t); code != 0 || logs.stderr.Len() > 0 {
			t.Errorf("logs: %d, %s", code, logs.stderr.String())
		}
		if code := show.wait(t); code != 0 || !regexp.MustCompile(`state +(launching|running)\n`).MatchString(show.stdout.String()) || show.stderr.Len() > 0 {
			t.Errorf("show: %d, %s%s", code, show.stdout.String(), show.stderr.String())
		}
		f.waitFor("one\n")
		now.waitFor("one\n")
		_ = m.cmd.Process.Signal(os.Interrupt)
		for _, f := range []*follower{f, now} {
			if got := f.ended(); got[""] != "one\n" {
				t.Errorf("followed: %q", got)
			}
		}
		m.wait(t)
	}
	nothingLeft(t, home)
}

// A process that has just begun to launch may let others in a moment later; one that has had the time does not.
func TestOneThatHasJustLaunchedIsWaitedFor(t *testing.T) {
	h, err := home.Resolve(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	own, err := process.Current()
	if err != nil {
		t.Fatal(err)
	}
	old := launcherOf(id.Formation("frm_0190c5a2b3d47f1e8a9b0c1d2e3f4a5b"), own)
	if _, _, err := dialOne(t.Context(), h, []host{old}); err == nil || time.Until(old.admits) > 0 {
		t.Errorf("one that has had the time: %v", err)
	}
	ended := make(chan error, 1)
	go func() {
		conn, _, err := dialOne(t.Context(), h, []host{launcherOf(id.NewFormation(), own)})
		if err == nil {
			_, err = io.WriteString(conn, "hello")
			conn.Close()
		}
		ended <- err
	}()
	l, err := attach.Listen(h)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if conn, err := l.Accept(); err != nil {
		t.Error(err)
	} else if text, err := io.ReadAll(conn); string(text) != "hello" {
		t.Errorf("heard %q, %v", text, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
