//go:build linux

// Package interop_test lets murlua and the real mur use each other's formations. MURLUA_MUR names the mur binary; without
// it everything here is skipped.
package interop_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const bound = 60 * time.Second

// world is a home and a project, and the two programs.
type world struct {
	t                          *testing.T
	mur, murlua, home, project string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	mur := os.Getenv("MURLUA_MUR")
	if mur == "" {
		t.Skip("MURLUA_MUR does not name a mur binary")
	}
	w := &world{t: t, mur: mur, home: t.TempDir(), project: t.TempDir()}
	w.murlua = filepath.Join(t.TempDir(), "murlua")
	if out, err := exec.Command("go", "build", "-o", w.murlua, "murlua/cmd/murlua").CombinedOutput(); err != nil {
		t.Fatalf("cannot build murlua: %v\n%s", err, out)
	}
	return w
}

func (w *world) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = w.project
	cmd.Env = []string{
		"HOME=" + w.home, "MURMUR_MUR_BINARY=" + w.murlua,
		"PATH=" + filepath.Dir(w.mur) + string(os.PathListSeparator) + os.Getenv("PATH"),
	}
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

func (w *world) run(program string, args ...string) (output string, code int) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), bound)
	defer cancel()
	out, err := w.command(ctx, program, args...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatal(err)
	}
	if exit != nil {
		code = exit.ExitCode()
	}
	return string(out), code
}

func (w *world) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.project, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// install puts a capsule whose code is Lua into the project's store, as mur install would.
func (w *world) install(name, code string) {
	w.t.Helper()
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for file, text := range map[string]string{
		"murmur.yaml": "name: " + name + "\nversion: 1.0.0\nartifacts: []\nexports:\n  peer_tasks:\n    accept: true\n" +
			"network:\n  authentication:\n    scheme: bearer\n",
		"capsule.lua": code,
	} {
		part, err := z.Create(file)
		if err != nil {
			w.t.Fatal(err)
		}
		if _, err := part.Write([]byte(text)); err != nil {
			w.t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		w.t.Fatal(err)
	}
	sum := sha256.Sum256(archive.Bytes())
	stem := filepath.Join(".murmur/artifacts/local", name, "1.0.0", name+"-1.0.0")
	w.write(stem+".mur.zip", archive.String())
	w.write(stem+".sha256", hex.EncodeToString(sum[:])+"\n")
}

const roster = `roster_version: 1
members:
  - { name: lead, capsule: local/lead, version: 1.0.0, entry: true }
  - { name: upper, capsule: local/upper, version: 1.0.0 }
reachability:
  - { from: lead, to: [upper] }
`

const upper = `local mur = require "mur"
return mur.capsule { name = "upper", version = "1.0.0", on_task = function(task) return task.text:upper() end }
`

const lead = `local mur = require "mur"
return mur.capsule { name = "lead", version = "1.0.0", on_task = function(task)
  print("the peer says " .. task.peers.upper:send(task.text))
end }
`

// Mur's launcher admits the roster, starts murlua's capsules with its own arguments, pipes and tokens, and takes their
// readiness and their ends for those of capsules of its own.
func TestMurLaunchesOurCapsules(t *testing.T) {
	w := newWorld(t)
	w.write("roster.yaml", roster)
	w.install("upper", upper)
	w.install("lead", lead)
	out, code := w.run(w.mur, "run", "--roster", w.project, "--task", "hello")
	if code != 0 || !strings.Contains(out, "the peer says HELLO") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	w.nothingLeft()
}

// A peer that fails is refused by mur in mur's words.
func TestMurRefusesOurCapsuleThatFails(t *testing.T) {
	w := newWorld(t)
	w.write("roster.yaml", roster)
	w.install("upper", `error "no model"`)
	w.install("lead", lead)
	out, code := w.run(w.mur, "run", "--roster", w.project, "--task", "hello")
	if code != 1 || !strings.Contains(out, "E-RUN-045") || !strings.Contains(out, "'upper' (local/upper@1.0.0): its process exited with status 1 before reporting") ||
		!strings.Contains(out, "no model") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	w.nothingLeft()
}

// holding starts a formation of ours that stays up.
func (w *world) holding() (cmd *exec.Cmd, formation string, ended <-chan error) {
	w.t.Helper()
	w.write("upper.lua", upper)
	w.write("recipe.lua", `return { members = {
		{ name = "upper", script = "upper.lua" }, { name = "other", script = "upper.lua", calls = { "upper" } } } }`)
	cmd = w.command(context.Background(), w.murlua, "run", "recipe.lua")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	w.t.Cleanup(func() { _ = cmd.Process.Kill() })
	deadline := time.Now().Add(bound)
	for {
		text, _ := w.run(w.murlua, "ps", "--json")
		var sessions []map[string]any
		if json.Unmarshal([]byte(text), &sessions) == nil && len(sessions) == 2 {
			return cmd, fmt.Sprint(sessions[0]["formation_id"]), done
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("the formation is not up: %s", text)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestMurSeesAndStopsOurFormation(t *testing.T) {
	w := newWorld(t)
	_, formation, ended := w.holding()
	out, code := w.run(w.mur, "ps")
	if code != 0 || strings.Count(out, "running") < 2 || !strings.Contains(out, "formation "+formation+": 2 listed (2 running)") {
		t.Errorf("mur ps: exit code %d:\n%s", code, out)
	}
	out, code = w.run(w.mur, "stop", formation)
	if code != 0 || !strings.Contains(out, formation) || !strings.Contains(out, "SIGTERM") || strings.Contains(out, "still running") {
		t.Errorf("mur stop: exit code %d:\n%s", code, out)
	}
	var exit *exec.ExitError
	if err := <-ended; !errors.As(err, &exit) || exit.ExitCode() != 143 {
		t.Errorf("our launcher ended with %v, want 143", err)
	}
	w.nothingLeft()
}

func TestMurStopsOneSessionOfOurs(t *testing.T) {
	w := newWorld(t)
	_, _, ended := w.holding()
	out, code := w.run(w.mur, "stop", "@1")
	if code != 0 || !strings.Contains(out, "stopped:") || !strings.Contains(out, "SIGTERM") {
		t.Errorf("mur stop: exit code %d:\n%s", code, out)
	}
	// A formation without an entry ends with its first member, in order.
	if err := <-ended; err != nil {
		t.Errorf("our launcher ended with %v", err)
	}
	w.nothingLeft()
}

// nothingLeft checks that both programs list nothing, and that no record is left.
func (w *world) nothingLeft() {
	w.t.Helper()
	for _, program := range []string{w.mur, w.murlua} {
		if out, code := w.run(program, "ps"); code != 0 || strings.Contains(out, "ses_") {
			w.t.Errorf("%s ps: exit code %d:\n%s", program, code, out)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(w.home, ".murmur/running/*")); len(left) > 0 {
		w.t.Errorf("left in running: %v", left)
	}
}
