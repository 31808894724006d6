package process

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

func init() {
	roles["terminal"] = func() { fmt.Println(HasControllingTerminal()) }
}

// What counts is the session's terminal, and not where the streams lead.
func TestAControllingTerminalIsTheSessions(t *testing.T) {
	ours, terminal, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	defer terminal.Close()
	for name, c := range map[string]struct {
		attributes syscall.SysProcAttr
		stdin      *os.File
		want       string
	}{
		"a session of its own":                 {syscall.SysProcAttr{Setsid: true}, nil, "false"},
		"a terminal that is only its stdin":    {syscall.SysProcAttr{Setsid: true}, terminal, "false"},
		"a terminal, and streams that are not": {syscall.SysProcAttr{Setsid: true, Setctty: true}, terminal, "true"},
	} {
		cmd := exec.Command("/proc/self/exe")
		cmd.Env = append(os.Environ(), roleVariable+"=terminal")
		cmd.Stdin, cmd.SysProcAttr = c.stdin, &c.attributes
		said, err := cmd.Output()
		if err != nil || strings.TrimSpace(string(said)) != c.want {
			t.Errorf("%s: %q, %v; want %s", name, said, err, c.want)
		}
	}
}
