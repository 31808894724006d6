//go:build unix

package main

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// holding starts the example so that its formation stays up, and waits until all three sessions are listed.
func holding(t *testing.T, home string) *murlua {
	t.Helper()
	m := newMurlua(t, home, "run", filepath.Join(examples(t), "wordcount.lua"), "--hold", "600", "../../go.mod")
	m.start(t)
	eventually(t, "three sessions are listed", func() bool { return len(sessions(t, home)) == 3 })
	return m
}

// sessions returns what another shell's `murlua ps --json` lists.
func sessions(t *testing.T, home string) []map[string]any {
	t.Helper()
	ps := newMurlua(t, home, "ps", "--json")
	if code := ps.run(t); code != 0 {
		t.Fatalf("ps: exit code %d: %s", code, ps.stderr.String())
	}
	var all []map[string]any
	if err := json.Unmarshal(ps.stdout.Bytes(), &all); err != nil {
		t.Fatalf("ps --json printed %q: %v", ps.stdout.String(), err)
	}
	return all
}

func TestPsListsTheSessionsOfARunningFormation(t *testing.T) {
	home := t.TempDir()
	m := holding(t, home)
	formations := map[any]bool{}
	names := map[any]bool{}
	for _, session := range sessions(t, home) {
		formations[session["formation_id"]] = true
		names[session["formation_member"]] = true
		if session["state"] != "live" {
			t.Errorf("session %v is %v, want live", session["session_id"], session["state"])
		}
	}
	if len(formations) != 1 || !names["counter1"] || !names["counter2"] || !names["lead"] {
		t.Errorf("formations %v, members %v", formations, names)
	}
	table := newMurlua(t, home, "ps")
	if code := table.run(t); code != 0 || strings.Count(table.stdout.String(), "ses_") != 3 {
		t.Errorf("ps: exit code %d, printed\n%s", code, table.stdout.String())
	}
	if err := m.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := m.wait(t); code != 143 {
		t.Errorf("exit code %d, want 143", code)
	}
	if left := sessions(t, home); len(left) != 0 {
		t.Errorf("still listed: %v", left)
	}
	nothingLeft(t, home)
}

func TestASignalStopsTheFormation(t *testing.T) {
	for signal, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		t.Run(signal.String(), func(t *testing.T) {
			home := t.TempDir()
			m := holding(t, home)
			if err := m.cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if code := m.wait(t); code != want {
				t.Errorf("exit code %d, want %d; stderr:\n%s", code, want, m.stderr.String())
			}
			nothingLeft(t, home)
		})
	}
}

// A launch that is being undone has graces, too.
func TestASecondSignalHurriesALaunch(t *testing.T) {
	home := t.TempDir()
	recipe := filepath.Join(home, "recipe.lua")
	text := `return { grace = 600, members = {
		{ name = "deaf", command = { "sh", "-c", "trap '' TERM; touch $HOME/up; while :; do sleep 0.01; done" }, ready = { file = "` + home + `/up" } },
		{ name = "late", command = { "sleep", "600" }, after = { "deaf" }, ready = { file = "` + home + `/never" } },
	} }`
	if err := os.WriteFile(recipe, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m := newMurlua(t, home, "run", "--events", filepath.Join(home, "events"), recipe)
	m.start(t)
	told := func(kind string) bool {
		events, _ := os.ReadFile(filepath.Join(home, "events"))
		return strings.Contains(string(events), `"kind":"`+kind+`","member":"late"`)
	}
	eventually(t, "the second member starts", func() bool { return told("spawned") })
	_ = m.cmd.Process.Signal(syscall.SIGTERM)
	eventually(t, "the second member ends", func() bool { return told("reaped") })
	time.Sleep(2 * oneStroke)
	_ = m.cmd.Process.Signal(syscall.SIGINT)
	eventually(t, "everything ends", func() bool { return len(processesWith(t, "HOME="+home)) == 0 })
	if code := m.wait(t); code != 143 {
		t.Errorf("exit code %d, want 143; stderr:\n%s", code, m.stderr.String())
	}
	nothingLeft(t, home)
}

// Nobody reads what the launcher says, and its pipe is full: the members end all the same, and so does it when it is told
// that there is no patience left at all.
func TestAThirdSignalEndsALauncherThatNobodyReads(t *testing.T) {
	home := t.TempDir()
	recipe := filepath.Join(home, "recipe.lua")
	text := `return { members = { { name = "up", command = { "sh", "-c", "touch $HOME/up; exec sleep 600" } } } }`
	if err := os.WriteFile(recipe, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	_ = writer.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
	for err == nil { // what does not fit any more makes it fail
		_, err = writer.Write([]byte("."))
	}
	m := newMurlua(t, home, "run", recipe)
	m.cmd.Stderr = writer
	m.start(t)
	writer.Close()
	eventually(t, "the member runs", func() bool { _, err := os.Stat(filepath.Join(home, "up")); return err == nil })
	ended := make(chan int, 1)
	go func() { ended <- m.wait(t) }()
	for range 3 {
		_ = m.cmd.Process.Signal(syscall.SIGTERM)
		time.Sleep(2 * oneStroke)
	}
	select {
	case code := <-ended:
		if code != 143 {
			t.Errorf("exit code %d, want 143", code)
		}
	case <-time.After(time.Minute):
		t.Fatal("it does not end")
	}
	nothingLeftWithin(t, home, 30*time.Second)
}

// Whenever the launcher is killed, its members end by themselves: the kernel closes their lifelines.
func TestAKilledLauncherLeavesNothing(t *testing.T) {
	rounds := 50
	if testing.Short() {
		rounds = 5
	}
	home := t.TempDir()
	for range rounds {
		m := newMurlua(t, home, "run", filepath.Join(examples(t), "wordcount.lua"), "--hold", "600", "../../go.mod")
		m.start(t)
		// Anywhere between the first instruction and the entry's work.
		time.Sleep(rand.N(150 * time.Millisecond))
		_ = m.cmd.Process.Kill()
		_ = m.cmd.Wait()
		nothingLeftWithin(t, home, 3*time.Second)
	}
}

// nothingLeft fails the test when a process of the run is still there, or a record.
func nothingLeft(t *testing.T, home string) {
	t.Helper()
	if left := processesWith(t, "HOME="+home); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
	if left, _ := filepath.Glob(filepath.Join(home, ".murmur/running/*")); len(left) > 0 {
		t.Errorf("left in the running folder: %v", left)
	}
}

func nothingLeftWithin(t *testing.T, home string, limit time.Duration) {
	t.Helper()
	start := time.Now()
	for len(processesWith(t, "HOME="+home)) > 0 {
		if time.Since(start) > limit {
			t.Fatalf("%v after the kill these are left: %v", limit, processesWith(t, "HOME="+home))
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestHomesThatCannotBeUsed(t *testing.T) {
	recipe := filepath.Join(examples(t), "wordcount.lua")
	file := t.TempDir()
	if err := os.WriteFile(filepath.Join(file, ".murmur"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ home, want string }{
		"not set":  {"", "HOME is not set"},
		"relative": {"some/where", "not an absolute path"},
		"a file":   {file, ".murmur: not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMurlua(t, c.home, "run", recipe, "../../go.mod")
			if code := m.run(t); code != 1 || !strings.Contains(m.stderr.String(), c.want) {
				t.Errorf("exit code %d, want 1; want %q in:\n%s", code, c.want, m.stderr.String())
			}
		})
	}
}
