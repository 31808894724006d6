package contain

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// marked starts a process that carries the mark.
func marked(t *testing.T, mark Mark, attr *syscall.SysProcAttr) (pid int, ended chan struct{}) {
	t.Helper()
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_LOCKS, &before); err != nil {
		t.Fatal(err)
	}
	if err := mark.Set(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sleep", "600")
	cmd.Dir, cmd.SysProcAttr = "/", attr
	err := cmd.Start()
	_ = unix.Setrlimit(unix.RLIMIT_LOCKS, &before)
	if err != nil {
		t.Fatal(err)
	}
	ended = make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
	})
	return cmd.Process.Pid, ended
}

// What carries a mark of a keeper's commands is ended, and nothing else, however near its limit is.
func TestOnlyTheStraysOfTheKeeperAreEnded(t *testing.T) {
	mine, other := NewMarks(), NewMarks()
	strangers := map[string]int{}
	stranger := func(name string, mark Mark, attr *syscall.SysProcAttr) {
		strangers[name], _ = marked(t, mark, attr)
	}
	first, firstEnded := marked(t, mine.Of(1), nil)
	last, lastEnded := marked(t, mine.Of(MaxMarks-1), &syscall.SysProcAttr{Setsid: true})
	stranger("the keeper itself", mine, nil)
	stranger("a command in the class group", mine.Of(GroupOnly), nil)
	stranger("one below", mine-1, nil)
	stranger("the next keeper's first", mine+MaxMarks+2, nil)
	stranger("another keeper's", other.Of(1), nil)
	stranger("the number alone", 1, nil)
	if os.Geteuid() == 0 {
		stranger("another user's", mine.Of(1), &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}})
	} else if slices.Contains(strings.Split(os.Getenv("MURLUA_REQUIRE"), ","), "root") {
		t.Error("root is required here")
	}

	found, err := Strays([]Mark{mine})
	if err != nil || len(found) != 1 || len(found[mine]) != 2 {
		t.Fatalf("found %v, %v", found, err)
	}
	for _, p := range found[mine] {
		if p.PID != first && p.PID != last || p.Name != "sleep" {
			t.Errorf("found %v", p)
		}
	}
	swept, err := EndStrays([]Mark{mine}, 0)
	if err != nil || len(swept.Killed) != 2 || len(swept.Survivors) > 0 {
		t.Errorf("swept %v, %v", swept, err)
	}
	<-firstEnded
	<-lastEnded
	for name, pid := range strangers {
		if s, err := readStat(pid); err != nil || s.state != 'S' {
			t.Errorf("%s is not asleep any more: %q, %v", name, s.state, err)
		}
	}
	for _, none := range [][]Mark{nil, {0}, {mine.Of(1)}} {
		if found, err := Strays(none); err != nil || len(found) > 0 {
			t.Errorf("of %v: %v, %v", none, found, err)
		}
	}
}

func TestAProcessKnowsThatItIsAStray(t *testing.T) {
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_LOCKS, &before); err != nil {
		t.Fatal(err)
	}
	defer unix.Setrlimit(unix.RLIMIT_LOCKS, &before)
	marks := NewMarks()
	if AmongStrays(marks) {
		t.Error("a process without the mark is a stray")
	}
	if err := marks.Of(3).Set(); err != nil {
		t.Fatal(err)
	}
	if !AmongStrays(marks) {
		t.Error("a process with the mark is none")
	}
	if swept, err := EndStrays([]Mark{marks}, 0); err != nil || len(swept.Killed)+len(swept.Survivors) > 0 {
		t.Errorf("it ended %v, %v", swept, err)
	}
}
