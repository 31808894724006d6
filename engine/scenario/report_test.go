package scenario

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with the file testdata/name.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", name, diff)
	}
}

// aRun is a stream with every kind of event and the texts that are hard to write down.
func aRun() []Event {
	const file, broken = "tests/peer_test.lua", "tests/broken_test.lua"
	test := func(line int, name string, suites ...string) Test {
		return Test{Suites: suites, Name: name, Line: line}
	}
	passes := test(4, "refuses the launch", "a peer that dies", "while starting")
	fails := test(9, `says "why" # and <how> \ & more`, "a peer that dies", "while starting")
	pending := test(20, "is restarted", "a peer that dies")
	tagged := Test{Name: "leaves nothing", Line: 30, Tags: []string{"slow"}}
	ms := time.Millisecond
	return []Event{
		{Kind: RunStarted, Seed: 42, Files: 2, Jobs: 1},
		{Kind: FileStarted, File: file, At: 1 * ms},
		{Kind: Output, File: file, At: 1 * ms, Text: "while loading\n"},
		{Kind: TestStarted, File: file, At: 2 * ms, Test: passes},
		{Kind: Output, File: file, At: 3 * ms, Test: passes, Text: "nobody sees this\n"},
		{Kind: TestPassed, File: file, At: 4 * ms, Test: passes, Took: 2 * ms},
		{Kind: TestStarted, File: file, At: 5 * ms, Test: fails},
		{Kind: Output, File: file, At: 6 * ms, Test: fails, Text: "one\n  two \x1b[31m\n"},
		{Kind: TestFailed, File: file, At: 255 * ms, Test: fails, Took: 250 * ms, Failures: []Failure{
			{
				Kind: FailedExpectation, Message: "the state is not what was expected", Where: file + ":12",
				Diff: "  {\n-   state = \"live\"\n+   state = \"gone\"\n  }", Hint: "look at `murlua ps`",
			},
			{Kind: FailedError, Message: "first line\n  second: 'x' ]]> ", Where: file + ":14", Traceback: "stack traceback:\n\tpeer_test.lua:14: in function <f>"},
		}},
		{Kind: TestStarted, File: file, At: 256 * ms, Test: pending},
		{Kind: TestPending, File: file, At: 256 * ms, Test: pending, Reason: "needs a\nsupervisor"},
		{Kind: TestStarted, File: file, At: 257 * ms, Test: tagged},
		{Kind: LeftBehind, File: file, At: 258 * ms, Test: tagged, Left: Left{Kind: "process", Name: "pid 4711 (sleep 60)", Done: "killed"}},
		{Kind: TestFailed, File: file, At: 259 * ms, Test: tagged, Took: 2 * ms, Failures: []Failure{
			{Kind: FailedLeft, Message: "left behind: process pid 4711 (sleep 60) (killed)"},
		}},
		{Kind: FileEnded, File: file, At: 260 * ms, Took: 259 * ms, Passed: 1, Failed: 2, Pending: 1},
		{Kind: FileStarted, File: broken, At: 261 * ms},
		{Kind: FileFailed, File: broken, At: 262 * ms, Failures: []Failure{{Kind: FailedLoad, Message: "'end' expected near '<eof>'", Where: broken + ":3"}}},
		{Kind: FileEnded, File: broken, At: 263 * ms, Took: 2 * ms, Failed: 1},
		{Kind: RunEnded, At: 1264 * ms, Took: 1264 * ms, Files: 2, Passed: 1, Failed: 3, Pending: 1},
	}
}

func report(t *testing.T, build func(*bytes.Buffer) Reporter, events []Event) string {
	t.Helper()
	var out bytes.Buffer
	r := build(&out)
	for _, e := range events {
		if err := r.Event(e); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

func TestReports(t *testing.T) {
	builders := map[string]func(*bytes.Buffer) Reporter{
		"run.people":        func(w *bytes.Buffer) Reporter { return NewPeople(w, PeopleOptions{}) },
		"run.people-colour": func(w *bytes.Buffer) Reporter { return NewPeople(w, PeopleOptions{Colour: true, Quiet: true}) },
		"run.tap":           func(w *bytes.Buffer) Reporter { return NewTAP(w) },
		"run.junit.xml":     func(w *bytes.Buffer) Reporter { return NewJUnit(w) },
		"run.jsonl":         func(w *bytes.Buffer) Reporter { return NewJSON(w) },
	}
	for name, build := range builders {
		t.Run(name, func(t *testing.T) { golden(t, name, report(t, build, aRun())) })
	}
}

func TestPeopleReadTheCountsLast(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(report(t, func(w *bytes.Buffer) Reporter { return NewPeople(w, PeopleOptions{}) }, aRun())), "\n")
	if last := lines[len(lines)-1]; last != "1 passed, 3 failed" {
		t.Errorf("the last line is %q", last)
	}
}

func TestTAPDiagnosticsAreYAML(t *testing.T) {
	text := report(t, func(w *bytes.Buffer) Reporter { return NewTAP(w) }, aRun())
	blocks := strings.Split(text, "  ---\n")[1:]
	if len(blocks) != 3 {
		t.Fatalf("%d blocks, want 3", len(blocks))
	}
	body, _, _ := strings.Cut(blocks[0], "  ...\n")
	var read struct {
		Failures []struct{ Kind, Message, Diff string }
		Output   string
	}
	if err := yaml.Unmarshal([]byte(body), &read); err != nil {
		t.Fatalf("%v in\n%s", err, body)
	}
	want := aRun()[8].Failures
	if len(read.Failures) != 2 || read.Failures[0].Diff != want[0].Diff || read.Failures[1].Message != strings.TrimRight(want[1].Message, " ") {
		t.Errorf("read back %q", read.Failures)
	}
	if read.Output != "one\n  two \x1b[31m" {
		t.Errorf("read back the output %q", read.Output)
	}
}

func TestJUnitIsXMLAndItsSumsAgree(t *testing.T) {
	var read junitSuites
	if err := xml.Unmarshal([]byte(report(t, func(w *bytes.Buffer) Reporter { return NewJUnit(w) }, aRun())), &read); err != nil {
		t.Fatal(err)
	}
	tests, failures, skipped := 0, 0, 0
	for _, suite := range read.Suites {
		tests, failures, skipped = tests+suite.Tests, failures+suite.Failures, skipped+suite.Skipped
		if len(suite.Cases) != suite.Tests {
			t.Errorf("%s has %d cases and says %d", suite.Name, len(suite.Cases), suite.Tests)
		}
	}
	if tests != read.Tests || failures != read.Failures || skipped != read.Skipped || tests != 5 {
		t.Errorf("%d tests, %d failures, %d skipped in the suites; %d, %d, %d in all", tests, failures, skipped, read.Tests, read.Failures, read.Skipped)
	}
}

func TestJSONIsOneObjectForEachEvent(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(report(t, func(w *bytes.Buffer) Reporter { return NewJSON(w) }, aRun()), "\n"), "\n")
	if len(lines) != len(aRun()) {
		t.Fatalf("%d lines, want %d", len(lines), len(aRun()))
	}
	for i, line := range lines {
		var read struct{ Event Kind }
		if err := json.Unmarshal([]byte(line), &read); err != nil || read.Event != aRun()[i].Kind {
			t.Errorf("line %d is %s (%v), want %s", i+1, read.Event, err, aRun()[i].Kind)
		}
	}
}

func TestInOrderKeepsFilesTogether(t *testing.T) {
	var got []string
	order := newInOrder(3, func(e Event) { got = append(got, e.Text) })
	send := func(file int, text string, kind Kind) { order.send(file, Event{Kind: kind, Text: text}) }
	send(1, "b1", Output)
	send(0, "a1", Output)
	send(2, "c1", FileEnded)
	send(1, "b2", FileEnded)
	send(0, "a2", Output)
	if diff := cmp.Diff([]string{"a1", "a2"}, got); diff != "" {
		t.Errorf("the first file is not passed on as it happens (-want +got):\n%s", diff)
	}
	send(0, "a3", FileEnded)
	if diff := cmp.Diff([]string{"a1", "a2", "a3", "b1", "b2", "c1"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
