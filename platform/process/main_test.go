package process

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The test binary is also the processes that the tests look at.
const roleVariable = "PROCESS_TEST_ROLE"

var roles = map[string]func(){
	// waits until its standard input ends.
	"wait": func() { say(""); _, _ = io.Copy(io.Discard, os.Stdin) },
	"exit": func() {},
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

func say(text string) { fmt.Println("ready", text) }

// child is one process of a role, ended and waited for with the test.
type child struct {
	*exec.Cmd
	stdin io.WriteCloser
	// answer is what it said when it was ready.
	answer string
	waited bool
}

// start starts a role that says when it is ready.
func start(t testing.TB, role string, arguments ...string) *child {
	t.Helper()
	c := spawn(t, role, arguments...)
	c.ready(t)
	return c
}

func (c *child) ready(t testing.TB) {
	t.Helper()
	line, err := bufio.NewReader(c.Stdout.(*pipeHolder).read).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "ready") {
		t.Fatalf("child said %q, %v", line, err)
	}
	c.answer = strings.TrimSpace(strings.TrimPrefix(line, "ready"))
}

// pipeHolder passes the child a pipe of our own, so that waiting for the child does not wait for the
// pipe's end.
type pipeHolder struct{ read, write *os.File }

func (p *pipeHolder) Write(b []byte) (int, error) { return p.write.Write(b) }

func spawn(t testing.TB, role string, arguments ...string) *child {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, arguments...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = write
	c := &child{Cmd: cmd, stdin: stdin}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	cmd.Stdout = &pipeHolder{read: read}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Process.Kill()
		c.reap()
		_ = read.Close()
	})
	return c
}

func itoa(n int) string { return strconv.Itoa(n) }

func (c *child) pid() int { return c.Process.Pid }

func (c *child) reap() {
	if !c.waited {
		_ = c.Wait()
		c.waited = true
	}
}

// until waits for a condition that nothing announces.
func until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("still not: %s", what)
		}
	}
}

func within(t testing.TB, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatalf("still not: %s", what)
	}
}

func identifyChild(t testing.TB, c *child) Identity {
	t.Helper()
	id, err := Identify(c.pid())
	if err != nil {
		t.Fatal(err)
	}
	return id
}

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
