//go:build unix

package running

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"murlua/lifecycle/credential"
	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/platform/process"
)

func init() {
	// writes its record, answers at its door with its session id, and ends only by being killed.
	roles["capsule"] = func() {
		h, err := home.Resolve(os.Getenv(homeVariable))
		if err != nil {
			panic(err)
		}
		self, err := process.Current()
		if err != nil {
			panic(err)
		}
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		record := ours(self)
		record.SessionID, record.URL = id.Session(os.Getenv("RUNNING_TEST_SESSION")), listener.Addr().String()
		if _, err := Write(h, record); err != nil {
			panic(err)
		}
		fmt.Println("ready")
		for {
			caller, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = caller.Write([]byte(record.SessionID))
			_ = caller.Close()
		}
	}
	// starts a process that ends at once, never waits for it, and goes on.
	roles["neglectful parent"] = func() {
		self, err := os.Executable()
		if err != nil {
			panic(err)
		}
		child, err := os.StartProcess(self, []string{self}, &os.ProcAttr{
			Env:   []string{roleVariable + "=wait"},
			Files: []*os.File{nil, nil, nil},
		})
		if err != nil {
			panic(err)
		}
		fmt.Println("ready")
		fmt.Println(child.Pid)
		_, _ = os.Stdin.Read(make([]byte, 1))
	}
}

// greeting asks the door of the role capsule.
func greeting(ctx context.Context, url string, _ credential.Secret) (string, error) {
	door, err := new(net.Dialer).DialContext(ctx, "tcp", url)
	if err != nil {
		return "", err
	}
	defer door.Close()
	said := make([]byte, 64)
	n, err := door.Read(said)
	return string(said[:n]), err
}

// A capsule that was killed removes nothing. While it lives its record says which process to stop;
// afterwards the record is stale, whatever is left on disk, and the next start is free of it.
func TestWhatAKilledCapsuleLeavesBehind(t *testing.T) {
	h := newHome(t)
	session := id.NewSession()
	environment := []string{homeVariable + "=" + filepath.Dir(h.Path()), "RUNNING_TEST_SESSION=" + string(session)}
	capsule := start(t, "capsule", environment...)
	verifier := Verifier{Probe: greeting}

	record, err := Find(h, string(session))
	if err != nil {
		t.Fatal(err)
	}
	if got := verifier.Verify(t.Context(), record); got.State != Live || record.PID != capsule.pid() || record.StartedAt == "" {
		t.Errorf("while it lives: %+v of %+v", got, record)
	}
	if err := Prune(h, record); !errors.Is(err, ErrNotGone) {
		t.Errorf("while it lives it can be pruned: %v", err)
	}

	if err := capsule.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	capsule.reap()
	// A port that was its door belongs to somebody else by now.
	squatter, err := net.Listen("tcp", record.URL)
	if err == nil {
		defer squatter.Close()
	}
	want := Liveness{Gone, fmt.Sprintf("no process holds pid %d", capsule.pid())}
	if got := verifier.Verify(t.Context(), record); got != want {
		t.Errorf("afterwards: %+v", got)
	}
	if err := Prune(h, record); err != nil || exists(record.Path) {
		t.Errorf("the stale record: %v", err)
	}
	again := start(t, "capsule", environment...)
	if record, err = Find(h, "@1"); err != nil || record.PID != again.pid() {
		t.Errorf("the next start: %+v, %v", record, err)
	}
}

// A record whose process's start is off by one tick, as after its number was handed on.
func TestARecycledNumberIsNeverSignalledAndItsRecordIsStale(t *testing.T) {
	for name, withOrigin := range map[string]bool{"as murmur writes it": false, "as written here": true} {
		t.Run(name, func(t *testing.T) {
			h, stranger := newHome(t), start(t, "wait")
			identity := stranger.identity(t)
			start, err := strconv.ParseUint(identity.Start, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			for _, other := range []uint64{start - 1, start + 1} {
				identity.Start = strconv.FormatUint(other, 10)
				record := plain(identity)
				if withOrigin {
					record = ours(identity)
				}
				record = write(t, h, record)
				reason := fmt.Sprintf("pid %d is held by a process that started at another time", stranger.pid())
				for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
					if got := Signal(record, sig); got != (Outcome{Kind: AlreadyGone, Reason: reason}) {
						t.Errorf("%v: %+v", sig, got)
					}
				}
				if _, err := Find(h, string(record.SessionID)); err == nil || !strings.Contains(err.Error(), reason) {
					t.Errorf("finding it: %v", err)
				}
				if exists(record.Path) {
					t.Error("the stale record stays")
				}
			}
			stranger.runs(t)
		})
	}
}

// A parent that waits for nothing keeps its ended children in the table of processes.
func TestAZombieThatNobodyWaitsForIsGone(t *testing.T) {
	h, parent := newHome(t), start(t, "neglectful parent")
	line, err := parent.stdout.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	ref, err := process.Open(pid)
	if err != nil {
		t.Fatal(err)
	}
	defer ref.Close()
	token, err := process.StartToken(pid)
	if err != nil {
		t.Fatal(err)
	}
	<-ref.Exited()
	if err := syscall.Kill(pid, 0); err != nil {
		t.Fatalf("somebody waited for it: %v", err)
	}
	record := write(t, h, plain(process.Identity{PID: pid, Start: token}))
	reason := fmt.Sprintf("no process holds pid %d", pid)
	if got := (Verifier{}).Verify(t.Context(), record); got != (Liveness{Gone, reason}) {
		t.Errorf("it is %+v", got)
	}
	if got := Signal(record, syscall.SIGTERM); got != (Outcome{Kind: AlreadyGone, Reason: reason}) {
		t.Errorf("stopping it: %+v", got)
	}
	if running, _, err := runningNow(h); err != nil || len(running) != 0 {
		t.Errorf("it is listed: %+v, %v", running, err)
	}
}
