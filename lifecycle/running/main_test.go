package running

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/platform/process"
)

// The test binary is also the processes that the tests look at.
const (
	roleVariable = "RUNNING_TEST_ROLE"
	homeVariable = "RUNNING_TEST_HOME"
)

var roles = map[string]func(){
	// waits until its standard input ends.
	"wait": func() { fmt.Println("ready"); _, _ = io.Copy(io.Discard, os.Stdin) },
}

// The first goroutine stays on the first thread, for the role whose first thread ends.
func init() { runtime.LockOSThread() }

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		roles[role]()
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// child is one process of a role, ended and waited for with the test.
type child struct {
	*exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	waited bool
}

func start(t testing.TB, role string, environment ...string) *child {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(append(os.Environ(), roleVariable+"="+role), environment...)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &child{Cmd: cmd, stdin: stdin, stdout: bufio.NewReader(stdout)}
	t.Cleanup(func() { _ = stdin.Close(); _ = cmd.Process.Kill(); c.reap() })
	if line, err := c.stdout.ReadString('\n'); line != "ready\n" {
		t.Fatalf("child said %q, %v", line, err)
	}
	return c
}

func (c *child) pid() int { return c.Process.Pid }

func (c *child) reap() {
	if !c.waited {
		_ = c.Wait()
		c.waited = true
	}
}

func (c *child) identity(t testing.TB) process.Identity {
	t.Helper()
	identity, err := process.Identify(c.pid())
	if err != nil {
		t.Fatal(err)
	}
	return identity
}

// runs fails the test when the child does not run any more.
func (c *child) runs(t testing.TB) {
	t.Helper()
	if state := process.Inspect(c.identity(t)); state.Kind != process.Alive {
		t.Errorf("the process does not run: %+v", state)
	}
}

// ends waits for the end of the child, without reaping it.
func (c *child) ends(t testing.TB) {
	t.Helper()
	ref, err := process.Open(c.pid())
	if err != nil {
		return
	}
	defer ref.Close()
	select {
	case <-ref.Exited():
	case <-time.After(20 * time.Second):
		t.Fatal("the process has not ended")
	}
}

func newHome(t testing.TB) home.Home {
	t.Helper()
	h, err := home.Resolve(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func current(t testing.TB) process.Identity {
	t.Helper()
	identity, err := process.Current()
	if err != nil {
		t.Fatal(err)
	}
	return identity
}

// plain is a record of the identity with what every record has, as murmur would write it.
func plain(identity process.Identity) Record {
	return Record{
		SessionID: id.NewSession(), URL: "localhost:1", PID: identity.PID, ProcessStart: identity.Start,
		CapsuleName: "demo", CapsuleVersion: "0.1.0", Workdir: "/tmp/demo", RecordsDir: "/tmp/records",
		OutlivesLauncher: true, StartedAt: "2026-01-01T00:00:00Z",
	}
}

// ours is plain with the facts that this program adds.
func ours(identity process.Identity) Record {
	record := plain(identity)
	record.Origin = identity.Origin
	return record
}

func write(t testing.TB, h home.Home, record Record) Record {
	t.Helper()
	if _, err := Write(h, record); err != nil {
		t.Fatal(err)
	}
	record.Path = Location(h, record.SessionID)
	return record
}

// put puts a file into the directory of records.
func put(t testing.TB, h home.Home, name, text string) string {
	t.Helper()
	dir, err := h.EnsureRunning()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func exists(path string) bool { _, err := os.Lstat(path); return err == nil }

// require skips when what the test needs is not there, and fails when MURLUA_REQUIRE names it.
func require(t testing.TB, what string, there bool, why string) {
	t.Helper()
	if there {
		return
	}
	for _, name := range strings.Split(os.Getenv("MURLUA_REQUIRE"), ",") {
		if name == what {
			t.Fatalf("%s is required here: %s", what, why)
		}
	}
	t.Skip(why)
}
