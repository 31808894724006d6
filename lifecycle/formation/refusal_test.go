//go:build unix

package formation_test

import (
	"context"
	"errors"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"murlua/lifecycle/formation"
)

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
