//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// seat is a person in front of a terminal in which the command runs.
type seat struct {
	t        *testing.T
	cmd      *exec.Cmd
	terminal *os.File // the end that the person has
	line     *os.File // the command's end, kept open to look at its mode
	before   unix.Termios

	mu     sync.Mutex
	output bytes.Buffer
	seen   int // how far expect has read
	read   chan struct{}
}

func sit(t *testing.T, environ []string, args ...string) *seat {
	t.Helper()
	s := &seat{t: t, cmd: exec.Command(testBinary(t), args...), read: make(chan struct{})}
	s.cmd.Env = append(append(os.Environ(), asCommand+"=1", "HOME="+t.TempDir(), "TERM=xterm"), environ...)
	s.cmd.Dir = t.TempDir()
	var err error
	if s.terminal, s.line, err = pty.Open(); err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(s.terminal, &pty.Winsize{Rows: 24, Cols: 120}); err != nil {
		t.Fatal(err)
	}
	s.before = s.mode()
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = s.line, s.line, s.line
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(s.read)
		buffer := make([]byte, 4096)
		for {
			n, err := s.terminal.Read(buffer)
			s.mu.Lock()
			s.output.Write(buffer[:n])
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		if s.cmd.ProcessState == nil {
			_ = s.cmd.Process.Kill()
			_ = s.cmd.Wait()
		}
		s.line.Close()
		s.terminal.Close()
		<-s.read
	})
	return s
}

func (s *seat) mode() unix.Termios {
	s.t.Helper()
	mode, err := unix.IoctlGetTermios(int(s.line.Fd()), getTermios)
	if err != nil {
		s.t.Fatal(err)
	}
	return *mode
}

func (s *seat) typing(text string) {
	s.t.Helper()
	if _, err := s.terminal.WriteString(text); err != nil {
		s.t.Fatal(err)
	}
}

// expect waits until the text is shown, after what was expected last.
func (s *seat) expect(text string) {
	s.t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for {
		s.mu.Lock()
		shown := s.output.String()[s.seen:]
		if i := strings.Index(shown, text); i >= 0 {
			s.seen += i + len(text)
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		if time.Now().After(deadline) {
			s.t.Fatalf("waited for %q, and there was only %q", text, shown)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// send types a line at the prompt and waits for what is shown because of it, and for the next prompt.
func (s *seat) send(line, shown string) {
	s.t.Helper()
	s.typing(line + "\r")
	s.expect(line + "\r\n")
	s.expect(shown)
	s.prompt()
}

// prompt waits until a prompt is the last thing shown: what is shown before may look like one.
func (s *seat) prompt() {
	s.t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for {
		s.mu.Lock()
		shown := s.output.String()
		if strings.HasSuffix(shown, "> ") {
			s.seen = len(shown)
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		if time.Now().After(deadline) {
			s.t.Fatalf("waited for a prompt, and there was only %q", shown[s.seen:])
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// leave waits for the end and checks the status, and that the terminal is as it was found.
func (s *seat) leave(code int) {
	s.t.Helper()
	done := make(chan error, 1)
	go func() { done <- s.cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		s.t.Fatalf("does not leave; shown last: %q", s.output.String()[s.seen:])
	}
	if got := exitCodeOf(s.cmd.ProcessState); got != code {
		s.t.Errorf("left with %d, want %d", got, code)
	}
	if after := s.mode(); after != s.before {
		s.t.Errorf("the terminal is left as %+v, it was %+v", after, s.before)
	}
}

func TestTheREPLInATerminal(t *testing.T) {
	if testing.Short() {
		t.Skip("it types as soon as a prompt is shown, which is too soon for a binary slowed down by the race detector; it runs in the full tests")
	}
	s := sit(t, nil, "repl")
	s.expect("murlua " + buildVersion().Version + "; `:help` lists the commands, ^D leaves\r\n")
	s.expect("> ")
	s.send("1 + 1", "2\r\n")
	s.send("local peers = { 'a', 'b' }", "")
	s.send("peers", `{ "a", "b" }`)
	s.typing("for i = 1, 2 do\r")
	s.expect(">> ")
	s.typing("print('line ' .. i)\r")
	s.expect(">> ")
	s.send("end", "line 1\r\nline 2\r\n")
	s.typing("x = {\r")
	s.expect(">> ")
	s.typing("\x03")
	s.expect("> ")
	s.send("x", "nil\r\n")
	s.typing("mur.fs.rea\t")
	s.expect("mur.fs.read")
	s.typing("\x03")
	s.expect("> ")
	s.typing("while true do end\r")
	s.expect("while true do end\r\n")
	s.typing("\x03")
	s.expect("interrupted\r\n")
	s.expect("> ")
	s.send("mur.sleep(0)", "")
	s.typing("mur.sleep(600)\r")
	s.expect("mur.sleep(600)\r\n")
	s.typing("\x03")
	s.expect("interrupted\r\n")
	s.expect("> ")
	s.send("error('wrong')", "wrong\r\n")
	s.typing("\x1b[A\x1b[A\x1b[A\x1b[A") // back to an earlier line
	s.expect("while true do end")
	s.typing("\x03")
	s.expect("> ")
	s.send("help('mur.sleep')", "mur.sleep(")
	s.send("ps()", "no running capsules")
	s.typing("\x04")
	s.leave(0)
}

func TestTheREPLRestoresTheTerminal(t *testing.T) {
	t.Run("after os.exit", func(t *testing.T) {
		s := sit(t, nil, "repl")
		s.expect("> ")
		s.typing("os.exit(3)\r")
		s.leave(3)
	})
	t.Run("after SIGTERM at the prompt", func(t *testing.T) {
		s := sit(t, nil, "repl")
		s.expect("> ")
		s.typing("half a line")
		s.expect("half a line")
		_ = s.cmd.Process.Signal(syscall.SIGTERM)
		s.expect("stopped by SIGTERM")
		s.leave(143)
	})
	t.Run("after SIGHUP while something runs", func(t *testing.T) {
		s := sit(t, nil, "repl")
		s.expect("> ")
		s.typing("print('on') mur.sleep(600)\r")
		s.expect("on\r\n")
		_ = s.cmd.Process.Signal(syscall.SIGHUP)
		s.leave(129)
	})
	t.Run("after a panic", func(t *testing.T) {
		s := sit(t, []string{asCommand + "=panic at the prompt"})
		s.expect("> ")
		s.typing("x\t")
		s.expect("panic: a defect")
		s.leave(2)
	})
	t.Run("while something runs it is as it was", func(t *testing.T) {
		s := sit(t, nil, "repl")
		s.expect("> ")
		s.typing("print('on') mur.sleep(600)\r")
		s.expect("on\r\n")
		if mode := s.mode(); mode != s.before {
			t.Errorf("a script has the terminal as %+v, it was %+v", mode, s.before)
		}
		s.typing("\x03")
		s.expect("> ")
		s.typing("\x04")
		s.leave(0)
	})
}

func TestTheREPLInADumbTerminal(t *testing.T) {
	s := sit(t, []string{"TERM=dumb"}, "repl")
	s.expect("> ")
	s.send("1 + 1", "2\r\n")
	s.typing("x = {\r")
	s.expect(">> ")
	s.typing("\x03")
	s.expect("> ")
	s.send("x", "nil\r\n")
	s.typing("\x04")
	s.leave(0)
	if strings.Contains(s.output.String(), "\x1b") {
		t.Errorf("it was sent escape codes: %q", s.output.String())
	}
}

func TestTheREPLKeepsItsHistory(t *testing.T) {
	state := t.TempDir()
	file := filepath.Join(state, "murlua", "history")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	// A line that the editor would choke on is left out, and nothing after it is lost.
	if err := os.WriteFile(file, []byte(strings.Repeat("x", 5000)+"\n'from before'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := sit(t, []string{"XDG_STATE_HOME=" + state}, "repl")
	s.expect("> ")
	s.typing("\x1b[A\r")
	s.expect(`"from before"`)
	s.expect("> ")
	s.send("'from now'", "from now")
	s.typing("do\r")
	s.expect(">> ")
	s.send("end", "")
	s.typing("\x04")
	s.leave(0)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(string(text), "'from before'\n'from before'\n'from now'\ndo end\n") {
		t.Errorf("the history ends with %q", text[max(0, len(text)-80):])
	}
}

func TestTheREPLLooksAfterFormations(t *testing.T) {
	home := t.TempDir()
	s := sit(t, []string{"HOME=" + home}, "repl")
	script := filepath.Join(s.cmd.Dir, "one.lua")
	if err := os.WriteFile(script, []byte(aCapsule), 0o600); err != nil {
		t.Fatal(err)
	}
	s.expect("> ")
	s.send("f = mur.formation.launch { members = { { name = 'one', script = 'one.lua' } } }", "-- one: ")
	s.send("#mur.running.list()", "1\r\n")
	s.send("help(f)", "mur.Formation")
	s.send("help('formation')", "Starts groups of processes")
	s.send("help('run')", "murlua run RECIPE.lua")
	s.send("help('test')", "The command of that name: murlua help test")
	s.typing("\x04")
	s.expect("leave and stop frm_")
	s.typing("n\r")
	s.expect("> ")
	s.send("#mur.running.list()", "1\r\n")
	s.typing(":quit\r")
	s.expect("leave and stop frm_")
	s.typing("y\r")
	s.leave(0)
	if left := processesWith(t, "HOME="+home); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestSIGTERMOfTheREPLStopsFormations(t *testing.T) {
	home := t.TempDir()
	s := sit(t, []string{"HOME=" + home}, "repl")
	script := filepath.Join(s.cmd.Dir, "one.lua")
	if err := os.WriteFile(script, []byte(aCapsule), 0o600); err != nil {
		t.Fatal(err)
	}
	s.expect("> ")
	s.send("f = mur.formation.launch { members = { { name = 'one', script = 'one.lua' } } }", "-- one: ")
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	s.leave(143)
	if left := processesWith(t, "HOME="+home); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
