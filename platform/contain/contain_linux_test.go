package contain

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// require fails a test for want of something that MURLUA_REQUIRE says this machine has, and skips it otherwise.
func require(t *testing.T, name string, class Class) {
	t.Helper()
	for _, f := range Probe() {
		if f.Class == class && !f.Available {
			if slices.Contains(strings.Split(os.Getenv("MURLUA_REQUIRE"), ","), name) {
				t.Fatalf("%s is required here: %s", class, f.Why)
			}
			t.Skipf("%s cannot be had: %s", class, f.Why)
		}
	}
}

func TestMarkIsInheritedAndReadable(t *testing.T) {
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_LOCKS, &before); err != nil {
		t.Fatal(err)
	}
	defer unix.Setrlimit(unix.RLIMIT_LOCKS, &before)
	marks := NewMarks()
	if marks.Base() != marks || marks == 0 || marks>>63 != 0 {
		t.Fatalf("a strange base %x", marks)
	}
	mark := marks.Of(5)
	if err := mark.Set(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/usr/bin/setsid", "/usr/bin/env", "-i", "/bin/sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	if got := MarkOf(cmd.Process.Pid); got != mark || got.Base() != marks {
		t.Errorf("the child carries %x, want %x", got, mark)
	}
	if !slices.Contains(Marked(marks), cmd.Process.Pid) || slices.Contains(Marked(NewMarks()), cmd.Process.Pid) {
		t.Error("Marked does not find the marked processes alone")
	}
}

func TestSweepEndsATreeThatForks(t *testing.T) {
	cmd := exec.Command("/bin/sh", "-c", `while :; do sleep 30 & sleep 0.001; done`)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for len(Descendants([]int{cmd.Process.Pid})) < 25 { // some of them end by themselves
		time.Sleep(time.Millisecond)
	}
	root := []int{cmd.Process.Pid}
	// The whole of it is frozen before anything is killed, so the tree still hangs together while it is listed.
	swept := Sweep(func() []int { return Descendants(root) }, func(pid int) bool { return true }, 0)
	cmd.Wait()
	if len(swept.Killed) < 20 || len(swept.Survivors) > 0 {
		t.Errorf("killed %d, survivors %v", len(swept.Killed), swept.Survivors)
	}
	for _, p := range swept.Killed {
		if !Over(p.PID) {
			t.Errorf("%s is alive", p)
		}
	}
}

func TestLeafHoldsKillsAndGoes(t *testing.T) {
	require(t, "cgroup", Cgroup)
	base, err := NewBase()
	if err != nil {
		t.Fatal(err)
	}
	defer base.Remove()
	leaf := base.Leaf("1")
	fd, err := base.Create("1")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/usr/bin/setsid", "/bin/sleep", "60")
	cmd.SysProcAttr = &unix.SysProcAttr{UseCgroupFD: true, CgroupFD: fd}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	unix.Close(fd)
	if !leaf.Holds(cmd.Process.Pid) || !base.Holds(cmd.Process.Pid) || leaf.Holds(os.Getpid()) {
		t.Error("the leaf does not hold its process alone")
	}
	if leaf.Remove() {
		t.Error("a leaf with a process in it was removed")
	}
	if err := leaf.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if !leaf.Remove() {
		t.Error("the empty leaf was not removed")
	}
	if err := base.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(base.Dir()); err == nil {
		t.Error("the base is still there")
	}
}

func TestStaleBasesAreEndedAndOthersAreNot(t *testing.T) {
	require(t, "cgroup", Cgroup)
	mine, err := NewBase()
	if err != nil {
		t.Fatal(err)
	}
	defer mine.Remove()
	// The name of a base whose maker has this process's number but another start.
	left := mine.Dir() + "x"
	own, _ := ownCgroup()
	name := strings.Replace(strings.TrimPrefix(left, own+"/"), "-"+startOf(t)+"-", "-1-", 1)
	left = own + "/" + strings.TrimSuffix(name, "x")
	cmd := sleeperIn(t, left)
	if n := EndStale(); n < 1 {
		t.Errorf("EndStale killed %d processes", n)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the process in the stale leaf was not killed")
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("the stale base is still there")
	}
	if _, err := os.Stat(mine.Dir()); err != nil {
		t.Error("a living host's base was removed")
	}
}

func startOf(t *testing.T) string {
	s, err := readStat(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	return s.start
}

// The finding names the folder that somebody has to be let into, and not the directory that is made in it.
func TestAFolderThatTakesNoCgroupIsNamed(t *testing.T) {
	_, err := newBase("/proc/self/fdinfo")
	if want := "cannot create a cgroup in /proc/self/fdinfo: "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %q and the reason", err, want)
	}
}
