package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A named recipe whose formation stays up, and one whose formation ends by itself.
const (
	staying = `return { name = "dev", members = { { name = "a", command = { "sleep", "600" }, containment = "group" } } }`
	quick   = `return { name = "dev", members = { { name = "a", command = { "true" } } } }`
)

// alreadyRunning is what a second launch under the name is told.
const alreadyRunning = `^murlua: [^\n]*/recipe\.lua: cannot launch formation "dev": it is running already, as %s in process %d, since ` +
	`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n  hint: ` + "`murlua stop %s` stops it\n$"

func refusedAs(formation string, pid int) *regexp.Regexp {
	return regexp.MustCompile(fmt.Sprintf(alreadyRunning, formation, pid, formation))
}

// up waits until a formation is listed under the name, and returns its id.
func up(t *testing.T, home string) (formation string) {
	t.Helper()
	eventually(t, "the formation is listed", func() bool {
		for _, s := range sessions(t, home) {
			if s["formation_name"] == "dev" {
				formation = s["formation_id"].(string)
			}
		}
		return formation != ""
	})
	return formation
}

func runs(t *testing.T, home, text string) {
	t.Helper()
	m, written := recipe(t, home, text)
	if code := m.run(t); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, written())
	}
}

func TestASecondLaunchUnderANameIsRefused(t *testing.T) {
	home := t.TempDir()
	first, _ := recipe(t, home, staying)
	first.start(t)
	formation := up(t, home)
	second, written := recipe(t, home, staying)
	if code := second.run(t); code != 1 || !refusedAs(formation, first.cmd.Process.Pid).MatchString(written()) {
		t.Errorf("exit code %d:\n%s", code, written())
	}
	if all := sessions(t, home); len(all) != 1 {
		t.Errorf("%d sessions run", len(all))
	}
	runs(t, t.TempDir(), quick) // another home

	for command, want := range map[string]string{"show": "name       dev\n", "ps": "FORMATION"} {
		m := newMurlua(t, home, strings.Fields(command+map[string]string{"show": " dev"}[command])...)
		if code := m.run(t); code != 0 || !strings.Contains(m.stdout.String(), want) {
			t.Errorf("%s: exit code %d:\n%s%s", command, code, m.stdout.String(), m.stderr.String())
		}
	}
	stop := newMurlua(t, home, "stop", "dev")
	if code := stop.run(t); code != 0 || !strings.Contains(stop.stdout.String(), "stopped:  "+formation) {
		t.Errorf("stop: exit code %d:\n%s%s", code, stop.stdout.String(), stop.stderr.String())
	}
	if _, err := os.Lstat(filepath.Join(home, ".murmur/names/dev")); err == nil {
		t.Error("the name's file is left")
	}
	runs(t, home, quick)
	if code := first.wait(t); code != 143 {
		t.Errorf("exit code %d, want 143", code)
	}
	nothingLeft(t, home)
}

// A formation can be stopped by its name, and by the id that a refusal names, before any of its members has come up.
func TestALaunchUnderWayIsStoppedByItsName(t *testing.T) {
	home := t.TempDir()
	m, written := recipe(t, home, `return { name = "dev", members = { { name = "a", command = { "sleep", "600" }, ready = { log = "never" } } } }`)
	m.start(t)
	eventually(t, "the name is taken", func() bool {
		text, err := os.ReadFile(filepath.Join(home, ".murmur/names/dev"))
		return err == nil && len(text) > 0
	})
	stop := newMurlua(t, home, "stop", "dev")
	if code := stop.run(t); code != 0 {
		t.Errorf("stop: exit code %d:\n%s%s", code, stop.stdout.String(), stop.stderr.String())
	}
	if code := m.wait(t); code != 143 {
		t.Errorf("exit code %d, want 143:\n%s", code, written())
	}
	runs(t, home, quick)
	nothingLeft(t, home)
}

// The name of a host that was killed, at whatever moment, is free at once.
func TestAKilledHostsNameIsFree(t *testing.T) {
	home := t.TempDir()
	left := 0
	for round := range 20 {
		m, _ := recipe(t, home, staying)
		m.start(t)
		if round == 0 {
			up(t, home)
		}
		time.Sleep(rand.N(100 * time.Millisecond)) // anywhere between the first instruction and the members' work
		_ = m.cmd.Process.Kill()
		_ = m.cmd.Wait()
		if _, err := os.Lstat(filepath.Join(home, ".murmur/names/dev")); err == nil {
			left++
		}
		runs(t, home, quick)
	}
	nothingLeftWithin(t, home, 10*time.Second)
	if left == 0 {
		t.Error("no killed host had the name: nothing was shown")
	}
}

// What outlives a host, because its keeper was killed too, does not keep its name.
func TestWhatOutlivesAHostDoesNotKeepItsName(t *testing.T) {
	home := t.TempDir()
	m, _ := recipe(t, home, `return { name = "dev", members = { { name = "a", containment = "group", ready = { log = "up" },
		command = { "sh", "-c", "setsid sleep 1234 </dev/null & echo up; exec sleep 600" } } } }`)
	m.start(t)
	up(t, home)
	escaped := find(t, home, "sleep 1234")
	keeper := parentOf(t, int(sessions(t, home)[0]["pid"].(float64)))
	if err := syscall.Kill(keeper, syscall.SIGSTOP); err != nil { // or it would end what the host left
		t.Fatal(err)
	}
	_ = m.cmd.Process.Kill()
	_ = m.cmd.Wait()
	if err := syscall.Kill(keeper, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	runs(t, home, quick)
	if err := escaped.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("nothing outlived the host: %v", err)
	}
	if err := escaped.Kill(); err != nil {
		t.Error(err)
	}
	nothingLeftWithin(t, home, 10*time.Second)
}

func parentOf(t *testing.T, pid int) (parent int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "\nPPid:")
	if _, err := fmt.Sscan(rest, &parent); err != nil {
		t.Fatal(err)
	}
	return parent
}

// find waits for a process of the home's by its command line.
func find(t *testing.T, home, command string) (found *os.Process) {
	t.Helper()
	eventually(t, command+" runs", func() bool {
		for _, text := range processesWith(t, "HOME="+home) {
			number, line, _ := strings.Cut(text, ": ")
			if pid, err := strconv.Atoi(number); err == nil && strings.Contains(line, command) {
				found, _ = os.FindProcess(pid)
			}
		}
		return found != nil
	})
	t.Cleanup(func() { _ = found.Release() })
	return found
}

// Of launches at the same moment one wins, and the others are told who.
func TestOneOfManyLaunchesWins(t *testing.T) {
	rounds := 10
	if testing.Short() {
		rounds = 2
	}
	home := t.TempDir()
	for range rounds {
		type launch struct {
			*murlua
			written func() string
			over    chan int
		}
		launches := make([]launch, 8)
		ended := make(chan int, len(launches))
		for i := range launches {
			m, written := recipe(t, home, staying)
			launches[i] = launch{m, written, make(chan int, 1)}
		}
		for i, l := range launches {
			l.start(t)
			go func() {
				l.over <- l.wait(t)
				ended <- i
			}()
		}
		losers := map[int]bool{}
		for len(losers) < len(launches)-1 {
			select {
			case i := <-ended:
				losers[i] = true
			case <-time.After(time.Minute):
				t.Fatalf("%d of %d have ended", len(losers), len(launches))
			}
		}
		formation := up(t, home)
		for winner := range launches {
			if losers[winner] {
				continue
			}
			want := refusedAs(formation, launches[winner].cmd.Process.Pid)
			for i := range losers {
				if code := <-launches[i].over; code != 1 || !want.MatchString(launches[i].written()) {
					t.Errorf("exit code %d:\n%s", code, launches[i].written())
				}
			}
			stop := newMurlua(t, home, "stop", "dev")
			if code := stop.run(t); code != 0 {
				t.Fatalf("stop: exit code %d:\n%s", code, stop.stderr.String())
			}
			if code := <-launches[winner].over; code != 143 {
				t.Errorf("exit code %d, want 143:\n%s", code, launches[winner].written())
			}
		}
		if t.Failed() {
			return
		}
	}
	nothingLeft(t, home)
}
