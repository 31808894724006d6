package process

import (
	"errors"
	"math/rand/v2"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// cloneArguments is struct clone_args of linux/sched.h.
type cloneArguments struct {
	flags, pidfd, childTID, parentTID, exitSignal, stack, stackSize, tls, setTID, setTIDSize, cgroup uint64
}

// cloneAt starts a process that only waits, with the given number, or any for 0. It is a copy of this
// one in which no Go code may run any more.
//
//go:norace
//go:nosplit
func cloneAt(arguments *cloneArguments, byDefault *[4]uint64) (pid int, errno syscall.Errno) {
	r, _, errno := syscall.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(arguments)), unsafe.Sizeof(*arguments), 0)
	if r == 0 && errno == 0 {
		_, _, _ = syscall.RawSyscall(unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0)
		_, _, _ = syscall.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(mark), uintptr(unsafe.Pointer(byDefault)), 0, 8, 0, 0)
		for {
			_, _, _ = syscall.RawSyscall6(unix.SYS_PPOLL, 0, 0, 0, 0, 0, 0)
		}
	}
	return int(r), errno
}

func bare(pid int) (int, error) {
	arguments := &cloneArguments{exitSignal: uint64(unix.SIGCHLD)}
	number := int32(pid)
	if pid != 0 {
		arguments.setTID, arguments.setTIDSize = uint64(uintptr(unsafe.Pointer(&number))), 1
	}
	got, errno := cloneAt(arguments, new([4]uint64))
	runtime.KeepAlive(&number)
	if errno != 0 {
		return 0, errno
	}
	return got, nil
}

// endBare ends the process and gives the signal that it ended by, which is another than SIGKILL when
// somebody else was first.
func endBare(t testing.TB, pid int) syscall.Signal {
	t.Helper()
	_ = unix.Kill(pid, unix.SIGKILL)
	var status unix.WaitStatus
	if _, err := retry(func() (int, error) { return unix.Wait4(pid, &status, 0, nil) }); err != nil {
		t.Fatal(err)
	}
	return status.Signal()
}

// stall keeps the processor busy: sleeping would hand it over, and take far longer.
func stall(d time.Duration) {
	for begin := time.Now(); time.Since(begin) < d; {
	}
}

// trial has a rule signal a process whose number goes to a stranger at the same time, and reports
// whether the stranger was hit.
func trial(t testing.TB, age time.Duration, rule func(Identity)) (hit, counted bool) {
	t.Helper()
	victim, err := bare(0)
	if err != nil {
		t.Fatal(err)
	}
	id, err := Identify(victim)
	if err != nil {
		t.Fatal(err)
	}
	stall(age)
	type result struct {
		pid int
		err error
	}
	recycled := make(chan result)
	delay := time.Duration(rand.IntN(250)) * time.Microsecond
	go func() {
		// The thread is the parent whose end would end the stranger.
		runtime.LockOSThread()
		stall(delay)
		endBare(t, victim)
		stranger, err := bare(victim)
		recycled <- result{stranger, err}
		<-recycled
		runtime.UnlockOSThread()
	}()
	rule(id)
	stranger := <-recycled
	defer func() { recycled <- result{} }()
	if stranger.err != nil {
		// Somebody else got the number.
		if !errors.Is(stranger.err, unix.EEXIST) {
			t.Fatal(stranger.err)
		}
		return false, false
	}
	return endBare(t, stranger.pid) != unix.SIGKILL, true
}

// mark is the signal of the rules, so that a stranger that was hit can be told from one that was
// ended. It ends a process that has no handler for it.
const mark = unix.SIGTERM

// plainRule is the usual way: look at the process, then signal the number.
func plainRule(between time.Duration) func(Identity) {
	return func(id Identity) {
		if unix.Kill(id.PID, 0) != nil {
			return
		}
		if stat, err := readStat(id.PID); err != nil || stat.start != id.Start {
			return
		}
		stall(between)
		_ = unix.Kill(id.PID, mark)
	}
}

func ourRule(between time.Duration) func(Identity) {
	return func(id Identity) {
		ref, _ := OpenIdentity(id)
		if ref == nil {
			return
		}
		stall(between)
		_ = ref.Signal(mark)
		_ = ref.Close()
	}
}

// Numbers are recycled on purpose while signals are on their way. The plain rule is the control: a run
// in which it hits nobody proves nothing about ours.
func TestNoStrangerIsSignalledWhileNumbersAreRecycled(t *testing.T) {
	requireRoot(t)
	trials := 4000
	if testing.Short() {
		trials = 400
	}
	const between = 300 * time.Microsecond
	// Longer than a tick of the start time, so that the start alone tells the two apart.
	const tick = 12 * time.Millisecond
	withoutOrigin := func(rule func(Identity)) func(Identity) {
		return func(id Identity) { rule(Identity{PID: id.PID, Start: id.Start}) }
	}
	hits, counted := map[string]int{}, map[string]int{}
	run := func(name string, age time.Duration, rule func(Identity)) {
		hit, ok := trial(t, age, rule)
		if ok {
			counted[name]++
		}
		if hit {
			hits[name]++
		}
	}
	for i := range trials {
		run("ours", 0, ourRule(between))
		if i%4 == 0 {
			run("plain", 0, plainRule(between))
		}
		if i%16 == 0 {
			run("ours without an origin", tick, withoutOrigin(ourRule(between)))
		}
	}
	// A few trials may all miss the moment.
	for i := 0; hits["plain"] == 0 && i < 4000; i++ {
		run("plain", 0, plainRule(between))
	}
	t.Logf("strangers hit: %v of %v", hits, counted)
	if hits["plain"] == 0 {
		t.Error("the plain rule hit nobody: numbers were not recycled in time")
	}
	if hits["ours"] != 0 || hits["ours without an origin"] != 0 {
		t.Error("strangers were signalled")
	}
}

// Two processes of one number within one tick have the same start. Only the inode tells them apart.
func TestTheInodeTellsApartWhatStartedInOneTick(t *testing.T) {
	requireRoot(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for range 200 {
		victim, err := bare(0)
		if err != nil {
			t.Fatal(err)
		}
		id, err := Identify(victim)
		if err != nil {
			t.Fatal(err)
		}
		endBare(t, victim)
		stranger, err := bare(victim)
		if err != nil {
			continue
		}
		token, err := StartToken(stranger)
		state := Inspect(id)
		endBare(t, stranger)
		if err != nil || token != id.Start {
			continue
		}
		if id.Origin.Inode == "" {
			t.Skip("pidfds have no inode of their own before Linux 6.9")
		}
		if state != otherStart(victim) {
			t.Errorf("the stranger is %+v", state)
		}
		return
	}
	t.Error("no two processes of one number started within one tick")
}

// requireRoot skips, or fails where MURLUA_REQUIRE says that the tests run as root.
func requireRoot(t testing.TB) {
	t.Helper()
	require(t, "root", os.Geteuid() == 0, "only root chooses the number of a process")
}
