//go:build unix

package engine

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestShellCommands(t *testing.T) {
	var out bytes.Buffer
	h := newHost(t, Options{Stdout: &out, Stderr: &out, Shell: runShell})
	if _, err := h.Run(context.Background(), "test.lua", `
		print(os.execute("exit 3"), os.execute("echo hello; exit 0"), os.execute())
		local f = io.popen("echo one; echo two; exit 5")
		for line in f:lines() do io.write("[", line, "]") end
		print(f:close())
		local w = io.popen("cat", "w")
		w:write("through cat\n")
		print(w:close())
		local early = io.popen("true", "w")
		print(early:close())
		local endless = io.popen("yes")
		print(endless:read(), (endless:close()))
		print(io.popen("echo all; echo of it"):read("*a"))
		print(pcall(io.popen, "true", "x"))`); err != nil {
		t.Fatal(err)
	}
	want := "hello\n768\t0\t1\n[one][two]true\texit\t5\nthrough cat\ntrue\texit\t0\ntrue\texit\t0\ny\ttrue\nall\nof it\n\nfalse\tbad argument #2 to 'popen' (invalid mode)\n"
	if out.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", out.String(), want)
	}
}

func TestWhereThereIsNoShellTheRefusalNamesWhatRunsPrograms(t *testing.T) {
	for _, source := range []string{`os.execute("true")`, `io.popen("true")`} {
		h := newHost(t, Options{Modules: []Module{{Name: "process"}}})
		_, err := h.Run(context.Background(), "test.lua", source)
		own, ok := errors.AsType[*Error](err)
		if !ok || own.Message != "shell commands cannot be run here" || !strings.Contains(own.Hint, "mur.process.run") {
			t.Errorf("%s: %v, with the hint of %+v", source, err, own)
		}
	}
}

func TestShellCommandsStop(t *testing.T) {
	for _, source := range []string{
		`os.execute("sleep 60")`, `io.popen("sleep 60"):read()`, `io.popen("sleep 60"):close()`, `io.popen("sleep 60", "w"):close()`,
		`local w = io.popen("sleep 60", "w") while true do w:write(("x"):rep(1e5)) end`,
	} {
		h := newHost(t, Options{Shell: runShell})
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
		began := time.Now()
		_, err := h.Run(ctx, "test.lua", source)
		cancel()
		if err == nil || time.Since(began) > 20*time.Second {
			t.Errorf("%s: %v after %v", source, err, time.Since(began))
		}
	}
}

// runShell is a Shell as the command gives one.
func runShell(ctx context.Context, command string, stdin io.Reader, stdout, stderr io.Writer) (status, signal int, err error) {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = stdin, stdout, stderr, time.Second
	err = cmd.Run()
	if ctx.Err() != nil {
		return 0, 0, context.Cause(ctx)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return max(exit.ExitCode(), 0), 0, nil
	}
	return 0, 0, err
}
