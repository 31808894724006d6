package contain

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// sleeperIn makes a base and starts a process in a leaf of it.
func sleeperIn(t *testing.T, base string) *exec.Cmd {
	t.Helper()
	if err := os.Mkdir(base, 0o755); err != nil {
		t.Fatal(err)
	}
	fd, err := OpenBase(base).Create("1")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sleep", "60")
	cmd.SysProcAttr = &unix.SysProcAttr{UseCgroupFD: true, CgroupFD: fd}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	unix.Close(fd)
	return cmd
}

func TestALeftoverIsListedAndEnded(t *testing.T) {
	require(t, "cgroup", Cgroup)
	mine, err := NewBase()
	if err != nil {
		t.Fatal(err)
	}
	defer mine.Remove()
	left := strings.Replace(mine.Dir(), "-"+startOf(t)+"-", "-1-", 1)
	cmd := sleeperIn(t, left)
	var found *Leftover
	for _, l := range Leftovers() {
		switch l.Dir {
		case left:
			found = &l
		case mine.Dir():
			t.Error("a living host's base is listed")
		}
	}
	if found == nil || len(found.Procs) != 1 || found.Procs[0].PID != cmd.Process.Pid {
		t.Fatalf("the leftover was found as %+v", found)
	}
	killed, err := found.End()
	if err != nil || killed != 1 {
		t.Errorf("end = %d, %v", killed, err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the process was not killed")
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("the leftover is still there")
	}
	if _, err := (Leftover{Dir: mine.Dir()}).End(); err == nil {
		t.Error("a living host's base was ended")
	}
}
