package process

import (
	"errors"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func init() {
	roles["first-thread-ends"] = func() {
		say("")
		// Only the first thread ends; the others of the run-time system go on.
		_, _, _ = unix.Syscall(unix.SYS_EXIT, 0, 0, 0)
	}
}

// A process that has exited and was not waited for still holds its number.
func TestAZombieIsGone(t *testing.T) {
	c := start(t, "wait")
	id := identifyChild(t, c)
	ref, err := Open(c.pid())
	if err != nil {
		t.Fatal(err)
	}
	defer ref.Close()
	_ = c.stdin.Close()
	within(t, "the exit is noticed", ref.Exited())
	if err := unix.Kill(c.pid(), 0); err != nil {
		t.Fatalf("it is no zombie: %v", err)
	}
	for name, id := range map[string]Identity{"with its origin": id, "without": {PID: id.PID, Start: id.Start}} {
		if got := Inspect(id); got != noProcess(c.pid()) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if _, err := Identify(c.pid()); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("a zombie could be identified: %v", err)
	}
	late, err := Open(c.pid())
	if err != nil {
		t.Fatal(err)
	}
	defer late.Close()
	select {
	case <-late.Exited():
	default:
		t.Error("a process that has exited is said to run at first")
	}
	c.reap()
	if err := ref.Signal(syscall.SIGTERM); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("after it was waited for: %v", err)
	}
}

// A process whose first thread has ended looks like a zombie to whoever reads one letter of its stat.
func TestAProcessWhoseFirstThreadEndedIsAlive(t *testing.T) {
	c := start(t, "first-thread-ends")
	id := identifyChild(t, c)
	until(t, "the first thread ends", func() bool {
		stat, err := readStat(c.pid())
		return err == nil && stat.state == 'Z' && stat.threads > 1
	})
	for name, id := range map[string]Identity{"with its origin": id, "without": {PID: id.PID, Start: id.Start}} {
		if got := Inspect(id); got != alive() {
			t.Errorf("%s: %+v", name, got)
		}
	}
	ref, state := OpenIdentity(id)
	if ref == nil {
		t.Fatalf("it cannot be opened: %+v", state)
	}
	defer ref.Close()
	select {
	case <-ref.Exited():
		t.Fatal("its exit was reported")
	case <-time.After(20 * time.Millisecond):
	}
	if err := ref.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	within(t, "the exit is noticed", ref.Exited())
}

// kill(2) and /proc take the number of any thread for its process.
func TestTheNumberOfAThreadIsNoProcess(t *testing.T) {
	entries, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, entry := range entries {
		tid, err := strconv.Atoi(entry.Name())
		if err != nil || tid == os.Getpid() {
			continue
		}
		token, err := StartToken(tid)
		if err != nil {
			continue
		}
		tried++
		if got := Inspect(Identity{PID: tid, Start: token}); got != noProcess(tid) {
			t.Errorf("thread %d: %+v", tid, got)
		}
	}
	if tried == 0 {
		t.Error("there was no thread to try")
	}
}

func TestSignalReachesTheProcess(t *testing.T) {
	c := start(t, "wait")
	ref, state := OpenIdentity(identifyChild(t, c))
	if ref == nil {
		t.Fatal(state)
	}
	defer ref.Close()
	if ref.PID() != c.pid() || ref.Method() != ByHandle {
		t.Errorf("pid %d held by %v", ref.PID(), ref.Method())
	}
	if err := ref.Signal(0); err != nil {
		t.Errorf("asking: %v", err)
	}
	if err := ref.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	within(t, "the exit is noticed", ref.Exited())
	c.reap()
	if status := c.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGTERM {
		t.Errorf("it ended by %v", status.Signal())
	}
}

func TestCloseEndsTheWatchAndNotTheProcess(t *testing.T) {
	c := start(t, "wait")
	id := identifyChild(t, c)
	ref, state := OpenIdentity(id)
	if ref == nil {
		t.Fatal(state)
	}
	exited := ref.Exited()
	for range 2 {
		if err := ref.Close(); err != nil {
			t.Error(err)
		}
	}
	select {
	case <-exited:
		t.Error("closing reported an exit")
	default:
	}
	if err := ref.Signal(syscall.SIGKILL); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a signal after closing: %v", err)
	}
	if got := Inspect(id); got != alive() {
		t.Errorf("closing ended the process: %+v", got)
	}
	// Exited asked for the first time after closing is not closed either.
	ref, _ = OpenIdentity(id)
	_ = ref.Close()
	select {
	case <-ref.Exited():
		t.Error("closing reported an exit")
	default:
	}
}

// Signals, watches and closes of one Ref from all sides; the race detector is the judge.
func TestARefIsSafeForConcurrentUse(t *testing.T) {
	c := start(t, "wait")
	id := identifyChild(t, c)
	for range 50 {
		ref, state := OpenIdentity(id)
		if ref == nil {
			t.Fatal(state)
		}
		done := make(chan struct{}, 8)
		for range 4 {
			go func() { _ = ref.Signal(0); done <- struct{}{} }()
			go func() { _ = ref.Exited(); _ = ref.Close(); done <- struct{}{} }()
		}
		for range 8 {
			<-done
		}
	}
}

func TestNothingIsLeftOpen(t *testing.T) {
	c := start(t, "wait")
	id := identifyChild(t, c)
	_ = Inspect(id)
	before := descriptors(t)
	for range 20 {
		_ = Inspect(id)
		_ = Inspect(Identity{PID: id.PID, Start: "x"})
		_, _ = Identify(id.PID)
		_, _ = StartToken(id.PID)
		ref, _ := OpenIdentity(id)
		_ = ref.Exited()
		_ = ref.Close()
	}
	if after := descriptors(t); after != before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

func descriptors(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// Where only the number is left, a start that differs is another process: this one, which goes on.
func TestANumberThatWasHandedOnIsNotSignalled(t *testing.T) {
	pid := os.Getpid()
	for token, want := range map[string]error{"another": os.ErrProcessDone, "": errNoToken} {
		process := &held{pid: pid, how: ByNumber, fd: -1, token: token}
		if err := process.signal(syscall.SIGKILL); !errors.Is(err, want) {
			t.Errorf("token %q: %v", token, err)
		}
		if exited, err := process.exited(); exited != (token != "") || err != nil {
			t.Errorf("token %q: exited %v, %v", token, exited, err)
		}
	}
}

// The clock of another time namespace tells nothing about the machine's boot.
func TestTheBootIsNotDatedByAnotherClock(t *testing.T) {
	if got := bootTime("time:[1]"); got != 0 {
		t.Errorf("dated %d by another clock", got)
	}
	for _, namespace := range []string{initialTimeNamespace, ""} {
		if got := bootTime(namespace); got <= 0 || got > time.Now().Unix() {
			t.Errorf("%q: the boot was at %d", namespace, got)
		}
	}
}
