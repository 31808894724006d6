//go:build linux

package interop_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// livenessBound is how long something may take that has to happen; murmur compiles a component at its first use.
const livenessBound = 2 * time.Minute

// room is a user's home and a project in it.
type room struct {
	t             *testing.T
	home, project string
}

// newRoom skips the test where there is no mur. When the test is over nothing that it started may be left.
func newRoom(t *testing.T) *room {
	t.Helper()
	if mur == "" {
		t.Skip("MURLUA_MUR does not name the mur to run with; docs/murmur.md says how to get one")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &room{t: t, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "project")}
	for _, path := range []string{r.home, r.project} {
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(r.nothingIsLeft)
	return r
}

// nothingIsLeft waits until this process has no children any more: orphans come to it too.
func (r *room) nothingIsLeft() {
	deadline := time.Now().Add(livenessBound)
	for {
		switch pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); {
		case errors.Is(err, syscall.ECHILD):
			left, _ := filepath.Glob(filepath.Join(r.home, ".murmur", "running", "*.json"))
			if len(left) > 0 {
				r.t.Errorf("records are left: %v", left)
			}
			return
		case err == nil && pid == 0 && time.Now().After(deadline):
			out, _ := exec.Command("ps", "-o", "pid,args", "--ppid", fmt.Sprint(os.Getpid())).CombinedOutput()
			r.t.Fatalf("processes are left:\n%s", out)
		case err == nil && pid == 0:
			time.Sleep(5 * time.Millisecond)
		}
	}
}

func (r *room) write(name, text string) string {
	r.t.Helper()
	path := filepath.Join(r.project, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
	return path
}

// environ has mur on PATH and nothing of whoever runs the tests that either program would listen to.
func (r *room) environ(more ...string) []string {
	environ := []string{"HOME=" + r.home, "PATH=" + filepath.Dir(mur) + ":/usr/local/bin:/usr/bin:/bin"}
	return append(environ, more...)
}

// result is what a command said.
type result struct {
	stdout, stderr string
	code           int
}

func (r *room) run(program string, args ...string) result {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), livenessBound)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = r.project, r.environ(), &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		r.t.Fatalf("%s %v: %v", program, args, err)
	}
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// ok runs a command that has to succeed and returns what it printed.
func (r *room) ok(program string, args ...string) string {
	r.t.Helper()
	got := r.run(program, args...)
	if got.code != 0 {
		r.t.Fatalf("%s %v ended with %d:\n%s%s", filepath.Base(program), args, got.code, got.stdout, got.stderr)
	}
	return got.stdout
}

// build packs the files as mur does and installs them for the user.
func (r *room) build(name string, files map[string]string) {
	r.t.Helper()
	for file, text := range files {
		r.write(filepath.Join("build", name, file), text)
	}
	folder := filepath.Join(r.project, "build", name)
	packed := filepath.Join(folder, name+".mur.zip")
	r.ok(mur, "build", folder, "--output", packed)
	r.ok(mur, "publish", packed)
}

// luaCapsule installs a capsule written in Lua. The body is that of its on_task.
func (r *room) luaCapsule(name, body string) {
	r.t.Helper()
	r.build(name, map[string]string{"murmur.yaml": luaManifest(name), "capsule.lua": script(name, body)})
}

func luaManifest(name string) string {
	return "name: " + name + `
version: 1.0.0
runtime: capsule
execution: static
requires_files: [capsule.lua]
exports: {peer_tasks: {accept: true}}
network: {authentication: {scheme: bearer}}
`
}

func script(name, body string) string {
	return fmt.Sprintf("local mur = require 'mur'\nreturn mur.capsule { name = %q, version = '1.0.0', on_task = function(task)\n%s\nend }\n", name, body)
}

// murmurManifest describes an agent capsule of murmur whose harness is this test binary.
func (r *room) murmurManifest(name string) string {
	r.t.Helper()
	r.driver()
	bin := filepath.Join(r.project, "bin", harnessName)
	if _, err := os.Stat(bin); err != nil {
		self, err := os.ReadFile("/proc/self/exe")
		if err != nil {
			r.t.Fatal(err)
		}
		r.write("bin/"+harnessName, string(self))
		if err := os.Chmod(bin, 0o700); err != nil {
			r.t.Fatal(err)
		}
	}
	return fmt.Sprintf(`name: %s
version: 1.0.0
runtime: capsule
execution: static
artifacts:
  - {name: local/line-driver, version: 0.1.0, runtime: driver}
lifecycle: {task_acceptance: queue, after_task: sleep}
exports: {peer_tasks: {accept: true}}
capabilities: {network: {allow: [localhost]}}
inference:
  transport: process
  command: %s
  driver: {artifact: local/line-driver}
network: {authentication: {scheme: bearer}}
`, name, bin)
}

// murmurCapsule installs such a capsule.
func (r *room) murmurCapsule(name string) {
	r.t.Helper()
	r.build(name, map[string]string{"murmur.yaml": r.murmurManifest(name)})
}

// driver installs the driver once.
func (r *room) driver() {
	r.t.Helper()
	if _, err := os.Stat(filepath.Join(r.project, "build", "line-driver")); err == nil {
		return
	}
	component, err := os.ReadFile("testdata/driver.wasm")
	if err != nil {
		r.t.Fatal(err)
	}
	r.build("line-driver", map[string]string{
		"murmur.yaml": "name: line-driver\nversion: 0.1.0\nruntime: driver\nrequires_files: [tool.wasm]\n",
		"tool.wasm":   string(component),
	})
}

// process is a command that goes on while the test does.
type process struct {
	r      *room
	cmd    *exec.Cmd
	lines  chan string // of its standard output; closed at its end
	stderr *log
	exited chan struct{}
}

// log is a stream that a test looks into while it grows.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(data)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// start starts a command, which is ended with the test if it has not ended before.
func (r *room) start(environ []string, program string, args ...string) *process {
	r.t.Helper()
	p := &process{r: r, cmd: exec.Command(program, args...), lines: make(chan string, 64), stderr: &log{}, exited: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env, p.cmd.Stderr = r.project, r.environ(environ...), p.stderr
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	go func() {
		defer close(p.exited)
		p.read(stdout)
		_ = p.cmd.Wait()
	}()
	r.t.Cleanup(func() {
		select {
		case <-p.exited:
			return
		default:
		}
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		p.wait()
	})
	return p
}

func (p *process) read(stdout io.Reader) {
	defer close(p.lines)
	for scanner := bufio.NewScanner(stdout); scanner.Scan(); {
		p.lines <- scanner.Text()
	}
}

// line returns the next line of standard output.
func (p *process) line() string {
	p.r.t.Helper()
	select {
	case line, more := <-p.lines:
		if more {
			return line
		}
		p.r.t.Fatalf("%v ended without another line:\n%s", p.cmd.Args, p.stderr)
	case <-time.After(livenessBound):
		p.r.t.Fatalf("%v prints no line:\n%s", p.cmd.Args, p.stderr)
	}
	return ""
}

// object returns the next line as a JSON object.
func (p *process) object() map[string]any {
	p.r.t.Helper()
	line := p.line()
	var object map[string]any
	if err := json.Unmarshal([]byte(line), &object); err != nil {
		p.r.t.Fatalf("%v prints %q: %v", p.cmd.Args, line, err)
	}
	return object
}

// wait returns the exit code.
func (p *process) wait() int {
	p.r.t.Helper()
	select {
	case <-p.exited:
	case <-time.After(livenessBound):
		p.r.t.Errorf("%v does not end:\n%s", p.cmd.Args, p.stderr)
		_ = p.cmd.Process.Kill()
		<-p.exited
	}
	return p.cmd.ProcessState.ExitCode()
}

// listed returns what a session is listed as, by mur and by this program.
func (r *room) listed(session string) (theirs, ours string) {
	r.t.Helper()
	for line := range strings.Lines(r.ok(mur, "ps")) {
		if strings.HasPrefix(line, session) {
			theirs = strings.TrimSpace(line)
		}
	}
	var records []struct {
		Session string `json:"session_id"`
		State   string `json:"state"`
	}
	if err := json.Unmarshal([]byte(r.ok(murlua, "ps", "--json")), &records); err != nil {
		r.t.Fatal(err)
	}
	for _, record := range records {
		if record.Session == session {
			ours = record.State
		}
	}
	return theirs, ours
}

func mustContain(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in:\n%s", part, text)
		}
	}
}

func text(value any) string {
	s, _ := value.(string)
	return s
}
