package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"murlua/stdlib/meta"
)

// Every example that help and the reference pages show is run as a script of its own, in an empty folder with an
// empty home.
func TestTheExamplesInTheHelpRun(t *testing.T) {
	docs, err := meta.Load()
	if err != nil {
		t.Fatal(err)
	}
	run := func(name, source string) {
		if source == "" {
			return
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runExample(t, source)
		})
	}
	for _, m := range docs.Modules {
		run(m.Name, m.Example)
		for _, f := range m.Functions {
			run(f.Name, f.Example)
		}
		for _, c := range m.Classes {
			run(c.Name, c.Example)
			for _, f := range c.Methods {
				run(f.Name, f.Example)
			}
		}
	}
}

// The guides' examples run too.
func TestTheExamplesInTheGuidesRun(t *testing.T) {
	guides, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(guides) == 0 {
		t.Fatalf("no guides found: %v", err)
	}
	for _, guide := range append(guides, "../../README.md") {
		text, err := os.ReadFile(guide)
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range luaBlocks(string(text)) {
			t.Run(fmt.Sprintf("%s/%d", filepath.Base(guide), i+1), func(t *testing.T) {
				t.Parallel()
				runExample(t, block)
			})
		}
	}
}

// luaBlocks returns the Lua code of a page: what stands between "```lua" and "```", indented or not.
func luaBlocks(page string) []string {
	var blocks []string
	inside, indent := false, ""
	for line := range strings.Lines(page) {
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "```lua":
			inside, indent = true, line[:strings.Index(line, "`")]
			blocks = append(blocks, "")
		case trimmed == "```":
			inside = false
		case inside:
			blocks[len(blocks)-1] += strings.TrimPrefix(line, indent)
		}
	}
	return blocks
}

func runExample(t *testing.T, source string) {
	t.Helper()
	dir := t.TempDir()
	name, command := "example.lua", []string{"run"}
	switch {
	case strings.Contains(source, ".describe("):
		name, command = "example_test.lua", []string{"test"}
	case strings.Contains(source, "return { members ="), strings.Contains(source, "return { name ="): // it would run until ^C
		command = []string{"run", "--plan"}
	}
	for file, text := range map[string]string{
		name: source,
		// The capsules that examples of formations name.
		"coder.lua": `return require("mur").capsule { name = "coder", version = "1.0.0", on_task = function(task) return task.text end }`,
		"lead.lua": `return require("mur").capsule { name = "lead", version = "1.0.0",
			on_task = function(task) return task.peers.coder:send(task.text) end }`,
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, testBinary(t), append(command, name)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, asCommand+"=1")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Run(); err != nil {
		t.Errorf("%v\n%s\n%s", err, source, out.String())
	}
}

// Each example of scripts/examples is run with these arguments and prints exactly this.
var exampleRuns = []struct {
	args   []string
	stdout string
	code   int
	needs  []string // programs
}{
	{args: []string{"run", "streaming.lua", "one", "two"}, stdout: "ONE TWO (that was all)\ncompleted\n"},
	{
		args: []string{"run", "dev.lua", "--try"}, stdout: "notes: milk and bread\npage: first draft\npage: second draft\n",
		needs: []string{"redis-server", "redis-cli", "nginx"},
	},
	{
		args:   []string{"run", "readiness.lua"},
		stdout: "all are ready\nnil\tnot within 0.05s: waiting until the file never exists: it is not there\n",
	},
	{
		args: []string{"run", "supervisor.lua", "--restarts", "1", "sh", "-c", "echo working; exit 3"},
		stdout: "| working\nit ended with status 3: starting it again (1 of 1)\n| working\n" +
			"it ended with status 3, 2 times in a row: giving up\n",
		code: 1,
	},
	{args: []string{"test", "chaos_test.lua"}, stdout: `chaos_test.lua
  chaos
    ok   a member that dies while starting takes the launch with it, and nothing is left
    ok   readiness that never comes ends at its deadline and says what was missing
    ok   a member that is killed from outside is noticed
    ok   a member that will not end is killed after its grace

1 file in N ms
4 passed, 0 failed
`},
	{args: []string{"sweep", "--over", "record,unreadable,formation", "sweep.lua"}, stdout: "there is nothing to sweep\n"},
}

var (
	tookNote = regexp.MustCompile(` \([\d.]+ m?s\)\n`)
	tookTime = regexp.MustCompile(` in [\d.]+ m?s\n`)
)

// timeless takes out of a text how long things took, and where the examples are.
func timeless(t *testing.T, text string) string {
	text = strings.ReplaceAll(text, examples(t)+"/", "")
	return tookTime.ReplaceAllString(tookNote.ReplaceAllString(text, "\n"), " in N ms\n")
}

// needs skips a test for want of a program, or fails it where MURLUA_REQUIRE says that the machine has it.
func needs(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err == nil {
		return
	}
	family, _, _ := strings.Cut(program, "-") // redis-cli belongs to redis
	if slices.Contains(strings.Split(os.Getenv("MURLUA_REQUIRE"), ","), family) {
		t.Fatalf("%s is not installed", program)
	}
	t.Skipf("%s is not installed", program)
}

// Examples that have a test of their own.
var testedElsewhere = map[string]bool{"wordcount.lua": true}

func TestEveryExampleRuns(t *testing.T) {
	tested := map[string]bool{}
	for _, example := range exampleRuns {
		for _, arg := range example.args {
			if strings.HasSuffix(arg, ".lua") {
				tested[arg] = true
			}
		}
		t.Run(strings.Join(example.args, " "), func(t *testing.T) {
			for _, program := range example.needs {
				needs(t, program)
			}
			home := t.TempDir()
			args := slices.Clone(example.args)
			for i, arg := range args {
				if strings.HasSuffix(arg, ".lua") {
					args[i] = filepath.Join(examples(t), arg)
				}
			}
			m := newMurlua(t, home, args...)
			code := m.run(t)
			if diff := cmp.Diff(example.stdout, timeless(t, m.stdout.String())); diff != "" || code != example.code {
				t.Errorf("exit code %d, want %d; -want +got\n%s\nstderr:\n%s", code, example.code, diff, m.stderr.String())
			}
			if left := processesWith(t, "HOME="+home); len(left) > 0 {
				t.Errorf("left running: %v", left)
			}
			if left, _ := filepath.Glob(filepath.Join(home, ".murmur/running/*")); len(left) > 0 {
				t.Errorf("left in the running folder: %v", left)
			}
		})
	}
	files, err := filepath.Glob(filepath.Join(examples(t), "*.lua"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples found: %v", err)
	}
	for _, file := range files {
		if name := filepath.Base(file); !tested[name] && !testedElsewhere[name] {
			t.Errorf("the example %s is not run by a test", name)
		}
	}
}
