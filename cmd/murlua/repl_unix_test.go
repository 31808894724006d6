//go:build unix

package main

import (
	"bytes"
	"fmt"
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
	dumb     bool // no line is edited in it

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

// shown is all that the terminal has shown.
func (s *seat) shown() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.output.String()
}

// expect waits until the text is shown, after what was expected last.
func (s *seat) expect(text string) {
	s.t.Helper()
	at, shown := -1, ""
	isShown := func() bool {
		shown = s.shown()[s.seen:]
		at = strings.Index(shown, text)
		return at >= 0
	}
	s.until(isShown, func() string { return fmt.Sprintf("%q; there was only %q", text, shown) })
	s.seen += at + len(text)
}

// send types a line at the prompt and waits for what is shown because of it, and for the next prompt.
func (s *seat) send(line, shown string) {
	s.t.Helper()
	s.typing(line + "\r")
	s.expect(line + "\r\n")
	s.expect(shown)
	s.prompt()
}

// prompt waits until a prompt is the last thing shown, and is open: what is shown before may look like one.
func (s *seat) prompt() {
	s.t.Helper()
	shown := ""
	isOpen := func() bool {
		shown = s.shown()
		return strings.HasSuffix(shown, "> ") && s.isEdited() != s.dumb
	}
	s.until(isOpen, func() string { return fmt.Sprintf("a prompt; there was only %q", shown[s.seen:]) })
	s.seen = len(shown)
}

// isEdited says whether the terminal is with the editor of lines, which takes every key.
func (s *seat) isEdited() bool {
	s.t.Helper()
	return s.mode().Lflag&(unix.ICANON|unix.ISIG|unix.ECHO) == 0
}

func (s *seat) until(holds func() bool, what func() string) {
	s.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("waited for %s", what())
		}
	}
}

// drop presses ^C at a prompt.
func (s *seat) drop() {
	s.t.Helper()
	s.typing("\x03")
	s.expect("^C\r\n")
	s.prompt()
}

// interrupt presses ^C while something runs: not before the terminal has been given back to it.
func (s *seat) interrupt() {
	s.t.Helper()
	s.until(func() bool { return s.mode() == s.before }, func() string { return "the terminal as it was found" })
	s.typing("\x03")
	s.expect("interrupted\r\n")
	s.prompt()
}

// leave waits for the end and checks the status, and that the terminal is as it was found.
func (s *seat) leave(code int) {
	s.t.Helper()
	done := make(chan error, 1)
	go func() { done <- s.cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		s.t.Fatalf("does not leave; shown last: %q", s.shown()[s.seen:])
	}
	if got := exitCodeOf(s.cmd.ProcessState); got != code {
		s.t.Errorf("left with %d, want %d", got, code)
	}
	if after := s.mode(); after != s.before {
		s.t.Errorf("the terminal is left as %+v, it was %+v", after, s.before)
	}
}

func TestTheREPLInATerminal(t *testing.T) {
	s := sit(t, nil, "repl")
	s.expect("murlua " + buildVersion().Version + "; `:help` lists the commands, ^D leaves\r\n")
	s.prompt()
	s.send("1 + 1", "2\r\n")
	s.send("local peers = { 'a', 'b' }", "")
	s.send("peers", `{ "a", "b" }`)
	s.send("for i = 1, 2 do", "")
	s.send("print('line ' .. i)", "")
	s.send("end", "line 1\r\nline 2\r\n")
	s.send("x = {", "")
	s.drop()
	s.send("x", "nil\r\n")
	s.typing("mur.fs.rea\t")
	s.expect("mur.fs.read")
	s.drop()
	s.typing("while true do end\r")
	s.expect("while true do end\r\n")
	s.interrupt()
	s.send("mur.sleep(0)", "")
	s.typing("mur.sleep(600)\r")
	s.expect("mur.sleep(600)\r\n")
	s.interrupt()
	s.send("error('wrong')", "wrong\r\n")
	s.typing("\x1b[A\x1b[A\x1b[A\x1b[A") // back to an earlier line
	s.expect("while true do end")
	s.drop()
	s.send("mur.task.spawn(function() error('lost', 0) end)", "warning: the task of input")
	s.send("help('mur.sleep')", "mur.sleep(")
	s.send("ps()", "no running capsules")
	s.typing("\x04")
	s.leave(0)
}

// A prompt that is open keeps the terminal: the one before it is through with it.
func TestThePromptKeepsTheTerminal(t *testing.T) {
	s := sit(t, nil, "repl")
	s.prompt()
	for range 100 {
		s.typing("\r")
		s.expect("\r\n")
		s.prompt()
		s.typing("x")
		s.expect("x")
		if !s.isEdited() {
			t.Fatal("the terminal is no longer with the prompt")
		}
		s.drop()
	}
	s.typing("\x04")
	s.leave(0)
}

// What is typed while something runs is the next line.
func TestTheREPLTakesWhatIsTypedAhead(t *testing.T) {
	s := sit(t, nil, "repl")
	s.prompt()
	s.typing("print('on') mur.sleep(0.2)\r")
	s.expect("on\r\n")
	s.typing("'ahead ' .. 1\r")
	s.expect(`"ahead 1"`)
	s.prompt()
	s.typing("1\r2\r3\r") // in one go
	for _, shown := range []string{"1\r\n1\r\n", "2\r\n2\r\n", "3\r\n3\r\n"} {
		s.expect(shown)
	}
	s.prompt()
	s.typing("\x04")
	s.leave(0)
}

func TestTheREPLRestoresTheTerminal(t *testing.T) {
	t.Run("after os.exit", func(t *testing.T) {
		s := sit(t, nil, "repl")
		s.prompt()
		s.typing("os.exit(3)\r")
		s.leave(3)
	})
	t.Run("after SIGTERM at the prompt", func(t *testing.T) {
		s := sit(t, nil, "repl")
		s.prompt()
		s.typing("half a line")
		s.expect("half a line")
		_ = s.cmd.Process.Signal(syscall.SIGTERM)
		s.expect("stopped by SIGTERM")
		s.leave(143)
	})
	t.Run("after SIGHUP while something runs", func(t *testing.T) {
		s := sit(t, nil, "repl")
		s.prompt()
		s.typing("print('on') mur.sleep(600)\r")
		s.expect("on\r\n")
		_ = s.cmd.Process.Signal(syscall.SIGHUP)
		s.leave(129)
	})
	t.Run("after a panic", func(t *testing.T) {
		s := sit(t, []string{asCommand + "=panic at the prompt"})
		s.prompt()
		s.typing("x\t")
		s.expect("panic: a defect")
		s.leave(2)
	})
	t.Run("while something runs it is as it was", func(t *testing.T) {
		s := sit(t, nil, "repl")
		s.prompt()
		s.typing("print('on') mur.sleep(600)\r")
		s.expect("on\r\n")
		if mode := s.mode(); mode != s.before {
			t.Errorf("a script has the terminal as %+v, it was %+v", mode, s.before)
		}
		s.interrupt()
		s.typing("\x04")
		s.leave(0)
	})
}

func TestTheREPLInADumbTerminal(t *testing.T) {
	s := sit(t, []string{"TERM=dumb"}, "repl")
	s.dumb = true
	s.prompt()
	s.send("1 + 1", "2\r\n")
	s.send("x = {", "")
	s.drop()
	s.send("x", "nil\r\n")
	s.typing("\x04")
	s.leave(0)
	if shown := s.shown(); strings.Contains(shown, "\x1b") {
		t.Errorf("it was sent escape codes: %q", shown)
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
	s.prompt()
	s.typing("\x1b[A\r")
	s.expect(`"from before"`)
	s.prompt()
	s.send("'from now'", "from now")
	s.send("do", "")
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
	s.prompt()
	s.send("f = mur.formation.launch { members = { { name = 'one', script = 'one.lua' } } }", "-- one: ")
	s.send("#mur.running.list()", "1\r\n")
	s.send("help(f)", "mur.Formation")
	s.send("help('formation')", "Starts groups of processes")
	s.send("help('run')", "murlua run RECIPE.lua")
	s.send("help('test')", "The command of that name: murlua help test")
	s.typing("\x04")
	s.expect("leave and stop frm_")
	s.typing("n\r")
	s.prompt()
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
	s.prompt()
	s.send("f = mur.formation.launch { members = { { name = 'one', script = 'one.lua' } } }", "-- one: ")
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	s.leave(143)
	if left := processesWith(t, "HOME="+home); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
