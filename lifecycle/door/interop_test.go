package door_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"murlua/lifecycle/door"
	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/lifecycle/running"
	"murlua/platform/process"
)

// murmur runs the real mur with this test's home, when MURLUA_MUR names it.
type murmur struct{ binary, home string }

func newMurmur(t *testing.T) murmur {
	t.Helper()
	m := murmur{binary: os.Getenv("MURLUA_MUR"), home: t.TempDir()}
	if m.binary == "" {
		t.Skip("MURLUA_MUR does not name a mur binary")
	}
	return m
}

func (m murmur) command(ctx context.Context, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, m.binary, args...)
	command.Env = []string{"HOME=" + m.home, "PATH=" + os.Getenv("PATH")}
	command.WaitDelay = 5 * time.Second
	return command
}

func (m murmur) run(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	out, err := m.command(ctx, args...).CombinedOutput()
	if err != nil {
		t.Errorf("mur %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// open serves a door and writes its record where mur finds it.
func (m murmur) open(t *testing.T, o door.ServerOptions) *door.Server {
	t.Helper()
	o.Name, o.Version, o.Session = "coder", "1.0.0", id.NewSession()
	s := serve(t, o)
	own, err := process.Current()
	if err != nil {
		t.Fatal(err)
	}
	h, err := home.Resolve(m.home)
	if err != nil {
		t.Fatal(err)
	}
	guard, err := running.Write(h, running.Record{
		SessionID: o.Session, URL: s.URL(), PID: own.PID, ProcessStart: own.Start, CapsuleName: o.Name, CapsuleVersion: o.Version,
		Workdir: m.home, RecordsDir: filepath.Join(m.home, "records"), StartedAt: time.Now().UTC().Format(time.RFC3339),
		DoorToken: s.Token(), Credentials: s.Tokens(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = guard.Remove() })
	return s
}

func TestMurFindsReadsAndUsesOurDoors(t *testing.T) {
	for name, auth := range map[string]*door.Auth{"public": nil, "authenticated": {Credentials: map[string][]string{"ci": {"GetTask"}}}} {
		t.Run(name, func(t *testing.T) {
			mur := newMurmur(t)
			s := mur.open(t, door.ServerOptions{Auth: auth, OnTask: func(ctx context.Context, in *door.Incoming) (string, error) {
				if in.Message.Text == "wait" {
					return untilCanceled(ctx, in)
				}
				in.Note("thinking")
				return inPieces(ctx, in)
			}})
			client := door.Client{URL: s.URL(), Token: s.Token()}

			if out := mur.run(t, "ps"); !strings.Contains(out, "running") || !strings.Contains(out, s.URL()) {
				t.Errorf("mur ps:\n%s", out)
			}
			if auth != nil {
				if out := strings.TrimSpace(mur.run(t, "token", "@1")); out != s.Token().Reveal() {
					t.Error("mur token prints another token")
				}
				if out := strings.TrimSpace(mur.run(t, "token", "@1", "--credential", "ci")); out != s.Tokens()["ci"].Reveal() {
					t.Error("mur token --credential prints another token")
				}
			}
			live, err := client.Submit(t.Context(), door.Message{Text: "wait"})
			if err != nil {
				t.Fatal(err)
			}
			if out := mur.run(t, "cancel", "@1", live.ID); !strings.Contains(out, "canceled") {
				t.Errorf("mur cancel:\n%s", out)
			}
			if task, err := client.Task(t.Context(), live.ID); err != nil || task.State != door.Canceled {
				t.Errorf("after mur cancel: %+v, %v", task, err)
			}
			mur.watch(t, func() {
				if _, err := client.Send(t.Context(), door.Message{Text: "x"}); err != nil {
					t.Error(err)
				}
			}, "[working]  thinking", "one two", "[completed]", "one two three")
		})
	}
}

// watch runs mur watch, does something, and expects these lines in this order.
func (m murmur) watch(t *testing.T, do func(), want ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	command := m.command(ctx, "watch", "@1")
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cancel(); _ = command.Wait() }()
	do()
	var seen strings.Builder
	for lines := bufio.NewScanner(out); len(want) > 0 && lines.Scan(); {
		fmt.Fprintln(&seen, lines.Text())
		if strings.Contains(lines.Text(), want[0]) {
			want = want[1:]
		}
	}
	if len(want) > 0 {
		t.Errorf("mur watch does not show %q:\n%s", want, seen.String())
	}
}
