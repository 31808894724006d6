package main

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"murlua/lifecycle/keeper"
)

// asCommand makes the test binary behave as murlua, so that the tests run the real thing as processes of its
// own, and its members too: they inherit the variable.
const asCommand = "MURLUA_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if code, handled := keeper.Main(os.Args); handled {
		os.Exit(code)
	}
	switch os.Getenv(asCommand) {
	case "":
	case "panic at the prompt":
		panicAtThePrompt()
		return
	default:
		main()
		return
	}
	os.Exit(m.Run())
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE") != "",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"waitfor":        waitForText,
			"stopformation":  stopFormation,
			"formationlogs":  formationLogs,
			"endofformation": endOfFormation,
			"install":        install,
		},
		Setup: func(env *testscript.Env) error {
			bin := filepath.Join(env.WorkDir, ".bin")
			home := filepath.Join(env.WorkDir, ".home")
			for _, dir := range []string{bin, home} {
				if err := os.Mkdir(dir, 0o700); err != nil {
					return err
				}
			}
			if err := os.Symlink(testBinary(t), filepath.Join(bin, "murlua")); err != nil {
				return err
			}
			env.Setenv("PATH", bin+string(os.PathListSeparator)+env.Getenv("PATH"))
			env.Setenv("HOME", home)
			env.Setenv(asCommand, "1")
			env.Setenv("EXAMPLES", examples(t))
			return nil
		},
	})
}

// waitForText waits until a file contains a text: waitfor FILE TEXT.
func waitForText(ts *testscript.TestScript, _ bool, args []string) {
	limit := time.Now().Add(time.Minute)
	for {
		if text, _ := os.ReadFile(ts.MkAbs(args[0])); strings.Contains(string(text), args[1]) {
			return
		}
		if time.Now().After(limit) {
			ts.Fatalf("%s never contained %q", args[0], args[1])
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// stopFormation stops the formation that the newest session belongs to.
func stopFormation(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check(ts.Exec("murlua", "ps", "--json"))
	ts.Check(ts.Exec("murlua", "stop", regexp.MustCompile(`frm_[0-9a-f]{32}`).FindString(ts.ReadFile("stdout"))))
}

// formationLogs shows the output of the formation that the newest session belongs to.
func formationLogs(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check(ts.Exec("murlua", "ps", "--json"))
	ts.Check(ts.Exec("murlua", "logs", regexp.MustCompile(`frm_[0-9a-f]{32}`).FindString(ts.ReadFile("stdout"))))
}

// endOfFormation runs a command in whose arguments END is the end of the id of the formation that kept output most
// recently: endofformation COMMAND ARG...
func endOfFormation(ts *testscript.TestScript, neg bool, args []string) {
	found, err := filepath.Glob(filepath.Join(ts.Getenv("HOME"), ".murmur", "formations", "frm_*"))
	ts.Check(err)
	if len(found) == 0 {
		ts.Fatalf("no formation has kept anything")
	}
	last := found[len(found)-1]
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = strings.Replace(arg, "END", last[len(last)-6:], 1)
	}
	if err := ts.Exec("murlua", words...); (err != nil) != neg {
		ts.Fatalf("murlua %q: %v", words, err)
	}
}

// install packs files as murmur packs an artifact, with its digest beside it: install NAME FOLDER FILE... A file is
// packed by its last name if that is murmur.yaml or capsule.lua.
func install(ts *testscript.TestScript, _ bool, args []string) {
	folder := ts.MkAbs(args[1])
	ts.Check(os.MkdirAll(folder, 0o700))
	var data bytes.Buffer
	packed := zip.NewWriter(&data)
	for _, name := range args[2:] {
		inside := name
		if base := filepath.Base(name); base == "murmur.yaml" || base == "capsule.lua" {
			inside = base
		}
		w, err := packed.Create(inside)
		ts.Check(err)
		_, err = w.Write([]byte(ts.ReadFile(name)))
		ts.Check(err)
	}
	ts.Check(packed.Close())
	file := filepath.Join(folder, args[0])
	ts.Check(os.WriteFile(file, data.Bytes(), 0o600))
	digest := fmt.Sprintf("%x", sha256.Sum256(data.Bytes()))
	ts.Check(os.WriteFile(strings.TrimSuffix(file, ".mur.zip")+".sha256", []byte(digest), 0o600))
}

func testBinary(t testing.TB) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func examples(t testing.TB) string {
	t.Helper()
	path, err := filepath.Abs("../../scripts/examples")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// murlua is a run of the command as a process of its own, with a home of its own.
type murlua struct {
	cmd            *exec.Cmd
	home           string
	stdout, stderr bytes.Buffer
}

// newMurlua prepares a run. Whatever becomes of it, it is killed at the end of the test.
func newMurlua(t testing.TB, home string, args ...string) *murlua {
	t.Helper()
	m := &murlua{cmd: exec.Command(testBinary(t), args...), home: home}
	m.cmd.Env = append(os.Environ(), asCommand+"=1", "HOME="+home)
	m.cmd.Stdout, m.cmd.Stderr = &m.stdout, &m.stderr
	m.cmd.WaitDelay = 30 * time.Second
	return m
}

func (m *murlua) start(t testing.TB) {
	t.Helper()
	if err := m.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if m.cmd.ProcessState == nil {
			_ = m.cmd.Process.Kill()
			_ = m.cmd.Wait()
		}
	})
}

// wait returns the exit code, or 128 and the number of the signal that ended it.
func (m *murlua) wait(t testing.TB) int {
	t.Helper()
	err := m.cmd.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatalf("cannot wait: %v\n%s", err, m.stderr.String())
	}
	return exitCodeOf(m.cmd.ProcessState)
}

func (m *murlua) run(t testing.TB) int {
	t.Helper()
	m.start(t)
	return m.wait(t)
}

// eventually waits until the condition holds. It fails the test when it has not within a minute, which stands
// for "never".
func eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-ctx.Done():
			t.Fatalf("never: %s", what)
		case <-tick.C:
		}
	}
}

// processesWith returns the command lines of the processes in whose environment the text stands: those that
// were started, at whatever remove, with that setting.
func processesWith(t testing.TB, setting string) []string {
	t.Helper()
	found := []string{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Skipf("there is no /proc to look for processes in: %v", err)
	}
	for _, entry := range entries {
		environ, err := os.ReadFile("/proc/" + entry.Name() + "/environ")
		if err != nil || !bytes.Contains(append([]byte{0}, environ...), []byte("\x00"+setting+"\x00")) {
			continue
		}
		cmdline, _ := os.ReadFile("/proc/" + entry.Name() + "/cmdline")
		found = append(found, entry.Name()+": "+strings.ReplaceAll(string(cmdline), "\x00", " "))
	}
	return found
}
