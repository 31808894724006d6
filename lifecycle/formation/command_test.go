//go:build unix

package formation_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"murlua/lifecycle/formation"
	"murlua/lifecycle/running"
)

// command is a member that is a command and does the steps.
func command(name string, steps ...string) formation.Member {
	return formation.Member{
		Name: name, Command: &formation.Command{Args: []string{os.Args[0]}},
		Env: map[string]string{standInEnv: strings.Join(steps, "\n")},
	}
}

// wrote is a policy that is satisfied by a line of output.
func wrote(text string) func(context.Context, *formation.Probe) error {
	return func(ctx context.Context, probe *formation.Probe) error {
		next := 0
		for {
			lines, n, more := probe.Log.Since(next)
			next = n
			for _, line := range lines {
				if strings.Contains(line.Line, text) {
					return nil
				}
			}
			select {
			case <-more:
			case <-ctx.Done():
				return fmt.Errorf("it did not write %q", text)
			}
		}
	}
}

func TestACommandRunsUntilItsFormationIsStopped(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	m := command("cache", "stdout listening", "deaf")
	m.Ready = wrote("listening")
	f := r.launch(plan(m))
	peer := f.Peers()[0]
	listing, err := running.Scan(r.options.Home.Running())
	if err != nil || len(listing.Records) != 1 {
		t.Fatalf("records: %v, %v", listing.Records, err)
	}
	record := listing.Records[0]
	if record.PID != peer.PID || string(record.SessionID) != peer.Session || record.URL != "" || record.FormationMember != "cache" ||
		record.FormationLauncher.PID != os.Getpid() || record.FormationID != f.ID() {
		t.Errorf("its record is %+v", record)
	}
	eventually(t, "what it wrote is relayed", func() bool { return strings.Contains(r.relayed.String(), "[cache] listening\n") })
	f.Stop(nil)
	ending := r.wait(f)
	member := ending.Members[0]
	if member.Status.Signal != syscall.SIGTERM || member.Stop.Rung != formation.RungSignal || ending.Code() != 0 {
		t.Errorf("it ended with %v on rung %q, code %d", member.Status, member.Stop.Rung, ending.Code())
	}
	if listing, _ := running.Scan(r.options.Home.Running()); len(listing.Records) != 0 {
		t.Error("its record is left")
	}
	r.gone()
	// What it wrote outlives the run, for its owner alone.
	kept := filepath.Join(formation.OutputDir(r.options.Home, f.ID()), "cache.log")
	if text, err := os.ReadFile(kept); err != nil || string(text) != "listening\n" {
		t.Errorf("kept output: %q, %v", text, err)
	}
	if info, err := os.Stat(kept); err == nil && info.Mode().Perm() != 0o600 {
		t.Errorf("the kept output has mode %v", info.Mode())
	}
	if _, err := os.Stat(filepath.Join(r.options.Home.Formations(), string(f.ID()), formation.MarkerFile)); err != nil {
		t.Errorf("its directory belongs to nobody: %v", err)
	}
}

func TestACommandIsToldNothingOfTheFormation(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	folder := t.TempDir()
	m := command("cache", "dump "+folder, "stdout dumped", "deaf")
	m.Ready, m.Dir, m.Unset = wrote("dumped"), folder, []string{"GORACE"}
	r.launch(plan(m))
	if env := read(t, folder, "env"); strings.Contains(env, "MURMUR_") || strings.Contains(env, "GORACE") {
		t.Errorf("its environment is %q", env)
	}
	for _, line := range strings.Split(read(t, folder, "fds"), "\n") {
		number, _, _ := strings.Cut(line, " ")
		if number > "2" {
			t.Errorf("it has descriptor %s", line)
		}
	}
}

// A member that exits while it is waited for fails the launch at once, not at its deadline, and those that wait for it
// are never started.
func TestAnEarlyExitFailsTheLaunchAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.options.ReadyWithin = time.Hour
	a := command("a", "stdout starting", "exit 1")
	a.Ready = wrote("listening")
	b := command("b", "deaf")
	b.After = []string{"a"}
	refused := r.refused(plan(a, b))
	want := "the formation could not be launched\n  'a' (" + os.Args[0] + "): its process exited with status 1 before it was ready; " +
		"its last lines were:\n      starting\n  stopped: none"
	if diff := cmp.Diff(want, refused.Error()); diff != "" {
		t.Error(diff)
	}
	if kinds := r.kinds("b"); !slices.Equal(kinds, []formation.EventKind{formation.Waiting}) {
		t.Errorf("b got %v", kinds)
	}
}

func TestMembersStartAfterThoseTheyNeedAndStopBeforeThem(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	slow := func(name string, after ...string) formation.Member {
		m := command(name, "sleep 30ms", "stdout up", "deaf")
		m.Ready, m.After = wrote("up"), after
		return m
	}
	db := slow("db")
	// It becomes ready only when the cache has been started: that does not wait for it.
	db.Ready = func(ctx context.Context, _ *formation.Probe) error {
		return formation.Until(ctx, func(context.Context) bool { return slices.Contains(r.kinds("cache"), formation.Spawned) })
	}
	f := r.launch(plan(slow("web", "api", "cache"), slow("api", "db"), slow("cache"), db))
	f.Stop(nil)
	r.wait(f)
	at := func(member string, kind formation.EventKind) int {
		return slices.IndexFunc(r.events, func(e formation.Event) bool { return e.Member == member && e.Kind == kind })
	}
	for _, pair := range [][2]string{{"db", "api"}, {"api", "web"}, {"cache", "web"}} {
		if at(pair[0], formation.Ready) > at(pair[1], formation.Spawned) {
			t.Errorf("%s was started before %s was ready", pair[1], pair[0])
		}
		if at(pair[1], formation.Reaped) > at(pair[0], formation.Stopping) {
			t.Errorf("%s was stopped before %s had gone", pair[0], pair[1])
		}
	}
}

func TestAFormationWithoutAnEntryEndsAsItsMembersSay(t *testing.T) {
	ignore := func(context.Context, formation.Exit) formation.Action { return formation.Action{} }
	for _, test := range []struct {
		name    string
		members func(done string) []formation.Member
		code    int
		stopped []string
	}{
		{"the first exit ends it", func(done string) []formation.Member {
			return []formation.Member{command("a", "deaf"), command("b", "exit 7")}
		}, 7, []string{"a"}},
		{"an exit in order too", func(done string) []formation.Member {
			return []formation.Member{command("a", "deaf"), command("b", "exit 0")}
		}, 0, []string{"a"}},
		{"a signal is not a code", func(done string) []formation.Member {
			return []formation.Member{command("a", "kill 9")}
		}, 137, nil},
		{"an exit that does not matter", func(done string) []formation.Member {
			a, b := command("a", "wait "+done, "exit 3"), command("b", "exit 7")
			b.OnExit = func(context.Context, formation.Exit) formation.Action {
				_ = os.WriteFile(done, nil, 0o600)
				return formation.Action{}
			}
			return []formation.Member{a, b}
		}, 3, nil},
		{"none of them matters", func(done string) []formation.Member {
			a, b := command("a", "exit 0"), command("b", "exit 7")
			a.OnExit, b.OnExit = ignore, ignore
			return []formation.Member{a, b}
		}, 7, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			f := r.launch(plan(test.members(filepath.Join(t.TempDir(), "done"))...))
			ending := r.wait(f)
			var stopped []string
			for _, s := range ending.Stopped {
				stopped = append(stopped, s.Name)
			}
			if ending.Code() != test.code || !slices.Equal(stopped, test.stopped) {
				t.Errorf("code %d, stopped %v; want %d, %v (%+v)", ending.Code(), stopped, test.code, test.stopped, ending)
			}
			r.gone()
		})
	}
}

func TestAMemberIsStartedAgainWhenNothingOfItIsLeft(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	// The helper escapes from the group and outlives its member, until it is ended.
	m := command("a", "escape deaf", "stdout up", "sleep 100ms", "exit 5")
	m.Ready, m.Ports = wrote("up"), []int{port}
	exits := make(chan formation.Exit, 10)
	m.OnExit = func(_ context.Context, exit formation.Exit) formation.Action {
		exits <- exit
		if exit.Restarts == 2 {
			return formation.Action{Kind: formation.StopFormation}
		}
		if exit.Restarts == 0 {
			helper := childPID(t, r.relayed.String())
			if err := unix.Kill(helper, 0); !errors.Is(err, unix.ESRCH) && !zombie(helper) {
				t.Errorf("the old process's helper is there when its member is started again: %v", err)
			}
			listener, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port))
			if err != nil {
				t.Error(err)
			} else {
				time.AfterFunc(50*time.Millisecond, func() { listener.Close() })
			}
		}
		return formation.Action{Kind: formation.Restart, After: time.Millisecond}
	}
	ending := r.wait(r.launch(plan(m)))
	if ending.Code() != 5 {
		t.Errorf("code %d", ending.Code())
	}
	for i := range 3 {
		if exit := <-exits; exit.Restarts != i || exit.Status.Code != 5 {
			t.Errorf("exit %d: %+v", i, exit)
		}
	}
	var kinds []formation.EventKind
	for _, kind := range r.kinds("a") {
		if kind != formation.Stopping && kind != formation.Rung {
			kinds = append(kinds, kind)
		}
	}
	once := []formation.EventKind{formation.Spawned, formation.Ready, formation.Exited, formation.Reaped}
	want := slices.Concat(once, []formation.EventKind{formation.Restarting}, once, []formation.EventKind{formation.Restarting}, once)
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Error(diff)
	}
	r.gone()
}

// A port that a member is said to listen on must not be somebody else's when it starts: its policy would be answered by them.
func TestAMemberWhosePortIsTakenIsNotStarted(t *testing.T) {
	t.Parallel()
	for _, entry := range []bool{false, true} {
		r := newRig(t)
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		port := listener.Addr().(*net.TCPAddr).Port
		m := command("a", "hang")
		m.Ports, m.Entry = []int{port}, entry
		f, err := formation.Launch(t.Context(), plan(m), r.options)
		if err == nil && entry {
			_, err = f.StartEntry(t.Context())
		}
		refused, ok := errors.AsType[*formation.LaunchError](err)
		if !ok || len(refused.Failed) != 1 || refused.Failed[0].Reason.Kind != formation.NotStarted {
			t.Fatalf("got %v, want a member that was not started", err)
		}
		if why := refused.Failed[0].Reason.Why; !strings.HasPrefix(why, "port "+strconv.Itoa(port)+" is taken by ") ||
			runtime.GOOS == "linux" && !strings.Contains(why, "process "+strconv.Itoa(os.Getpid())+" (") {
			t.Errorf("it says %q", why)
		}
		r.gone()
	}
}

func TestAMemberThatDoesNotComeBackIsAskedAboutAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	flag := filepath.Join(t.TempDir(), "flag")
	m := command("a", "stdout up", "wait "+flag, "exit 1")
	m.Ready, m.ReadyWithin = wrote("up"), livenessBound
	m.OnExit = func(_ context.Context, exit formation.Exit) formation.Action {
		if exit.Reason != nil {
			if exit.Reason.Kind != formation.ExitedBeforeReady {
				t.Errorf("the reason is %v", exit.Reason)
			}
			return formation.Action{Kind: formation.StopFormation}
		}
		return formation.Action{Kind: formation.Restart}
	}
	// The second start fails: its policy wants what is never written.
	starts := 0
	m.Ready = func(ctx context.Context, probe *formation.Probe) error {
		if starts++; starts > 1 {
			return wrote("nothing")(ctx, probe)
		}
		return wrote("up")(ctx, probe)
	}
	f := r.launch(plan(m))
	if err := os.WriteFile(flag, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if ending := r.wait(f); ending.Code() != 1 {
		t.Errorf("ending %+v", ending)
	}
}

func TestAnUnhealthyMemberIsReplaced(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	m := command("a", "stdout up", "deaf")
	m.Ready = wrote("up")
	sick := 0
	m.Health = &formation.Health{
		Every: 5 * time.Millisecond, Failures: 2,
		Check: func(_ context.Context, probe *formation.Probe) error {
			if sick == 0 {
				sick = probe.PID
			}
			if probe.PID == sick {
				return errors.New("it has a fever")
			}
			return nil
		},
		OnUnhealthy: func(context.Context, error) formation.Action { return formation.Action{Kind: formation.Restart} },
	}
	f := r.launch(plan(m))
	eventually(t, "the second start", func() bool {
		pid, running := f.Running("a")
		return running && pid != f.Peers()[0].PID || len(r.pids()) == 2
	})
	f.Stop(nil)
	r.wait(f)
	details := map[formation.EventKind]string{}
	for _, e := range r.events {
		details[e.Kind] = e.Detail
	}
	if details[formation.Unhealthy] != "it has a fever" || details[formation.Restarting] != "in 0s: it is not healthy" {
		t.Errorf("details: %v", details)
	}
	r.gone()
}

// The formation's stop joins that of the restart.
func TestAStopDuringARestartIsToldOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	m := command("a", "sigterm "+filepath.Join(t.TempDir(), "asked"), "stdout up", "deaf")
	m.Ready = wrote("up")
	m.Health = &formation.Health{
		Every: time.Millisecond, Failures: 1,
		Check:       func(context.Context, *formation.Probe) error { return errors.New("it has a fever") },
		OnUnhealthy: func(context.Context, error) formation.Action { return formation.Action{Kind: formation.Restart} },
	}
	f := r.launch(plan(m))
	eventually(t, "the restart's stop", func() bool { return slices.Contains(r.kinds("a"), formation.Stopping) })
	f.Stop(nil)
	eventually(t, "the formation's stop", func() bool { return slices.Contains(r.kinds(""), formation.Stopping) })
	r.hurry()
	r.wait(f)
	want := []formation.EventKind{formation.Spawned, formation.Ready, formation.Unhealthy, formation.Stopping, formation.Exited, formation.Reaped}
	got := slices.DeleteFunc(r.kinds("a"), func(k formation.EventKind) bool { return k == formation.NotReadyYet || k == formation.Rung })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the member's events (-want +got):\n%s", diff)
	}
}

// A group that ignores its stop signal is killed after the grace, and the stop returns only then.
func TestAStopTakesTheGroupAndSaysWhatItKilled(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	m := formation.Member{
		Name: "a", Grace: time.Second, Ready: wrote("up"),
		Command: &formation.Command{Args: []string{"sh", "-c", `trap "exit 0" TERM; (trap "" TERM; echo up; exec sleep 600) & wait`}},
	}
	f := r.launch(plan(m))
	f.Stop(nil)
	began := time.Now()
	ending := r.wait(f)
	if took := time.Since(began); took < time.Second {
		t.Errorf("the stop took %v, less than the grace", took)
	}
	stop := ending.Members[0].Stop
	if stop.Rung != formation.RungKill || len(stop.Killed) != 1 || stop.Killed[0].Name != "sleep" {
		t.Errorf("the stop says %+v", stop)
	}
}

// Whoever gives up a launch can give up waiting for its end, too.
func TestAnAbandonedLaunchCanBeHurried(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	deaf := command("deaf", "sigterm "+filepath.Join(t.TempDir(), "asked"), "stdout up", "deaf")
	deaf.Grace, deaf.Ready = 2*livenessBound, wrote("up")
	late := command("late", "deaf")
	late.After, late.Ready = []string{"deaf"}, wrote("what it never writes")
	hurried, hurry := context.WithCancel(t.Context())
	r.options.Hurried = hurried
	launching, abandon := context.WithCancel(t.Context())
	go func() {
		eventually(t, "the start of the second member", func() bool { return len(r.pids()) == 2 })
		abandon()
		eventually(t, "the end of the second", func() bool { return slices.Contains(r.kinds("late"), formation.Reaped) })
		hurry()
	}()
	began := time.Now()
	if _, err := formation.Launch(launching, plan(deaf, late), r.options); err == nil {
		t.Fatal("the launch was not given up")
	}
	if took := time.Since(began); took >= livenessBound {
		t.Errorf("it took %v", took)
	}
	r.gone()
}

// What a command started in a session of its own is found and named.
func TestAStopFindsWhatEscaped(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	m := formation.Member{
		Name: "a", Grace: 2 * time.Second, Ready: wrote("up"),
		Command: &formation.Command{Args: []string{"sh", "-c", `setsid sh -c "echo up; exec sleep 600" & wait`}},
	}
	f := r.launch(plan(m))
	f.Stop(nil)
	stop := r.wait(f).Members[0].Stop
	if found := slices.Concat(stop.Escaped, stop.Killed); len(found) != 1 || found[0].Name == "" {
		t.Errorf("the stop says %+v", stop)
	}
}

// Output is complete, in order, and the exit is not held up by whoever holds the pipe.
func TestLastLinesBeforeAnExitAreNotLost(t *testing.T) {
	t.Parallel()
	for range 5 {
		r := newRig(t)
		m := command("a", "count 5000", "exit 3")
		ending := r.wait(r.launch(plan(m)))
		if ending.Code() != 3 {
			t.Errorf("code %d", ending.Code())
		}
		if len(r.lines) != 5000 {
			t.Fatalf("%d lines, want 5000", len(r.lines))
		}
		for i, line := range r.lines {
			if line.Line != fmt.Sprintf("line %d", i) {
				t.Fatalf("line %d is %q", i, line.Line)
			}
		}
	}
}

func TestALineWithoutAnEndComesInPieces(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	const size = 3<<20 + 17
	r.wait(r.launch(plan(command("a", fmt.Sprintf("flood %d", size), "exit 0"))))
	total := 0
	for _, line := range r.lines {
		total += len(line.Line)
		if len(line.Line) > 64<<10 {
			t.Errorf("a piece has %d bytes", len(line.Line))
		}
	}
	if total != size {
		t.Errorf("%d bytes came, want %d", total, size)
	}
}

func TestARunningGrandchildDoesNotHideAnExit(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"sleep 30 & exit 0", "(sleep 30 &) ; exit 0", "sleep 30 | cat & exit 0", "sleep 30 >&2 & sleep 30 & exit 0"} {
		r := newRig(t)
		began := time.Now()
		ending := r.wait(r.launch(plan(formation.Member{Name: "a", Command: &formation.Command{Args: []string{"sh", "-c", script}}})))
		if ending.Code() != 0 || time.Since(began) > 20*time.Second {
			t.Errorf("%q: code %d after %v", script, ending.Code(), time.Since(began))
		}
	}
}
