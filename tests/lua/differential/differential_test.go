// Package differential_test runs small Lua programs under the host and compares what they print with what the
// reference implementation of Lua 5.1 prints.
//
// The programs are in *.lua, each under a line "--- name"; "--- name | differs: reason" marks one for which the host
// means to print something else. What each is to print is in the file's .want, written by -update: by the reference
// implementation, and by the host for those that differ.
package differential_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"murlua/engine"
)

var update = flag.Bool("update", false, "write the .want files anew")

// driver runs a program and prints the error that ends it.
const driver = `local ok, err = pcall(assert(loadfile(arg[1])))
if not ok then print("error: " .. tostring(err)) end`

type program struct{ name, source, differs string }

func TestDifferential(t *testing.T) {
	files, err := filepath.Glob("*.lua")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	reference, lookErr := exec.LookPath("lua5.1")
	if lookErr != nil && (*update || strings.Contains(os.Getenv("MURLUA_REQUIRE"), "lua5.1")) {
		t.Fatal(lookErr)
	}
	total := 0
	for _, file := range files {
		programs := split(t, file)
		total += len(programs)
		t.Run(strings.TrimSuffix(file, ".lua"), func(t *testing.T) { compare(t, file, programs, reference) })
	}
	if total < 300 {
		t.Errorf("%d programs, at least 300 are promised", total)
	}
}

// split reads the programs of a file.
func split(t *testing.T, file string) []program {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	var programs []program
	for _, part := range regexp.MustCompile(`(?m)^--- `).Split(string(data), -1)[1:] {
		title, source, _ := strings.Cut(part, "\n")
		name, differs, _ := strings.Cut(title, " | differs: ")
		if seen[name] {
			t.Errorf("%s: two programs are called %q", file, name)
		}
		seen[name] = true
		programs = append(programs, program{name: strings.TrimSpace(name), source: source, differs: differs})
	}
	return programs
}

func compare(t *testing.T, file string, programs []program, reference string) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	wantFile := filepath.Join(here, strings.TrimSuffix(file, ".lua")+".want")
	want := map[string]string{}
	if data, err := os.ReadFile(wantFile); err == nil {
		for _, part := range strings.Split(string(data), "\n--- ")[1:] {
			name, text, _ := strings.Cut(part, "\n")
			want[name] = text
		}
	}
	var written strings.Builder
	dir := t.TempDir()
	for _, p := range programs {
		ours := underHost(t, dir, p.source)
		if *update {
			text := ours
			if p.differs == "" {
				text = underReference(t, reference, dir, p.source)
			}
			fmt.Fprintf(&written, "\n--- %s\n%s", p.name, text)
			want[p.name] = strings.TrimRight(text, "\n")
		}
		t.Run(p.name, func(t *testing.T) {
			wanted := strings.TrimRight(want[p.name], "\n")
			if diff := cmp.Diff(wanted, strings.TrimRight(forgetNames(wanted, ours), "\n")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if reference == "" || *update {
				return
			}
			theirs := strings.TrimRight(underReference(t, reference, dir, p.source), "\n")
			switch same := theirs == strings.TrimRight(want[p.name], "\n"); {
			case p.differs == "" && !same:
				t.Errorf("the reference prints\n%s\nbut the .want file has\n%s", theirs, want[p.name])
			case p.differs != "" && same:
				t.Errorf("marked as different (%s), but it is the same", p.differs)
			}
		})
	}
	if *update {
		if err := os.WriteFile(wantFile, []byte(written.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

var functionName = regexp.MustCompile(`to '[^']*' \(`)

// forgetNames takes the functions' names out of argument errors where the reference does not know them, as when pcall
// calls a function directly.
func forgetNames(wanted, got string) string {
	lines, wantedLines := strings.Split(got, "\n"), strings.Split(wanted, "\n")
	for i := range lines {
		if i < len(wantedLines) && strings.Contains(wantedLines[i], "to '?' (") {
			lines[i] = functionName.ReplaceAllString(lines[i], "to '?' (")
		}
	}
	return strings.Join(lines, "\n")
}

func underReference(t *testing.T, reference, dir, source string) string {
	t.Helper()
	write(t, dir, source)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, reference, "driver.lua", "case.lua")
	cmd.Dir, cmd.Env = dir, []string{"TZ=UTC", "LANG=C", "HOME=" + dir}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Sprintf("%s%v", out, err)
	}
	return string(out)
}

func write(t *testing.T, dir, source string) {
	t.Helper()
	for name, text := range map[string]string{"driver.lua": driver, "case.lua": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func underHost(t *testing.T, dir, source string) string {
	t.Helper()
	write(t, dir, source)
	t.Chdir(dir)
	var out bytes.Buffer
	h, err := engine.New(engine.Options{
		Script: "driver.lua", Args: []string{"case.lua"}, Stdout: &out, Stderr: &out, Deadline: 20 * time.Second,
		Getenv: func(name string) (string, bool) { return dir, name == "HOME" },
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.RunFile(t.Context(), "driver.lua")
	if closeErr := h.Close(context.WithoutCancel(t.Context())); closeErr != nil {
		t.Error(closeErr)
	}
	var exit *engine.ExitError
	if errors.As(err, &exit) && exit.Status != 0 {
		return fmt.Sprintf("%sexit status %d", out.String(), exit.Status)
	} else if err != nil && exit == nil {
		return out.String() + err.Error()
	}
	return out.String()
}
