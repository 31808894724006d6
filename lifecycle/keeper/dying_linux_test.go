package keeper_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"murlua/lifecycle/keeper"
	"murlua/lifecycle/marks"
	"murlua/platform/contain"
)

// crowd is the role of a host that starts commands of all kinds as fast as it can.
func crowd() {
	k := keeper.New(keeper.Options{Stderr: os.Stderr, Env: []string{promptly}, Marks: os.Getenv(marksVar)})
	for i, role := range []string{"plain", "bare", "deafchild", "setsid", "stubborn", "plain"} {
		go func() {
			_, err := k.Start(context.Background(), keeper.Command{
				Path: "/proc/self/exe", Args: []string{"command", "-test.run=^$"},
				Env: []string{promptly, roleVar + "=" + role, "PATH=/bin:/usr/bin"}, Grace: matrixGrace,
				Class: []contain.Class{contain.Tracked, ""}[i%2],
			})
			if err != nil {
				fmt.Fprintln(os.Stderr, "crowd:", err)
			}
		}()
	}
	hold()
}

func TestNothingIsLeftHoweverEarlyTheHostDies(t *testing.T) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	launches := 150
	if testing.Short() {
		launches = 15
	}
	var slowest time.Duration
	notes := t.TempDir()
	for range launches {
		cmd := exec.Command("/proc/self/exe", "-test.run=^$")
		cmd.Env = []string{promptly, marksVar + "=" + notes, roleVar + "=crowd"}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		after := time.Duration(rand.Int64N(int64(80 * time.Millisecond)))
		time.Sleep(after)
		begin := time.Now()
		_ = cmd.Process.Kill()
		if left := settled(cmd.Process.Pid, false, 0); len(left) > 0 {
			t.Errorf("killed after %v: %v remain", after, left)
		}
		slowest = max(slowest, time.Since(begin))
		clearAway(t)
		_ = cmd.Wait()
	}
	// A host that is killed between writing its note and telling its keeper of it leaves the note.
	if swept, err := marks.EndAll(notes, 0); err != nil || len(swept.Killed)+len(swept.Survivors) > 0 {
		t.Errorf("the notes led to %v, %v", swept, err)
	}
	unnoted(t, notes)
	t.Logf("the slowest clean-up took %v, the grace is %v", slowest, matrixGrace)
	if slowest > matrixGrace+slack() {
		t.Errorf("the slowest clean-up took %v, more than the grace and %v", slowest, slack())
	}
}

// limited is the role of a host whose user may have no more processes: it starts commands until that is so.
func limited(behaviour string) {
	k := keeper.New(keeper.Options{Stderr: os.Stderr, Env: []string{promptly}})
	limit := syscall.Rlimit{Cur: 120, Max: 120}
	if err := syscall.Setrlimit(unix.RLIMIT_NPROC, &limit); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	begin := func(role string) error {
		r, w, _ := os.Pipe()
		_, err := k.Start(context.Background(), keeper.Command{
			Path: "/proc/self/exe", Args: []string{"command", "-test.run=^$"}, Class: contain.Tracked, Grace: matrixGrace,
			Env: []string{promptly, roleVar + "=" + role, "PATH=/bin:/usr/bin"}, Stdout: w,
		})
		w.Close()
		if err == nil {
			_, _ = bufio.NewReader(r).ReadString('\n')
		}
		return err
	}
	err := begin(behaviour)
	for err == nil {
		_, err = k.Start(context.Background(), keeper.Command{Args: []string{"/bin/sleep", "600"}, Class: contain.Tracked, Grace: matrixGrace})
	}
	fmt.Println("up", errors.Is(err, syscall.EAGAIN))
	hold()
}

func TestTheKeeperKillsThoughItsUserIsAtTheProcessLimit(t *testing.T) {
	if os.Geteuid() != 0 {
		required(t, "root") // the limit does not hold for root, so a second user is needed
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	for _, behaviour := range []string{"stubborn", "deafchild", "bare"} {
		cmd := exec.Command("/proc/self/exe", "-test.run=^$")
		cmd.Env = []string{promptly, roleVar + "=limited:" + behaviour}
		cmd.Dir, cmd.Stderr = "/", os.Stderr
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		out, _ := cmd.StdoutPipe()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if line, _ := bufio.NewReader(out).ReadString('\n'); line != "up true\n" {
			t.Errorf("the host did not come to the limit: %q", line)
		}
		_ = cmd.Process.Kill()
		if left := settled(cmd.Process.Pid, false, 0); len(left) > 0 {
			t.Errorf("%s: %v remain", behaviour, left)
		}
		clearAway(t)
		_ = cmd.Wait()
	}
}

// leaky is the role of a host that was started with descriptors it knows nothing of.
func leaky() {
	k := keeper.New(keeper.Options{Stderr: os.Stderr, Env: []string{promptly}})
	kept, err := k.Start(context.Background(), keeper.Command{Args: []string{"/bin/ls", "/proc/self/fd"}, Stdout: os.Stdout})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	<-kept.Exited()
	_ = k.Close(context.Background())
	os.Exit(0)
}

func TestALeakedDescriptorReachesNoCommand(t *testing.T) {
	leak, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer leak.Close()
	cmd := exec.Command("/proc/self/exe", "-test.run=^$")
	cmd.Env = []string{promptly, roleVar + "=leaky"}
	cmd.ExtraFiles = []*os.File{leak, leak, leak, leak, leak, leak}
	out, err := cmd.Output()
	// ls itself has the directory open.
	if got := strings.Fields(string(out)); err != nil || strings.Join(got, " ") != "0 1 2 3" {
		t.Errorf("the command has descriptors %v, %v", got, err)
	}
}

func TestACommandGetsTheFilesItIsGivenAndNoOther(t *testing.T) {
	k := newKeeper(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	kept, err := k.Start(t.Context(), keeper.Command{
		Args: []string{"/bin/sh", "-c", "echo four >&4; echo five >&5; (echo three >&3) 2>/dev/null || echo closed >&4"},
		Env:  []string{}, Files: []*os.File{nil, w, w},
	})
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	exited(t, kept)
	var got bytes.Buffer
	_, _ = got.ReadFrom(r)
	if got.String() != "four\nfive\nclosed\n" {
		t.Errorf("got %q", got.String())
	}
}

func TestALargeEnvironmentArrives(t *testing.T) {
	k := newKeeper(t)
	var env []string
	for i := range 40 {
		env = append(env, fmt.Sprintf("VAR%d=%s", i, strings.Repeat("x", 10_000)))
	}
	kept, err := k.Start(t.Context(), keeper.Command{Args: []string{"/bin/sh", "-c", `[ ${#VAR39} = 10000 ] && exit 7`}, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	if got := exited(t, kept); got.Code != 7 {
		t.Errorf("ended with %v", got)
	}
}

// foreground is the role of a host at a terminal, whose command shares its process group.
func foreground() {
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, syscall.SIGINT)
	k := keeper.New(keeper.Options{Stderr: os.Stderr, Env: []string{promptly}})
	kept, err := k.Start(context.Background(), keeper.Command{
		Args:  []string{"/bin/sh", "-c", `trap 'echo tidy; exit 42' INT; echo ready; while :; do sleep 0.01; done`},
		Env:   []string{"PATH=/bin:/usr/bin"},
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Foreground: true,
	})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	<-interrupts
	<-kept.Exited()
	_ = k.Close(context.Background())
	fmt.Println("ended with", kept.Status())
	os.Exit(0)
}

func TestAnInterruptAtTheTerminalLetsTheCommandTidyUp(t *testing.T) {
	cmd := exec.Command("/proc/self/exe", "-test.run=^$")
	cmd.Env = []string{promptly, roleVar + "=foreground"}
	terminal, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	lines := bufio.NewScanner(terminal)
	for _, want := range []string{"ready", "tidy", "ended with status 42"} {
		if !lines.Scan() || !strings.HasSuffix(strings.TrimPrefix(lines.Text(), "^C"), want) {
			t.Fatalf("got %q, want %q", lines.Text(), want)
		}
		if want == "ready" {
			_, _ = terminal.Write([]byte{3}) // ^C
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func TestASecondStopSkipsTheGrace(t *testing.T) {
	k := newKeeper(t)
	command := role("stubborn")
	command.Grace = time.Minute
	kept := start(t, k, command)
	first := make(chan keeper.StopReport)
	go func() { first <- kept.Stop(context.Background(), keeper.StopOptions{}) }()
	begin := time.Now()
	second := kept.Kill()
	report := <-first
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	if report.Rung != keeper.RungKill || second.Rung != keeper.RungKill || !contain.Over(kept.PID()) {
		t.Errorf("got %+v and %+v", report, second)
	}
}

func TestAZombieCountsAsGone(t *testing.T) {
	k := newKeeper(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	// The child has ended and its parent, which is stopped, never reaps it.
	kept, err := k.Start(t.Context(), keeper.Command{
		Args: []string{"/bin/sh", "-c", "true & echo up; kill -STOP $$; sleep 600"}, Env: []string{"PATH=/bin"}, Stdout: w, Grace: 5 * time.Second,
	})
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	_, _ = bufio.NewReader(r).ReadString('\n')
	report := kept.Stop(t.Context(), keeper.StopOptions{})
	if report.Rung != keeper.RungSignal || report.Took > 4*time.Second {
		t.Errorf("got %+v, want an end within the grace", report)
	}
}

func TestAStartThatNobodyWaitsForIsUndone(t *testing.T) {
	k := newKeeper(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 {
		kept, err := k.Start(ctx, keeper.Command{Args: []string{"/bin/sleep", "600"}})
		if err == nil {
			kept.Kill() // it was quicker
		}
	}
	if err := k.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, pid := range contain.Children(os.Getpid()) {
		t.Errorf("%s is left", contain.Name(pid))
	}
}

// A signal that is meant for others, sent to a keeper by name or by a careless script, ends neither it nor what it keeps.
func TestTheKeeperDoesNotEndByTheSignalsOfOthers(t *testing.T) {
	k := newKeeper(t)
	kept := start(t, k, role("plain"))
	pid := parentOf(t, kept.PID())
	for !waitsForEver(t, pid) { // from then on
		time.Sleep(time.Millisecond)
	}
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1} {
		if err := syscall.Kill(pid, s); err != nil {
			t.Fatal(err)
		}
	}
	// It has taken the signals when it has started another command and told how that ended.
	other := role("exit:3")
	again, err := k.Start(t.Context(), other)
	if err != nil {
		t.Fatal(err)
	}
	if got := exited(t, again); got.Code != 3 || parentOf(t, kept.PID()) != pid {
		t.Errorf("a later command ended with %v, and the keeper is process %d, which was %d", got, parentOf(t, kept.PID()), pid)
	}
	if report := kept.Stop(t.Context(), keeper.StopOptions{}); report.Rung != keeper.RungSignal {
		t.Errorf("the stop says %+v", report)
	}
}

// A keeper that has no descriptor left to look at processes with does not take that for their absence: it gives up, and the
// host ends what there is.
func TestAKeeperThatCannotLookLeavesItToTheHost(t *testing.T) {
	for _, behaviour := range []string{"setsid", "stubborn", "daemon"} {
		k := newKeeper(t)
		kept := start(t, k, role(behaviour))
		none := unix.Rlimit{Cur: 3, Max: 3}
		if err := unix.Prlimit(parentOf(t, kept.PID()), unix.RLIMIT_NOFILE, &none, nil); err != nil {
			t.Fatal(err)
		}
		kept.Stop(t.Context(), keeper.StopOptions{Grace: time.Millisecond})
		if left := contain.Descendants(contain.Children(os.Getpid())); len(left) > 0 {
			t.Errorf("%s: left after the stop: %v", behaviour, left)
		}
	}
}

func parentOf(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	parent, err := strconv.Atoi(strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))[1])
	if err != nil {
		t.Fatal(err)
	}
	return parent
}

// waitsForEver reports whether the process's first thread is in ppoll(2) without a timeout.
func waitsForEver(t *testing.T, pid int) bool {
	t.Helper()
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/syscall")
	if err != nil {
		t.Fatal(err)
	}
	call := strings.Fields(string(text))
	return len(call) > 3 && call[0] == strconv.Itoa(unix.SYS_PPOLL) && call[3] == "0x0"
}
