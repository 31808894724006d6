//go:build unix

package member_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"murlua/lifecycle/credential"
	"murlua/lifecycle/door"
	"murlua/lifecycle/formation"
	"murlua/lifecycle/home"
	"murlua/lifecycle/running"
)

func TestAFormationOfCapsulesFromLaunchToEnd(t *testing.T) {
	w := newWorld(t)
	task := "ask coder ask reviewer echo three"
	w.options.Task = &task
	lead := script("lead", "coder")
	lead.Entry = true
	f := w.launch(script("coder", "reviewer"), script("reviewer"), lead)

	records := w.records()
	if len(records) != 2 {
		t.Fatalf("records: %v", records)
	}
	for _, peer := range f.Peers() {
		record := records[peer.Name]
		if record.SessionID != "" && string(record.SessionID) != peer.Session || "http://"+record.URL != peer.URL || record.PID != peer.PID {
			t.Errorf("%s's record is %+v, the peer %+v", peer.Name, record, peer)
		}
		if record.FormationID != f.ID() || !record.FormationLifeline || record.FormationLauncher == nil || record.FormationLauncher.PID != os.Getpid() {
			t.Errorf("%s's record does not say whose member it is: %+v", peer.Name, record)
		}
		if live := (running.Verifier{Probe: door.Probe}).Verify(t.Context(), record); live.State != running.Live {
			t.Errorf("%s is %v", peer.Name, live)
		}
		if record.DoorToken.Reveal() != peer.Token.Reveal() {
			t.Errorf("%s's token is not that of its record", peer.Name)
		}
	}
	if _, err := f.StartEntry(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ending := w.wait(f); ending.Code() != 0 {
		t.Errorf("the formation ended with %d: %s", ending.Code(), w.entryOutput())
	}
	// Each hop called with its own token: the reviewer saw the coder, not the lead.
	if got := w.entryOutput(); got != "answer: member:coder: three\n" {
		t.Errorf("the entry wrote %q", got)
	}
	if left := w.records(); len(left) != 0 {
		t.Errorf("records are left: %v", left)
	}
	for _, peer := range f.Peers() {
		checkTrace(t, records[peer.Name].RecordsDir, "formation_ended", "formation_ended")
	}
}

// checkTrace checks that the trace has the event and ends with the exit status.
func checkTrace(t *testing.T, records, event, status string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(records, "trace.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	var last map[string]any
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		last = nil
		if err := json.Unmarshal([]byte(line), &last); err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, last["event_type"].(string))
	}
	joined := strings.Join(kinds, " ")
	if !strings.HasPrefix(joined, "session_start") || !strings.HasSuffix(joined, "session_end") || event != "" && !strings.Contains(joined, event) {
		t.Errorf("the trace has %v", kinds)
	}
	if last["exit_status"] != status {
		t.Errorf("the session ended %v, want %s", last["exit_status"], status)
	}
}

func TestTheEntrysTaskDecidesTheStatus(t *testing.T) {
	for _, test := range []struct {
		task string
		code int
		text string
	}{
		{"echo hello", 0, "answer: : hello\n"},
		{"fail no data", 1, "error: no data\n"},
		{"ask coder echo x", 1, `error: cannot call "coder": this member may not call it` + "\n"},
		{"ask nobody echo x", 1, `error: cannot call "nobody": this member may not call it` + "\n"},
		{"panic oh", 1, "error: the task's handler panicked: oh\n"},
	} {
		t.Run(test.task, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.options.Task = &test.task
			lead := script("lead")
			lead.Entry = true
			f := w.launch(script("coder"), lead)
			if _, err := f.StartEntry(t.Context()); err != nil {
				t.Fatal(err)
			}
			ending := w.wait(f)
			if got := w.entryOutput(); ending.Code() != test.code || !strings.HasSuffix(got, test.text) {
				t.Errorf("it ended with %d and wrote %q, want %d and %q", ending.Code(), got, test.code, test.text)
			}
		})
	}
}

func TestAnEntryWithoutATaskTakesOneFromItsDoor(t *testing.T) {
	w := newWorld(t)
	lead := script("lead")
	lead.Entry = true
	f := w.launch(lead)
	if _, err := f.StartEntry(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the entry's record", func() bool { return len(w.records()) == 1 })
	record := w.records()["lead"]
	if !record.FormationEntry {
		t.Error("the record does not say that it is the entry's")
	}
	client := &door.Client{URL: record.URL, Token: record.DoorToken}
	answered, err := client.Send(t.Context(), door.Message{Text: "echo hello"})
	if err != nil || answered.Text() != "operator: hello" {
		t.Errorf("the answer is %q, %v", answered.Text(), err)
	}
	if ending := w.wait(f); ending.Code() != 0 {
		t.Errorf("it ended with %d", ending.Code())
	}
	checkTrace(t, record.RecordsDir, "task_end", "ok")
}

// alone starts a capsule that is in no formation, and returns it with its stdout and stderr.
func alone(t *testing.T, dir string, env ...string) (*exec.Cmd, *log, *log) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "run", "--capsule", "solo", "--capsule-version", "1.0", "--workdir", t.TempDir(), "--json")
	cmd.Env = append(append(os.Environ(), "HOME="+dir), env...)
	stdout, stderr := &log{}, &log{}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd, stdout, stderr
}

func only(t *testing.T, dir string) running.Record {
	t.Helper()
	h, err := home.Resolve(dir)
	if err != nil {
		t.Fatal(err)
	}
	var records []running.Record
	eventually(t, "the capsule's record", func() bool {
		list, err := running.Scan(h.Running())
		records = list.Records
		return err == nil && len(records) == 1
	})
	return records[0]
}

func TestSignalsEndACapsule(t *testing.T) {
	for _, test := range []struct {
		name    string
		task    string
		signals []syscall.Signal
		code    int
		status  string
	}{
		{"idle", "", []syscall.Signal{syscall.SIGTERM}, 0, "ok"},
		{"idle, by interrupt", "", []syscall.Signal{syscall.SIGINT}, 130, "failed"},
		{"with a task", "wait", []syscall.Signal{syscall.SIGTERM}, 1, "canceled"},
		{"with a task that hangs, twice", "hang", []syscall.Signal{syscall.SIGTERM, syscall.SIGTERM}, 143, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cmd, stdout, stderr := alone(t, dir)
			record := only(t, dir)
			if test.task != "" {
				client := &door.Client{URL: record.URL, Token: record.DoorToken}
				go func() { _, _ = client.Send(context.WithoutCancel(t.Context()), door.Message{Text: test.task}) }()
				eventually(t, "the task's start", func() bool { return strings.Contains(stderr.String(), "ing\n") })
			}
			for i, signal := range test.signals {
				if i > 0 {
					// The second is a second one only when the first has been taken.
					eventually(t, "the door's refusal", func() bool {
						client := &door.Client{URL: record.URL, Token: record.DoorToken}
						answered, err := client.Send(t.Context(), door.Message{Text: "echo"})
						return err != nil || answered.State != "completed"
					})
				}
				if err := cmd.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
			}
			var exit *exec.ExitError
			err := cmd.Wait()
			code := 0
			if errors.As(err, &exit) {
				code = exit.ExitCode()
			}
			if code != test.code {
				t.Errorf("it exited %d, want %d: %s", code, test.code, stderr.String())
			}
			if test.status != "" {
				checkTrace(t, record.RecordsDir, "", test.status)
				if _, err := os.Stat(filepath.Join(dir, ".murmur", "running", string(record.SessionID)+".json")); err == nil {
					t.Error("its record is left")
				}
			}
			checkReport(t, stdout.String(), record)
		})
	}
}

// checkReport checks that standard output is the readiness line and nothing else, with its keys in order and no token.
func checkReport(t *testing.T, stdout string, record running.Record) {
	t.Helper()
	want := fmt.Sprintf(`{"auth":"bearer","name":"solo","pid":%d,"records_dir":%q,"session_id":%q,"url":%q,"version":"1.0","workdir":%q}`+"\n",
		record.PID, record.RecordsDir, record.SessionID, record.URL, record.Workdir)
	if diff := cmp.Diff(want, stdout); diff != "" {
		t.Error(diff)
	}
}

func TestStartRefuses(t *testing.T) {
	authority, err := credential.NewAuthority("frm_0199c4e2f1b7712a9d3e4f5061728394")
	if err != nil {
		t.Fatal(err)
	}
	first := string(authority.Bundle("coder").Render())
	const id = "MURMUR_FORMATION_ID=frm_0199c4e2f1b7712a9d3e4f5061728394"
	for _, test := range []struct {
		name  string
		env   []string
		file  string // becomes descriptor 3
		wants []string
	}{
		{"a malformed formation id", []string{"MURMUR_FORMATION_ID=frm_SECRET"}, "", []string{"error[E-RUN-044]", "32 hex digits"}},
		{"peers in the environment", []string{"MURMUR_FORMATION_PEERS=a=b"}, "", []string{"error[E-RUN-046]", "MURMUR_FORMATION_PEERS"}},
		{"a channel and no formation", []string{"MURMUR_FORMATION_CHANNEL=3"}, first, []string{"error[E-RUN-046]", "without MURMUR_FORMATION_ID"}},
		{"a channel with a space", []string{id, "MURMUR_FORMATION_CHANNEL= 3"}, first, []string{"error[E-RUN-046]", "decimal"}},
		{"a channel that is a stream", []string{id, "MURMUR_FORMATION_CHANNEL=1"}, "", []string{"error[E-RUN-046]", "standard stream"}},
		{"a channel that is closed", []string{id, "MURMUR_FORMATION_CHANNEL=77"}, "", []string{"error[E-RUN-046]", "not open"}},
		{"an empty channel", []string{id, "MURMUR_FORMATION_CHANNEL=3"}, " ", []string{"error[E-RUN-046]", "ended before its first line"}},
		{
			"a channel that ends in its line",
			[]string{id, "MURMUR_FORMATION_CHANNEL=3"},
			strings.TrimSpace(first),
			[]string{"error[E-RUN-046]", "ended before its first line"},
		},
		{"garbage on the channel", []string{id, "MURMUR_FORMATION_CHANNEL=3"}, "mft1.SECRET\n", []string{"error[E-RUN-046]", "not JSON"}},
		{
			"another formation's channel",
			[]string{"MURMUR_FORMATION_ID=frm_00000000000000000000000000000000", "MURMUR_FORMATION_CHANNEL=3"},
			first,
			[]string{"error[E-RUN-046]", "formation_id"},
		},
		{"a lifeline that is a file", []string{id, "MURMUR_FORMATION_LIFELINE=3"}, "x", []string{"error[E-RUN-046]", "a regular file"}},
		{"a spawner's lifeline that is a file", []string{"MURMUR_SPAWNER_LIFELINE=3"}, "x", []string{"error[E-RUN-046]", "a regular file"}},
		{"a spawner that is garbage", []string{"MURMUR_SPAWNER=SECRET"}, "", []string{"error[E-RUN-046]", "MURMUR_SPAWNER"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cmd := exec.Command(os.Args[0], "run", "--capsule", "solo", "--capsule-version", "1.0", "--workdir", dir, "--json")
			cmd.Env = append(append(os.Environ(), "HOME="+dir), test.env...)
			if test.file != "" {
				path := filepath.Join(t.TempDir(), "handed")
				if err := os.WriteFile(path, []byte(strings.TrimPrefix(test.file, " ")), 0o600); err != nil {
					t.Fatal(err)
				}
				file, err := os.Open(path)
				if err != nil {
					t.Fatal(err)
				}
				defer file.Close()
				cmd.ExtraFiles = []*os.File{file}
			}
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 1 {
				t.Errorf("it ended with %v", err)
			}
			for _, want := range test.wants {
				if !strings.Contains(string(out), want) {
					t.Errorf("it wrote %q, without %q", out, want)
				}
			}
			if strings.Contains(string(out), "SECRET") {
				t.Errorf("the refusal repeats what it was given: %q", out)
			}
			if _, err := os.Stat(filepath.Join(dir, ".murmur")); err == nil {
				t.Error("a refused start made a directory")
			}
		})
	}
}

func TestAMemberWithoutALifelineWarnsOnce(t *testing.T) {
	dir := t.TempDir()
	cmd, _, stderr := alone(t, dir, "MURMUR_FORMATION_ID=frm_0199c4e2f1b7712a9d3e4f5061728394")
	only(t, dir)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if n := strings.Count(stderr.String(), "warning[W-RUN-007]"); n != 1 {
		t.Errorf("it warned %d times: %s", n, stderr.String())
	}
}

// A capsule that was started again is another session at another address: those that call it are told, and it is told where those are
// that it calls.
func TestCallersFollowAMemberThatWasStartedAgain(t *testing.T) {
	w := newWorld(t)
	task := "ask caller ask coder echo hello"
	w.options.Task = &task
	coder, caller, lead := script("coder"), script("caller", "coder"), script("lead", "caller")
	coder.OnExit, caller.OnExit = formation.Backoff(time.Millisecond, time.Second), formation.Backoff(time.Millisecond, time.Second)
	lead.Entry = true
	f := w.launch(coder, caller, lead)
	// The caller keeps its old process and hears of the coder's new address; then it is a new process itself.
	for _, name := range []string{"coder", "caller"} {
		before, _ := f.Peer(name)
		if err := syscall.Kill(before.PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the second start", func() bool {
			now, _ := f.Peer(name)
			return now.PID != before.PID && now.URL != before.URL && now.Session != before.Session
		})
		peer, _ := f.Peer("caller")
		client := &door.Client{URL: peer.URL, Token: peer.Token}
		answered, err := client.Send(t.Context(), door.Message{Text: "ask coder echo " + name})
		if err != nil || answered.Text() != "member:caller: "+name {
			t.Errorf("after the restart of the %s its caller answers %q, %v", name, answered.Text(), err)
		}
	}
	if _, err := f.StartEntry(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ending := w.wait(f); ending.Code() != 0 {
		t.Errorf("the formation ended with %d", ending.Code())
	}
	if got := w.entryOutput(); got != "answer: member:caller: hello\n" {
		t.Errorf("the entry wrote %q", got)
	}
	if left := w.records(); len(left) != 0 {
		t.Errorf("records are left: %v", left)
	}
}

// A capsule that starts after others can call them before all are ready.
func TestAMemberMayCallThoseItStartsAfterWhileItStarts(t *testing.T) {
	w := newWorld(t)
	second := script("second", "first")
	second.After = []string{"first"}
	second.Ready = func(ctx context.Context, probe *formation.Probe) error {
		record := w.records()["second"]
		client := &door.Client{URL: record.URL, Token: record.DoorToken}
		answered, err := client.Send(ctx, door.Message{Text: "ask first echo early"})
		if err == nil && answered.Text() != "member:second: early" {
			err = errors.New(answered.Text())
		}
		return err
	}
	w.launch(script("first"), second)
}
