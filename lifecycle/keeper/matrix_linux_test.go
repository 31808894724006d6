package keeper_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"murlua/lifecycle/keeper"
	"murlua/platform/contain"
)

// matrixGrace is what the commands of the matrix are given: long enough to see that it is waited out.
const matrixGrace = 150 * time.Millisecond

// marksVar names the folder for a host's notes.
const marksVar = "KEEPER_TEST_MARKS"

// host is the role of a host with one command: "class role". It says on standard output what its command and
// its keeper are, and waits to be killed, or stops the command when its standard input closes.
func host(arg string) {
	class, role, _ := strings.Cut(arg, " ")
	k := keeper.New(keeper.Options{Stderr: os.Stderr, Env: []string{promptly}, Marks: os.Getenv(marksVar)})
	r, w, _ := os.Pipe()
	kept, err := k.Start(context.Background(), keeper.Command{
		Path: "/proc/self/exe", Args: []string{"command", "-test.run=^$"},
		Env:    []string{promptly, roleVar + "=" + role, "PATH=/bin:/usr/bin"},
		Stdout: w, Stderr: os.Stderr, Class: contain.Class(class), Grace: matrixGrace,
	})
	if err != nil {
		fmt.Println("cannot start:", err)
		os.Exit(1)
	}
	w.Close()
	in := bufio.NewReader(r)
	if line, err := in.ReadString('\n'); err != nil {
		fmt.Println("not up:", line, err)
		os.Exit(1)
	}
	fmt.Println("up", keeperOf(kept.PID()), kept.Class())
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	report := kept.Stop(context.Background(), keeper.StopOptions{})
	_ = k.Close(context.Background())
	fmt.Println("stopped", report.Rung)
	os.Exit(0)
}

func keeperOf(pid int) int {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	ppid, _ := strconv.Atoi(fields[1])
	return ppid
}

// remains says how many processes each behaviour leaves when only its first process and, or not, its process
// group are ended.
var remains = map[string]struct{ beyondGroup, beyondLeader int }{
	"plain":      {0, 0},
	"setsid":     {1, 1},
	"daemon":     {1, 1},
	"bare":       {1, 1},
	"deafchild":  {0, 1},
	"bomb":       {-1, -1}, // some
	"stopped":    {0, 0},
	"threadless": {0, 0},
}

// promised is the number of processes that the class lets remain; -1 is "some may".
func promised(class contain.Class, end, behaviour string) int {
	switch {
	case class == contain.Group && end != "both":
		return remains[behaviour].beyondGroup
	case class != contain.Sealed && end == "both":
		return remains[behaviour].beyondLeader
	}
	return 0
}

func TestWhatRemainsIsWhatTheClassPromises(t *testing.T) {
	// What nobody else takes in comes to us, so that nothing can remain unseen.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	users := []string{"root", "nobody"}
	behaviours := []string{"plain", "setsid", "daemon", "bare", "deafchild", "bomb", "stopped", "threadless"}
	if testing.Short() {
		users, behaviours = users[1:], []string{"bare", "deafchild"}
	}
	for _, user := range users {
		if os.Geteuid() != 0 {
			required(t, "root")
			if user = "ordinary"; len(users) > 1 {
				users = users[:1]
			}
		}
		for _, class := range []contain.Class{contain.Group, contain.Tracked, contain.Cgroup, contain.Sealed} {
			for _, end := range []string{"stop", "host", "keeper", "both"} {
				for _, behaviour := range behaviours {
					t.Run(fmt.Sprintf("%s/%s/%s/%s", user, class, end, behaviour), func(t *testing.T) {
						cell(t, user, class, end, behaviour)
					})
				}
			}
		}
	}
}

func cell(t *testing.T, user string, class contain.Class, end, behaviour string) {
	cmd := exec.Command("/proc/self/exe", "-test.run=^$")
	marks := marksFor(t, user)
	cmd.Env = []string{promptly, marksVar + "=" + marks, roleVar + "=host:" + string(class) + " " + behaviour}
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	var groups string
	if user == "nobody" {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: 65534, Gid: 65534}
		cmd.Dir = "/"
	}
	if class == contain.Cgroup {
		groups = delegate(t, cmd)
	}
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Scan()
	var keeperPID int
	var had string
	if n, _ := fmt.Sscanf(lines.Text(), "up %d %s", &keeperPID, &had); n != 2 || had != string(class) {
		t.Fatalf("the host did not come up with %s: %q", class, lines.Text())
	}
	begin := time.Now()
	switch end {
	case "stop":
		in.Close()
		for lines.Scan() {
		}
	case "host":
		_ = cmd.Process.Kill()
	case "keeper":
		_ = unix.Kill(keeperPID, unix.SIGKILL)
	case "both":
		_ = unix.Kill(keeperPID, unix.SIGSTOP) // so that it does nothing in between
		_ = cmd.Process.Kill()
		_ = unix.Kill(keeperPID, unix.SIGKILL)
	}
	want := promised(class, end, behaviour)
	left := settled(cmd.Process.Pid, end == "keeper", want)
	if took := time.Since(begin); took > matrixGrace+slack() {
		t.Errorf("it took %v, more than the grace and %v", took, slack())
	}
	if want >= 0 && len(left) != want {
		t.Errorf("%d processes remain, want %d: %v", len(left), want, left)
	}
	if end != "both" || class != contain.Tracked {
		unnoted(t, marks)
	}
	if end == "both" && (class == contain.Cgroup || class == contain.Tracked) {
		// What the two leave is ended by the next start.
		next := exec.Command("/proc/self/exe", "-test.run=^$")
		next.Env = []string{promptly, marksVar + "=" + marks, roleVar + "=host:" + string(class) + " plain"}
		next.Dir, next.SysProcAttr = "/", cmd.SysProcAttr
		if class == contain.Cgroup {
			next.SysProcAttr.CgroupFD = openDir(t, groups)
		}
		if err := next.Run(); err != nil {
			t.Errorf("the next host: %v", err)
		}
		if left := settled(0, false, 0); len(left) > 0 {
			t.Errorf("after the next start %v remain", left)
		}
		unnoted(t, marks)
	}
	in.Close()
	for lines.Scan() {
	}
	_ = cmd.Wait()
	clearAway(t)
}

// marksFor makes a folder for the notes of the user's hosts.
func marksFor(t *testing.T, user string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "marks")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if user == "nobody" {
		if err := os.Chown(dir, 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// unnoted waits until nothing is noted in the folder: whoever removes a note does so when nothing is left.
func unnoted(t *testing.T, marks string) {
	t.Helper()
	for end := time.Now().Add(matrixGrace + time.Second + slack()); ; time.Sleep(2 * time.Millisecond) {
		notes, err := os.ReadDir(marks)
		notes = slices.DeleteFunc(notes, func(e os.DirEntry) bool { return e.Name()[0] == '.' }) // a host was killed while writing
		if err == nil && len(notes) == 0 {
			return
		}
		if err != nil || time.Now().After(end) {
			t.Errorf("noted: %v, %v", notes, err)
			return
		}
	}
}

// slack is what ending may take beyond the grace: half a second, and more where others keep the machine busy or
// the race detector slows everything down.
func slack() time.Duration {
	busy := 1.0
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		_, _ = fmt.Sscan(string(text), &busy)
	}
	busy = max(1, busy/float64(runtime.NumCPU()))
	if raceEnabled {
		busy *= 4
	}
	return time.Duration(busy * float64(500*time.Millisecond))
}

// settled waits until only as many processes as wanted remain below us besides the host (when it still lives),
// and returns them. It gives up after half a minute; how long it may take is the caller's to say.
func settled(hostPID int, hostLives bool, want int) []contain.Process {
	end := time.Now().Add(30 * time.Second)
	for agreed := 0; ; {
		var left []contain.Process
		for _, pid := range contain.Descendants(contain.Children(os.Getpid())) {
			if pid != hostPID {
				left = append(left, contain.Name(pid))
			}
		}
		keepers := slices.ContainsFunc(left, func(p contain.Process) bool { return p.Name == "murlua-keeper" })
		if len(left) <= max(want, 0) && (hostLives || contain.Over(hostPID)) || want < 0 && !keepers {
			agreed++ // a walk of the tree misses what changes parents meanwhile, so it is asked twice
		} else {
			agreed = 0
		}
		if agreed == 2 || time.Now().After(end) {
			return left
		}
		// Reaping a process waits in the kernel, and wastes its time, while somebody reads its files in /proc (d_invalidate): on
		// a machine at work, one that looks all the time holds up for seconds what it is waiting for.
		time.Sleep(15 * time.Millisecond)
	}
}

// clearAway ends and reaps everything below us, so that the next cell begins with nothing.
func clearAway(t *testing.T) {
	t.Helper()
	swept := contain.Sweep(func() []int { return contain.Descendants(contain.Children(os.Getpid())) }, func(int) bool { return true }, 0)
	if len(swept.Survivors) > 0 {
		t.Fatalf("cannot clear away %v", swept.Survivors)
	}
	for {
		if pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); err != unix.EINTR && pid <= 0 {
			return
		}
	}
}

// delegate starts cmd in a cgroup that its user may write to, and returns the cgroup's directory.
func delegate(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	if os.Geteuid() != 0 {
		required(t, "cgroup")
	}
	base, err := contain.NewBase()
	if err != nil {
		required(t, "cgroup")
	}
	t.Cleanup(func() {
		_ = base.Kill()
		for range 500 {
			if base.Remove() == nil {
				return
			}
			time.Sleep(2 * time.Millisecond)
		}
		t.Error("the cgroup of the test cannot be removed")
	})
	fd, err := base.Create("delegated")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	dir := filepath.Join(base.Dir(), "delegated")
	if c := cmd.SysProcAttr.Credential; c != nil {
		for _, name := range []string{"", "cgroup.procs", "cgroup.threads", "cgroup.subtree_control"} {
			if err := os.Chown(filepath.Join(dir, name), int(c.Uid), int(c.Gid)); err != nil {
				t.Fatal(err)
			}
		}
	}
	cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, fd
	return dir
}

func openDir(t *testing.T, dir string) int {
	t.Helper()
	fd, err := unix.Open(dir, unix.O_DIRECTORY|unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	return fd
}

// required fails the test when MURLUA_REQUIRE says that the machine has what is missing, and skips it otherwise.
func required(t *testing.T, name string) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv("MURLUA_REQUIRE"), ","), name) {
		t.Fatalf("%s is required here and cannot be had", name)
	}
	t.Skipf("%s cannot be had here", name)
}
