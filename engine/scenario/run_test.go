package scenario

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"murlua/engine"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// room is surroundings in memory: what tests leave is a list.
type room struct {
	mu      sync.Mutex
	there   []Left
	release chan struct{} // lets calls go on that nothing wakes
	hosts   int
	closed  bool
}

func newRoom() *room { return &room{release: make(chan struct{})} }

func (r *room) put(l Left) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.there = append(r.there, l)
}

func (r *room) take(l Left) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.there = slices.DeleteFunc(r.there, func(other Left) bool { return other == l })
}

func (r *room) Host(test engine.Module, out io.Writer) (*engine.Host, error) {
	r.hosts++
	left := func(c *engine.Call) Left { return Left{Kind: c.String(1), Name: c.String(2)} }
	fake := engine.Module{Name: "fake", Functions: map[string]engine.Function{
		"leave": func(c *engine.Call) error { r.put(left(c)); return nil },
		"open": func(c *engine.Call) error {
			l := left(c)
			r.put(l)
			c.Host().OnClose(func(context.Context) error { r.take(l); return nil })
			return nil
		},
		"count": func(c *engine.Call) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			return c.Return(len(r.there))
		},
		"panic": func(*engine.Call) error { panic("a defect") },
		"stuck": func(c *engine.Call) error { <-r.release; return nil },
	}}
	return engine.New(engine.Options{Modules: []engine.Module{test, fake}, Stdout: out, Stderr: out})
}

func (r *room) Look(context.Context) ([]Left, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.there), nil
}

func (r *room) End(_ context.Context, left []Left) []Left {
	for i, l := range left {
		r.take(l)
		left[i].Done = "removed"
	}
	return left
}

func (r *room) Close(context.Context) error {
	r.closed = true
	return nil
}

// runFiles runs files with surroundings in memory and returns the events, with all times set to nothing.
func runFiles(t *testing.T, o Options) ([]Event, Summary, []*room) {
	t.Helper()
	var events []Event
	var mu sync.Mutex
	var rooms []*room
	o.Settle = time.Millisecond
	o.Report = func(e Event) {
		e.At, e.Took = 0, 0
		for i, f := range e.Failures {
			switch f.Kind {
			case FailedPanic:
				e.Failures[i].Traceback = strings.SplitN(f.Traceback, " ", 2)[0] + " …"
			case FailedDeadline: // where it stood is a matter of time
				e.Failures[i].Where, e.Failures[i].Traceback = "", ""
			}
		}
		events = append(events, e)
	}
	o.Surroundings = func(string) (Surroundings, error) {
		r := newRoom()
		mu.Lock()
		rooms = append(rooms, r)
		mu.Unlock()
		return r, nil
	}
	t.Cleanup(func() {
		for _, r := range rooms {
			close(r.release)
			if !r.closed {
				t.Error("surroundings were not closed")
			}
		}
	})
	sum := Run(t.Context(), o)
	return events, sum, rooms
}

func suiteFiles(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.FromSlash(pattern))
	if err != nil || len(files) == 0 {
		t.Fatal("no files: ", pattern, err)
	}
	return files
}

func replay(t *testing.T, build func(*bytes.Buffer) Reporter, events []Event) string {
	t.Helper()
	return report(t, build, events)
}

func TestFailingFilesGiveTheExpectedReports(t *testing.T) {
	events, sum, _ := runFiles(t, Options{Files: suiteFiles(t, "testdata/failing/*_test.lua")})
	builders := map[string]func(*bytes.Buffer) Reporter{
		"failing.people":    func(w *bytes.Buffer) Reporter { return NewPeople(w, PeopleOptions{}) },
		"failing.tap":       func(w *bytes.Buffer) Reporter { return NewTAP(w) },
		"failing.junit.xml": func(w *bytes.Buffer) Reporter { return NewJUnit(w) },
		"failing.jsonl":     func(w *bytes.Buffer) Reporter { return NewJSON(w) },
	}
	for name, build := range builders {
		golden(t, name, replay(t, build, events))
	}
	if sum.Failed == 0 || sum.Passed == 0 {
		t.Errorf("the summary is %+v", sum)
	}
}

func TestFailingFilesGiveTheSameReportWhenTheyRunAtTheSameTime(t *testing.T) {
	files := suiteFiles(t, "testdata/failing/*_test.lua")
	one, _, _ := runFiles(t, Options{Files: files})
	many, _, _ := runFiles(t, Options{Files: files, Jobs: 4})
	many[0].Jobs = 1
	if diff := cmp.Diff(one, many); diff != "" {
		t.Errorf("-one +many:\n%s", diff)
	}
}

func TestPassingFiles(t *testing.T) {
	events, sum, rooms := runFiles(t, Options{Files: suiteFiles(t, "testdata/passing/*_test.lua"), UpdateSnapshots: *update})
	for _, e := range events {
		if e.Kind == TestFailed || e.Kind == FileFailed {
			t.Errorf("%s:%d %s: %+v", e.File, e.Test.Line, e.Test.FullName(), e.Failures)
		}
	}
	if want := (Summary{Passed: 14, Pending: 5}); sum != want {
		t.Errorf("the summary is %+v, want %+v", sum, want)
	}
	for _, r := range rooms {
		if r.hosts != 1 {
			t.Errorf("a file had %d hosts, want one", r.hosts)
		}
	}
}

func names(events []Event, kinds ...Kind) []string {
	var found []string
	for _, e := range events {
		if slices.Contains(kinds, e.Kind) {
			found = append(found, e.Test.FullName())
		}
	}
	return found
}

func TestSelectionOfARun(t *testing.T) {
	files := []string{"testdata/passing/kinds_test.lua"}
	for _, test := range []struct {
		name      string
		selection Selection
		want      []string
	}{
		{"by tag", Selection{Tags: []string{"slow"}}, []string{"has a deadline of its own"}},
		{"by the suite's tag and a name", Selection{Tags: []string{"cases"}, Names: []string{"adds 2"}}, []string{"parametrised > adds 2 and 2"}},
		{"by line", Selection{Lines: map[string][]int{files[0]: {9}}}, []string{"parametrised > takes x", "parametrised > takes y"}},
		{"none", Selection{Names: []string{"there is none"}}, nil},
	} {
		events, sum, _ := runFiles(t, Options{Files: files, Selection: test.selection})
		if got := names(events, TestPassed, TestFailed); !cmp.Equal(got, test.want) {
			t.Errorf("%s: ran %q, want %q", test.name, got, test.want)
		}
		if sum.Ran() != len(test.want) {
			t.Errorf("%s: the summary is %+v", test.name, sum)
		}
	}
}

func TestShuffledRunsRepeat(t *testing.T) {
	files := suiteFiles(t, "testdata/passing/kinds_test.lua")
	order := func(seed int64) []string {
		events, _, _ := runFiles(t, Options{Files: files, Selection: Selection{Seed: seed}})
		return names(events, TestStarted)
	}
	first := order(7)
	if !cmp.Equal(first, order(7)) {
		t.Error("the same seed gave two orders")
	}
	if cmp.Equal(first, order(0)) || cmp.Equal(first, order(8)) {
		t.Error("another seed gave the same order")
	}
}

func TestFailFast(t *testing.T) {
	events, sum, _ := runFiles(t, Options{Files: suiteFiles(t, "testdata/failing/*_test.lua"), FailFast: true})
	if sum.Failed != 1 {
		t.Errorf("the summary is %+v, want one failure", sum)
	}
	if last := events[len(events)-1]; last.Kind != RunEnded {
		t.Errorf("the last event is %s", last.Kind)
	}
}

func TestTheEndOfARunHasItsTime(t *testing.T) {
	file := writeSuite(t, `require("mur").test.it("waits", function() require("mur").sleep(0.02) end)`)
	var events []Event
	Run(t.Context(), Options{
		Files: []string{file}, Settle: time.Millisecond,
		Report:       func(e Event) { events = append(events, e) },
		Surroundings: func(string) (Surroundings, error) { return newRoom(), nil },
	})
	for _, e := range events {
		if last := events[len(events)-1]; last.At < e.At || last.At == 0 || last.At != last.Took {
			t.Errorf("%s at %s, and %s at %s after %s", e.Kind, e.At, last.Kind, last.At, last.Took)
		}
	}
}

func TestAnInterruptedRunEnds(t *testing.T) {
	file := writeSuite(t, `
		local t = require("mur").test
		t.it("waits", function() t.finally(function() print("tidied") end) require("mur").fake.leave("process", "p") require("mur").sleep(600) end)
		t.it("is not started", function() end)`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := newRoom()
	close(r.release)
	var events []Event
	sum := Run(ctx, Options{
		Files:        []string{file},
		Surroundings: func(string) (Surroundings, error) { return r, nil },
		Report: func(e Event) {
			events = append(events, e)
			if e.Kind == TestStarted {
				time.AfterFunc(50*time.Millisecond, cancel)
			}
		},
	})
	if sum.Failed != 1 || sum.Passed != 0 || len(names(events, TestStarted)) != 1 {
		t.Errorf("the summary is %+v", sum)
	}
	if !slices.ContainsFunc(events, func(e Event) bool { return e.Kind == Output && e.Text == "tidied\n" }) {
		t.Error("finally did not run")
	}
	if len(r.there) > 0 || !r.closed {
		t.Errorf("left %v, closed %v", r.there, r.closed)
	}
}

func writeSuite(t *testing.T, source string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a_test.lua")
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestSnapshotsAreWrittenAndHeld(t *testing.T) {
	source := `local t = require("mur").test
		t.it("one", function() t.expect({ n = %d }):matches_snapshot() end)
		t.it("%s", function() t.expect("a\n== b"):matches_snapshot() end)`
	file := writeSuite(t, fmt.Sprintf(source, 1, "two"))
	step := func(want Summary, update bool, selection Selection) {
		t.Helper()
		events, sum, _ := runFiles(t, Options{Files: []string{file}, UpdateSnapshots: update, Selection: selection})
		if sum != want {
			t.Errorf("the summary is %+v, want %+v: %+v", sum, want, events)
		}
	}
	step(Summary{Failed: 2}, false, Selection{})
	step(Summary{Passed: 2}, true, Selection{})
	step(Summary{Passed: 2}, false, Selection{})
	if err := os.WriteFile(file, fmt.Appendf(nil, source, 2, "three"), 0o644); err != nil {
		t.Fatal(err)
	}
	step(Summary{Failed: 2}, false, Selection{})
	step(Summary{Passed: 1}, true, Selection{Names: []string{"one"}})
	text, _ := os.ReadFile(strings.TrimSuffix(file, ".lua") + ".snap")
	if want := "== one\n{ n = 2 }\n\n== two\na\n\\== b\n"; string(text) != want {
		t.Errorf("a part of the tests left the file as\n%s\nwant\n%s", text, want)
	}
	step(Summary{Passed: 2}, true, Selection{})
	text, _ = os.ReadFile(strings.TrimSuffix(file, ".lua") + ".snap")
	if want := "== one\n{ n = 2 }\n\n== three\na\n\\== b\n"; string(text) != want {
		t.Errorf("all tests left the file as\n%s\nwant\n%s", text, want)
	}
}

func TestListRunsNothing(t *testing.T) {
	r := newRoom()
	close(r.release)
	tests, failed := List(t.Context(), Options{
		Files:        []string{"testdata/failing/left_test.lua", "testdata/failing/syntax_test.lua"},
		Surroundings: func(string) (Surroundings, error) { return r, nil },
	})
	if n := len(tests["testdata/failing/left_test.lua"]); n != 8 {
		t.Errorf("listed %d tests, want 8", n)
	}
	if f := failed["testdata/failing/syntax_test.lua"]; f.Kind != FailedLoad {
		t.Errorf("the file that does not compile: %+v", f)
	}
	if len(r.there) > 0 {
		t.Errorf("something ran: %v", r.there)
	}
}

func TestAHangIsToldWithItsPlace(t *testing.T) {
	file := writeSuite(t, "local t = require('mur').test\nt.it('hangs', function()\n  while true do end\nend, { within = 1 })")
	var where string
	r := newRoom()
	close(r.release)
	Run(t.Context(), Options{
		Files: []string{file}, Surroundings: func(string) (Surroundings, error) { return r, nil },
		Report: func(e Event) {
			if e.Kind == TestFailed {
				where = e.Failures[0].Where
			}
		},
	})
	if want := file + ":3"; where != want {
		t.Errorf("it hangs at %q, want %q", where, want)
	}
}

func TestOutputIsBounded(t *testing.T) {
	file := writeSuite(t, `
		local t = require("mur").test
		t.it("prints much", function() for _ = 1, 100 do print(("x"):rep(100000)) end end)
		t.it("prints", function() print("seen") end)`)
	events, sum, _ := runFiles(t, Options{Files: []string{file}})
	text := ""
	for _, e := range events {
		text += e.Text
	}
	if len(text) > maxOutput+100 || !strings.Contains(text, "left out") || !strings.HasSuffix(text, "seen\n") || sum.Passed != 2 {
		t.Errorf("kept %d bytes, the last are %q; %+v", len(text), text[len(text)-20:], sum)
	}
}

func TestTheModuleOutsideOfARunner(t *testing.T) {
	host, err := engine.New(engine.Options{Modules: []engine.Module{Module()}})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close(context.Background())
	_, err = host.Run(t.Context(), "script.lua", `
		local t = require("mur").test
		t.expect(1):is(1)
		t.expect(function() t.describe("x", function() end) end):fails("murlua test")
		t.expect(function() t.finally(function() end) end):fails("belongs into a test")`)
	if err != nil {
		t.Error(err)
	}
}

func TestAFileThatDescribesOtherTestsEachTime(t *testing.T) {
	file := writeSuite(t, `
		local t = require("mur").test
		t.it("exits", function() os.exit(1) end)
		t.it("is called " .. tostring({}), function() end)`)
	events, sum, _ := runFiles(t, Options{Files: []string{file}})
	if sum.Failed != 2 || sum.Passed != 0 {
		t.Errorf("the summary is %+v: %+v", sum, events)
	}
}
