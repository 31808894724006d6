//go:build unix

package stop

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"murlua/lifecycle/claim"
	"murlua/lifecycle/door"
	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/lifecycle/running"
	"murlua/lifecycle/trace"
	"murlua/platform/process"
)

// role makes the test binary behave as a process to be stopped.
const role = "MURLUA_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "":
		goleak.VerifyTestMain(m)
	case "polite":
		wait := make(chan os.Signal, 1)
		signal.Notify(wait, syscall.SIGTERM)
		announce()
		<-wait
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		announce()
		select {}
	}
}

func announce() { _, _ = os.Stdout.WriteString("up\n") }

// start runs the test binary in a role and waits until it is up. The process is reaped as soon as it exits.
func start(t *testing.T, as string) process.Identity {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), role+"="+as)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "up\n" {
		t.Fatalf("the process said %q: %v", line, err)
	}
	identity, err := process.Identify(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		_ = cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-waited
	})
	return identity
}

func testHome(t *testing.T) home.Home {
	t.Helper()
	h, err := home.Resolve(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// record writes the record of a session that the process holds.
func record(t *testing.T, h home.Home, identity process.Identity, change func(*running.Record)) running.Record {
	t.Helper()
	r := running.Record{
		SessionID: id.NewSession(), CapsuleName: "c", CapsuleVersion: "1", Workdir: t.TempDir(), RecordsDir: t.TempDir(),
		StartedAt: "2026-01-01T00:00:00Z",
	}
	r.SetProcess(identity)
	if change != nil {
		change(&r)
	}
	if _, err := running.Write(h, r); err != nil {
		t.Fatal(err)
	}
	return r
}

func left(t *testing.T, h home.Home) int {
	t.Helper()
	records, err := running.List(h)
	if err != nil {
		t.Fatal(err)
	}
	return len(records)
}

func TestTheSignalThatEndedASession(t *testing.T) {
	for name, c := range map[string]struct {
		role  string
		grace time.Duration
		want  Signal
	}{
		"one that obeys":    {"polite", time.Minute, Term},
		"one that does not": {"stubborn", 50 * time.Millisecond, Kill},
		"without grace":     {"polite", 0, Kill},
	} {
		t.Run(name, func(t *testing.T) {
			h := testHome(t)
			r := record(t, h, start(t, c.role), nil)
			report, err := Session(context.Background(), Options{Home: h, Grace: c.grace}, r)
			if err != nil {
				t.Fatal(err)
			}
			if report.Signal != c.want {
				t.Errorf("ended by %s, want %s", report.Signal, c.want)
			}
			if report.Silent != "it has no door" {
				t.Errorf("silent: %q", report.Silent)
			}
			if n := left(t, h); n != 0 {
				t.Errorf("%d records are left", n)
			}
		})
	}
}

// Case: the pid in a record belongs to another process by now.
func TestAStrangerIsNotSignalled(t *testing.T) {
	h := testHome(t)
	stranger := start(t, "polite")
	r := record(t, h, stranger, func(r *running.Record) { r.ProcessStart += "0" })
	report, err := Session(context.Background(), Options{Home: h, Grace: time.Minute}, r)
	if err != nil || report.Signal != NoSignal {
		t.Fatalf("signal %s, error %v", report.Signal, err)
	}
	if state := process.Inspect(stranger); state.Kind != process.Alive {
		t.Errorf("the stranger is %v", state)
	}
	if n := left(t, h); n != 0 {
		t.Errorf("%d stale records are left", n)
	}
}

func TestASessionIsAskedBeforeItIsSignalled(t *testing.T) {
	h := testHome(t)
	session := id.NewSession()
	records := t.TempDir()
	writer, err := trace.Open(records, session)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = writer.Close() }()
	var task string
	begun := make(chan struct{})
	server, err := door.Serve(door.ServerOptions{
		Name: "c", Version: "1", Session: session, Bind: "127.0.0.1",
		OnTask: func(ctx context.Context, in *door.Incoming) (string, error) {
			task = in.ID
			close(begun)
			<-ctx.Done()
			if err := writer.Write(trace.TaskEnd, map[string]any{"task_id": in.ID, "exit_status": "canceled"}); err != nil {
				t.Error(err)
			}
			return "", context.Cause(ctx)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close(context.Background()) }()
	r := record(t, h, start(t, "polite"), func(r *running.Record) {
		r.SessionID, r.URL, r.RecordsDir, r.DoorToken = session, server.URL(), records, server.Token()
	})
	client := &door.Client{URL: server.URL(), Token: server.Token()}
	if _, err := client.Submit(context.Background(), door.Message{Text: "work"}); err != nil {
		t.Fatal(err)
	}
	<-begun
	report, err := Session(context.Background(), Options{Home: h, Grace: time.Minute}, r)
	if err != nil {
		t.Fatal(err)
	}
	want := SessionReport{Session: string(session), Capsule: "c@1", Signal: Term, Canceled: []string{task}, Residue: []string{}}
	if diff := cmp.Diff(want, report); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAFormationIsStoppedThroughItsLauncher(t *testing.T) {
	h := testHome(t)
	frm := id.NewFormation()
	launcher := start(t, "polite")
	held := start(t, "polite") // stands for a member: its launcher's end is simulated below
	member := record(t, h, held, func(r *running.Record) {
		r.FormationID, r.FormationMember, r.FormationLifeline, r.FormationLauncher = frm, "a", true, &launcher
	})
	hand := start(t, "polite")
	record(t, h, hand, func(r *running.Record) { r.FormationID = frm })
	// What a member does when its lifeline closes: it notes the reason in its trace and ends.
	go func() {
		ref, _ := process.OpenIdentity(launcher)
		if ref == nil {
			return
		}
		defer func() { _ = ref.Close() }()
		<-ref.Exited()
		if writer, err := trace.Open(member.RecordsDir, member.SessionID); err == nil {
			_ = writer.Write(trace.FormationEnded, map[string]any{"formation_id": frm})
			_ = writer.Close()
		}
		running.SignalIdentity(held, syscall.SIGKILL)
	}()
	report, err := Formation(context.Background(), Options{Home: h, Grace: time.Minute}, frm)
	if err != nil {
		t.Fatal(err)
	}
	if want := (Launcher{PID: launcher.PID, Signal: Term}); report.Launcher != want {
		t.Errorf("launcher %+v, want %+v", report.Launcher, want)
	}
	endings := map[string]bool{}
	for _, m := range report.Members {
		endings[m.Ending] = true
	}
	if diff := cmp.Diff(map[string]bool{"formation_ended": true, EndedByHand: true}, endings); diff != "" {
		t.Errorf("endings (-want +got):\n%s", diff)
	}
	if len(report.ByHand) != 1 || report.ByHand[0].Signal != Term {
		t.Errorf("by hand: %+v", report.ByHand)
	}
	if n := left(t, h); n != 0 {
		t.Errorf("%d records are left", n)
	}
}

func TestFormationsThatCannotBeStopped(t *testing.T) {
	frm := id.NewFormation()
	none := func(t *testing.T, h home.Home) {}
	stale := func(t *testing.T, h home.Home) {
		record(t, h, process.Identity{PID: os.Getpid(), Start: "1"}, func(r *running.Record) { r.FormationID = frm })
	}
	two := func(t *testing.T, h home.Home) {
		for range 2 {
			other := start(t, "polite")
			record(t, h, start(t, "polite"), func(r *running.Record) {
				r.FormationID, r.FormationLifeline, r.FormationLauncher = frm, true, &other
			})
		}
	}
	for name, c := range map[string]struct {
		prepare func(*testing.T, home.Home)
		want    string
		code    string
	}{
		"unknown":       {none, "no running member of " + string(frm) + " is known", "E-RUN-022"},
		"stale":         {stale, "1 stale records of it were pruned just now", "E-RUN-022"},
		"two launchers": {two, "the members name different launchers", "E-RUN-024"},
	} {
		t.Run(name, func(t *testing.T) {
			h := testHome(t)
			c.prepare(t, h)
			_, err := Formation(context.Background(), Options{Home: h}, frm)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			var coded interface{ Code() string }
			if !errors.As(err, &coded) || coded.Code() != c.code {
				t.Errorf("%v has another code than %s", err, c.code)
			}
		})
	}
}

func TestATraceIsReadPastWhatIsNoEvent(t *testing.T) {
	path := filepath.Join(t.TempDir(), trace.File)
	line, _ := json.Marshal(map[string]string{"event_type": "task_end", "task_id": "tsk_1"})
	text := "not json\n" + string(line) + "\n\x00\xff\n" + `{"event_type":"task_canceled","task_id":"tsk_2","phase":"queued"}` + "\n" + `{"event_type":"task_e`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ended := taskEnds(readTrace(path))
	if !ended("tsk_1") || !ended("tsk_2") || ended("tsk_3") {
		t.Errorf("ended: %v %v %v", ended("tsk_1"), ended("tsk_2"), ended("tsk_3"))
	}
}

// A launcher that has a name can be stopped before any of its members has come up.
func TestAFormationWithANameIsStoppedBeforeItsMembersAreThere(t *testing.T) {
	h := testHome(t)
	launcher := start(t, "polite")
	formation := id.NewFormation()
	dir, err := h.EnsureNames()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(claim.Holder{Name: "dev", Formation: formation, Identity: launcher, Origin: launcher.Origin})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "dev"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	report, err := Formation(t.Context(), Options{Home: h, Grace: time.Minute}, formation)
	if err != nil || report.Launcher != (Launcher{launcher.PID, Term}) || len(report.Members) > 0 {
		t.Errorf("%+v, %v", report, err)
	}
	if _, err := Formation(t.Context(), Options{Home: h}, formation); err == nil {
		t.Error("it was stopped twice")
	}
}
