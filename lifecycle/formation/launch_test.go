//go:build unix

package formation_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"murlua/lifecycle/formation"
	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
)

// livenessBound is how long something that is expected to happen may take before a test gives up on it.
const livenessBound = 60 * time.Second

// rig is a launch under test: its options, and everything that it said.
type rig struct {
	t       *testing.T
	options formation.Options
	relayed *buffer

	mu     sync.Mutex
	events []formation.Event
	lines  []formation.Output
}

type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func newRig(t *testing.T) *rig {
	t.Helper()
	h, err := home.Resolve(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, relayed: &buffer{}}
	r.options = formation.Options{
		ID: id.NewFormation(), Home: h, ProjectDir: t.TempDir(), Environ: append(os.Environ(), "GORACE=atexit_sleep_ms=0"), // or each member of a race build takes a second to exit
		MurBinary: os.Args[0], Executable: os.Args[0],
		ReadyWithin: livenessBound, Grace: 5 * time.Second,
		Relay: r.relayed,
		OnEvent: func(e formation.Event) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.events = append(r.events, e)
		},
		OnOutput: func(o formation.Output) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.lines = append(r.lines, o)
		},
		Warn: func(text string) { t.Log("warning:", text) },
	}
	return r
}

// capsule is a member that does the steps.
func capsule(name string, steps ...string) formation.Member {
	return formation.Member{
		Name:    name,
		Capsule: &formation.Capsule{Name: name, Version: "0.1.0", SHA256: strings.Repeat("ab", 32)},
		Env:     map[string]string{standInEnv: strings.Join(steps, "\n")},
	}
}

func entry(name string, steps ...string) formation.Member {
	m := capsule(name, steps...)
	m.Entry = true
	return m
}

func plan(members ...formation.Member) formation.Plan { return formation.Plan{Members: members} }

func (r *rig) launch(p formation.Plan) *formation.Formation {
	r.t.Helper()
	f, err := formation.Launch(r.t.Context(), p, r.options)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		f.Kill(errors.New("the test is over"))
		r.wait(f)
	})
	return f
}

func (r *rig) wait(f *formation.Formation) formation.Ending {
	ctx, cancel := context.WithTimeout(context.Background(), livenessBound)
	defer cancel()
	ending, err := f.Wait(ctx)
	if err != nil {
		r.t.Error("waiting for the formation:", err)
	}
	return ending
}

func (r *rig) refused(p formation.Plan) *formation.LaunchError {
	r.t.Helper()
	f, err := formation.Launch(r.t.Context(), p, r.options)
	if err == nil {
		f.Kill(nil)
		r.wait(f)
		r.t.Fatal("the launch was expected to be refused")
	}
	var refused *formation.LaunchError
	if !errors.As(err, &refused) {
		r.t.Fatalf("the error is no LaunchError: %v", err)
	}
	r.gone()
	return refused
}

// gone checks that no spawned process is left, not even as a zombie.
func (r *rig) gone() {
	r.t.Helper()
	for _, pid := range r.pids() {
		if err := unix.Kill(pid, 0); !errors.Is(err, unix.ESRCH) {
			r.t.Errorf("process %d is still there: %v", pid, err)
		}
	}
}

func (r *rig) pids() []int {
	r.mu.Lock()
	defer r.mu.Unlock()
	var pids []int
	for _, e := range r.events {
		if e.Kind == formation.Spawned || e.Kind == formation.EntryStarted {
			pids = append(pids, e.PID)
		}
	}
	return pids
}

func (r *rig) kinds(member string) []formation.EventKind {
	r.mu.Lock()
	defer r.mu.Unlock()
	var kinds []formation.EventKind
	for _, e := range r.events {
		if e.Member == member {
			kinds = append(kinds, e.Kind)
		}
	}
	return kinds
}

func onlyReason(t *testing.T, refused *formation.LaunchError) formation.Reason {
	t.Helper()
	if len(refused.Failed) != 1 {
		t.Fatalf("failed: %+v, want one", refused.Failed)
	}
	return refused.Failed[0].Reason
}

func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	deadline := time.Now().Add(livenessBound)
	for !condition() {
		if time.Now().After(deadline) {
			t.Fatalf("%s did not happen within %v", what, livenessBound)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAPeerIsReadyWhenItsDoorAnswersAndEndsByItsLifeline(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	termed := filepath.Join(t.TempDir(), "termed")
	f := r.launch(plan(capsule("coder", "sigterm "+termed, "door ses_standin", "await"), entry("lead")))
	peers := f.Peers()
	if len(peers) != 1 || peers[0].Session != "ses_standin" || !strings.HasPrefix(peers[0].URL, "http://localhost:") {
		t.Fatalf("peers: %+v", peers)
	}
	if want := filepath.Join(r.options.Home.Formations(), string(r.options.ID), "coder"); peers[0].Workdir != want {
		t.Errorf("workdir %s, want %s", peers[0].Workdir, want)
	}
	f.Stop(nil)
	ending := r.wait(f)
	if diff := cmp.Diff([]formation.Stopped{{Name: "coder", PID: peers[0].PID}}, ending.Stopped); diff != "" {
		t.Error(diff)
	}
	if len(ending.Members) != 1 || ending.Members[0].Status != (formation.Status{}) {
		t.Errorf("members ended as %+v, want by themselves", ending.Members)
	}
	if _, err := os.Stat(termed); err == nil {
		t.Error("the launcher sent SIGTERM")
	}
	r.gone()
	want := []formation.EventKind{
		formation.Spawned, formation.Reported, formation.DoorAnswered, formation.Ready,
		formation.Stopping, formation.Rung, formation.Exited, formation.Reaped,
	}
	if diff := cmp.Diff(want, r.kinds("coder")); diff != "" {
		t.Error(diff)
	}
}

func TestAMemberDeafToItsLifelineIsKilledAfterTheGrace(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.options.Grace = 300 * time.Millisecond
	f := r.launch(plan(capsule("coder", "door ses_standin", "deaf"), entry("lead")))
	began := time.Now()
	f.Stop(nil)
	ending := r.wait(f)
	if took := time.Since(began); took < r.options.Grace {
		t.Errorf("it was stopped after %v, before the grace was over", took)
	}
	if got := ending.Members[0].Status; got.Signal != syscall.SIGKILL {
		t.Errorf("it ended with %v, want signal 9", got)
	}
	r.gone()
}

func TestKillCutsTheGraceOfAStopUnderWay(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.options.Grace = time.Hour
	f := r.launch(plan(capsule("coder", "door ses_standin", "deaf"), entry("lead")))
	f.Stop(&formation.Interruption{Signal: syscall.SIGINT})
	f.Kill(&formation.Interruption{Signal: syscall.SIGTERM})
	if code := r.wait(f).Code(); code != 130 {
		t.Errorf("code %d, want that of the first reason, 130", code)
	}
	r.gone()
}

func TestWhatAMemberStartedInItsGroupIsKilledWithIt(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	f := r.launch(plan(capsule("coder", "child deaf", "door ses_standin", "await"), entry("lead")))
	f.Stop(nil)
	r.wait(f)
	child := childPID(t, r.relayed.String())
	eventually(t, "the end of the member's child", func() bool { return unix.Kill(child, 0) != nil || zombie(child) })
}

func childPID(t *testing.T, output string) int {
	t.Helper()
	_, rest, ok := strings.Cut(output, "child ")
	number, _, _ := strings.Cut(rest, "\n")
	pid, err := strconv.Atoi(number)
	if !ok || err != nil {
		t.Fatalf("no child in %q", output)
	}
	return pid
}

// zombie reports whether the process waits to be reaped by whoever adopted it.
func zombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	after := stat[bytes.LastIndexByte(stat, ')')+1:]
	return bytes.HasPrefix(bytes.TrimSpace(after), []byte("Z"))
}

func TestTheEndOfOutputThatAnEscapedProcessHoldsIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	f := r.launch(plan(capsule("coder", "escape sleep 30s", "door ses_standin", "await"), entry("lead")))
	// The member is ready through one pipe and names its child through another.
	eventually(t, "the child's number", func() bool {
		_, rest, _ := strings.Cut(r.relayed.String(), "child ")
		return strings.Contains(rest, "\n")
	})
	child := childPID(t, r.relayed.String())
	t.Cleanup(func() { _ = unix.Kill(child, unix.SIGKILL) })
	began := time.Now()
	f.Stop(nil)
	r.wait(f)
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("the stop took %v", took)
	}
}

func TestRefusals(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	silentURL := "localhost:" + strconv.Itoa(silent.Addr().(*net.TCPAddr).Port)
	silent.Close()
	const ms = time.Millisecond
	for _, test := range []struct {
		name   string
		steps  []string
		within time.Duration
		kind   string
		text   string // part of the message
		exited bool   // the member ended by itself
	}{
		{
			"it exits first",
			[]string{"stderr no model", "exit 3"},
			0, formation.ExitedBeforeReporting,
			"its process exited with status 3 before reporting; its last stderr lines were:\n      no model\n  stopped: none", true,
		},
		{
			"it is killed first",
			[]string{"kill 9"},
			0, formation.ExitedBeforeReporting,
			"its process exited with signal 9 before reporting; it wrote nothing to stderr", true,
		},
		{
			"it closes its output and stays",
			[]string{"close 1", "deaf"},
			0, formation.ExitedBeforeReporting,
			"its process exited with signal 9 before reporting", true,
		},
		{
			"it exits before its door answers",
			[]string{"report ses_standin " + silentURL, "sleep 100ms", "stderr bye", "exit 4"},
			0,
			formation.ExitedBeforeDoorAnswered,
			"its process reported and then exited with status 4 before its door answered; its last stderr lines were:\n      bye", true,
		},
		{"it says nothing", []string{"await"}, 600 * ms, formation.DidNotReport, "it did not report within 0.6s", false},
		{
			"it prints garbage",
			[]string{"stdout hello", "await"},
			0, formation.UnreadableReport,
			"its first line is not a readiness line: it does not parse as JSON (", false,
		},
		{
			"it names no session",
			[]string{`report  localhost:1`, "await"},
			0, formation.UnreadableReport,
			"its first line is not a readiness line: it names no session_id", false,
		},
		{"it has no door", []string{"report ses_standin ", "await"}, 0, formation.ReportedNoDoor, "it reported no door", false},
		{
			"it names no formation",
			[]string{`stdout {"session_id":"ses_standin","url":"localhost:1"}`, "await"},
			0, formation.WrongFormation,
			"it reported no formation instead of frm_", false,
		},
		{
			"it names another formation",
			[]string{`stdout {"formation_id":"frm_other","session_id":"s","url":"localhost:1"}`, "await"},
			0,
			formation.WrongFormation, "it reported formation frm_other instead of frm_", false,
		},
		{"its first line is an array", []string{"stdout []", "await"}, 0, formation.WrongFormation, "it reported no formation", false},
		{
			"nobody answers at its door",
			[]string{"report ses_standin " + silentURL, "await"},
			1500 * ms, formation.DoorDidNotAnswer,
			"its door at http://" + silentURL + " did not answer as session ses_standin within 1.5s; the last probe said: ", false,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			if test.within > 0 {
				r.options.ReadyWithin = test.within
			}
			marker := filepath.Join(t.TempDir(), "entry")
			began := time.Now()
			refused := r.refused(plan(capsule("coder", test.steps...), entry("lead", "dump "+marker)))
			reason := onlyReason(t, refused)
			if reason.Kind != test.kind {
				t.Errorf("kind %s, want %s: %v", reason.Kind, test.kind, reason)
			}
			if test.within > 0 && time.Since(began) < test.within {
				t.Errorf("refused after %v, before the deadline", time.Since(began))
			}
			for _, part := range []string{"the formation could not be launched\n  'coder' (coder@0.1.0): ", test.text} {
				if !strings.Contains(refused.Error(), part) {
					t.Errorf("the message lacks %q:\n%v", part, refused)
				}
			}
			if got := len(refused.Stopped) == 0; got != test.exited {
				t.Errorf("stopped: %v", refused.Stopped)
			}
			if kinds := r.kinds("lead"); kinds != nil {
				t.Errorf("the entry got %v", kinds)
			}
		})
	}
}

func TestADoorThatNamesAnotherSessionIsAskedOn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var asked atomic.Int32
	const wrong = 3
	server := httptest.NewServer(cardHandler(func() string {
		switch n := asked.Add(1); {
		case n <= wrong:
			return "ses_somebody_else"
		case n == wrong+1:
			return ""
		}
		return "ses_standin"
	}))
	defer server.Close()
	r.launch(plan(capsule("coder", "report ses_standin "+strings.TrimPrefix(server.URL, "http://"), "await"), entry("lead")))
	if n := asked.Load(); n != wrong+2 {
		t.Errorf("the door was asked %d times, want %d", n, wrong+2)
	}
}

func TestTheFirstFailureEndsTheLaunchForEverybody(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.options.ReadyWithin = time.Hour
	refused := r.refused(plan(
		capsule("slow", "await"), capsule("fine", "door ses_fine", "await"), capsule("broken", "sleep 200ms", "exit 7"), entry("lead")))
	if onlyReason(t, refused).Status.Code != 7 || refused.Failed[0].Name != "broken" {
		t.Errorf("failed: %+v", refused.Failed)
	}
	var names []string
	for _, s := range refused.Stopped {
		names = append(names, s.Name)
	}
	if diff := cmp.Diff([]string{"slow", "fine"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestAnInterruptedLaunchNamesTheSignal(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	r.options.OnEvent = func(e formation.Event) {
		if e.Kind == formation.Spawned {
			cancel(&formation.Interruption{Signal: syscall.SIGTERM})
		}
	}
	_, err := formation.Launch(ctx, plan(capsule("coder", "await"), entry("lead")), r.options)
	var refused *formation.LaunchError
	var caught *formation.Interruption
	if !errors.As(err, &refused) || !errors.As(err, &caught) || caught.Signal != syscall.SIGTERM {
		t.Fatalf("the error is %#v", err)
	}
	want := "the formation launch was interrupted by SIGTERM before every member was ready\n  stopped: coder (pid "
	if !strings.HasPrefix(err.Error(), want) {
		t.Errorf("the message is %q", err)
	}
}

func TestTheFormationEndsWithItsEntry(t *testing.T) {
	for _, test := range []struct {
		step string
		code int
	}{{"exit 0", 0}, {"exit 7", 7}, {"kill 15", 143}, {"kill 9", 137}} {
		t.Run(test.step, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			f := r.launch(plan(capsule("coder", "door ses_standin", "await"), entry("lead", test.step)))
			if _, err := f.StartEntry(t.Context()); err != nil {
				t.Fatal(err)
			}
			ending := r.wait(f)
			if ending.Code() != test.code {
				t.Errorf("code %d, want %d (%+v)", ending.Code(), test.code, ending)
			}
			if len(ending.Stopped) != 1 || ending.Stopped[0].Name != "coder" {
				t.Errorf("stopped: %v", ending.Stopped)
			}
			r.gone()
			if _, err := f.StartEntry(t.Context()); err == nil {
				t.Error("an ended formation started its entry again")
			}
		})
	}
}

func TestAStopEndsTheEntryToo(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	f := r.launch(plan(capsule("coder", "door ses_standin", "await"), entry("lead", "await")))
	if _, err := f.StartEntry(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.Stop(&formation.Interruption{Signal: syscall.SIGHUP})
	ending := r.wait(f)
	if ending.Code() != 129 || len(ending.Stopped) != 2 {
		t.Errorf("ending %+v, code %d", ending, ending.Code())
	}
	r.gone()
}

func TestAnEntryThatCannotStartRefusesTheLaunch(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	lead := formation.Member{Name: "lead", Command: &formation.Command{Args: []string{"/nonexistent/tool"}}, Entry: true}
	f := r.launch(plan(capsule("coder", "door ses_standin", "await"), lead))
	_, err := f.StartEntry(t.Context())
	var refused *formation.LaunchError
	if !errors.As(err, &refused) || onlyReason(t, refused).Kind != formation.NotStarted {
		t.Fatalf("the error is %v", err)
	}
	if len(refused.Stopped) != 1 || !strings.Contains(err.Error(), "'lead' (/nonexistent/tool): its process could not be started: /nonexistent/tool: no such file") {
		t.Errorf("the message is %v", err)
	}
	r.gone()
}

func TestAProgramThatCannotBeRunIsNotStarted(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.options.MurBinary = "/nonexistent/mur"
	refused := r.refused(plan(capsule("coder"), entry("lead")))
	if reason := onlyReason(t, refused); reason.Kind != formation.NotStarted || !strings.Contains(reason.Why, "/nonexistent/mur") {
		t.Errorf("reason: %v", reason)
	}
}

func TestAnExistingMemberPathIsRefusedAndNamed(t *testing.T) {
	for _, kind := range []string{"directory", "file", "link"} {
		t.Run(kind, func(t *testing.T) {
			r := newRig(t)
			dir := filepath.Join(r.options.Home.Formations(), string(r.options.ID))
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			taken := filepath.Join(dir, "coder")
			var err error
			switch kind {
			case "directory":
				err = os.Mkdir(taken, 0o700)
			case "file":
				err = os.WriteFile(taken, nil, 0o600)
			case "link":
				err = os.Symlink(t.TempDir(), taken)
			}
			if err != nil {
				t.Fatal(err)
			}
			refused := r.refused(plan(capsule("coder", "await"), entry("lead")))
			if reason := onlyReason(t, refused); reason.Kind != formation.NotStarted || !strings.Contains(reason.Why, taken) {
				t.Errorf("reason: %v", reason)
			}
			if len(refused.Stopped) != 0 || len(r.pids()) != 0 {
				t.Errorf("something was started: %v", r.pids())
			}
		})
	}
}

func TestMembersAreHandedWhatIsTheirsAndNothingElse(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.options.Environ = append(r.options.Environ, "MURMUR_FORMATION_PEERS=x=y", "MURMUR_SPAWNER={}", "MURMUR_SPAWNER_LIFELINE=9", "KEPT=yes")
	// A descriptor that this program inherited from whoever started it reaches no member.
	leak, err := unix.Open("/dev/null", unix.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(leak)
	folders := map[string]string{}
	make := func(name string, more ...string) formation.Member {
		folders[name] = t.TempDir()
		return capsule(name, append([]string{"dump " + folders[name]}, more...)...)
	}
	coder := make("coder", "door ses_coder", "await")
	coder.Calls = []string{"reviewer"}
	reviewer := make("reviewer", "door ses_reviewer", "await")
	lead := make("lead", "await")
	lead.Entry, lead.Calls = true, []string{"coder"}
	task := "add them"
	r.options.Task = &task
	f := r.launch(plan(coder, reviewer, lead))
	if _, err := f.StartEntry(t.Context()); err != nil {
		t.Fatal(err)
	}
	lines := func(name string, want int) []string {
		var got []string
		eventually(t, name+"'s channel", func() bool {
			text, _ := os.ReadFile(filepath.Join(folders[name], "channel"))
			got = slices.DeleteFunc(strings.Split(string(text), "\n"), func(s string) bool { return s == "" })
			return len(got) >= want
		})
		return got
	}
	coderLines, leadLines, reviewerLines := lines("coder", 2), lines("lead", 2), lines("reviewer", 1)
	checkChannels(t, f, coderLines, leadLines, reviewerLines)
	f.Stop(nil)
	r.wait(f)
	if got := lines("reviewer", 1); len(got) != 1 {
		t.Errorf("the reviewer, who calls nobody, got %d lines", len(got))
	}
	for name, folder := range folders {
		argv, env, fds := read(t, folder, "argv"), read(t, folder, "env"), read(t, folder, "fds")
		if strings.Contains(argv+env, "mft1.") {
			t.Errorf("%s got a token in its arguments or environment", name)
		}
		for _, unwanted := range []string{"MURMUR_FORMATION_PEERS=", "MURMUR_SPAWNER=", "MURMUR_SPAWNER_LIFELINE="} {
			if strings.Contains(env, unwanted) {
				t.Errorf("%s inherited %s", name, unwanted)
			}
		}
		for _, wanted := range []string{
			"KEPT=yes", "MURMUR_FORMATION_ID=" + string(f.ID()), "MURMUR_HOST_WARNINGS_REPORTED=1",
			"MURMUR_FORMATION_CHANNEL=4", "MURMUR_FORMATION_LIFELINE=3",
		} {
			if !strings.Contains("\n"+env+"\n", "\n"+wanted+"\n") {
				t.Errorf("%s lacks %s", name, wanted)
			}
		}
		checkDescriptors(t, name, fds)
	}
}

func checkDescriptors(t *testing.T, name, fds string) {
	t.Helper()
	var above []string
	for _, line := range strings.Split(fds, "\n") {
		number, target, _ := strings.Cut(line, " ")
		if n, _ := strconv.Atoi(number); n > 2 {
			kind, _, _ := strings.Cut(target, ":")
			above = append(above, number+" "+kind)
		}
	}
	if diff := cmp.Diff([]string{"3 pipe", "4 pipe"}, above); diff != "" {
		t.Errorf("%s has other descriptors than its two read ends: %s", name, diff)
	}
}

// checkChannels checks what three members read: a key that all share, a token for each callee and nothing about
// anybody else, then the callees' doors.
func checkChannels(t *testing.T, f *formation.Formation, coder, lead, reviewer []string) {
	t.Helper()
	for _, part := range []string{`{"formation_id":"` + string(f.ID()) + `","member":"coder","launcher":{"pid":`, `"calls":[{"name":"reviewer","token":"mft1.`} {
		if !strings.Contains(coder[0], part) {
			t.Errorf("the coder's first line lacks %s", part)
		}
	}
	if strings.Contains(strings.Join(lead, ""), "reviewer") {
		t.Error("the lead, who calls the coder, was told about the reviewer")
	}
	if !strings.HasSuffix(reviewer[0], `"calls":[]}`) {
		t.Error("the reviewer was given somebody to call")
	}
	for _, check := range []struct{ line, name string }{{coder[1], "reviewer"}, {lead[1], "coder"}} {
		peer, _ := f.Peer(check.name)
		if want := fmt.Sprintf(`{"addresses":[{"name":%q,"url":%q}]}`, peer.Name, peer.URL); check.line != want {
			t.Errorf("the address line is %s, want %s", check.line, want)
		}
	}
}

func TestAFormationIsNotLaunchedFromAMember(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.options.Environ = append(r.options.Environ, "MURMUR_FORMATION_ID=x")
	_, err := formation.Launch(t.Context(), plan(capsule("coder", "await")), r.options)
	var nested *formation.NestedError
	if !errors.As(err, &nested) || nested.Code() != "E-RUN-046" {
		t.Errorf("the error is %v", err)
	}
}
