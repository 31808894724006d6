package scenario

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"murlua/engine"
	"murlua/engine/value"
)

// snapshots are the values that tests of one file had when somebody approved them. They are in a text file next to
// the tests, to be read and reviewed like source. It is safe for concurrent use.
type snapshots struct {
	path   string
	update bool

	mu     sync.Mutex
	stored map[string]string
	used   map[string]bool
	dirty  bool
}

// snapshotHead begins an entry; a line of a value that begins so is indented by a backslash.
const snapshotHead = "== "

// openSnapshots reads the snapshots of a file of tests: a_test.lua has them in a_test.snap.
func openSnapshots(file string, update bool) (*snapshots, error) {
	s := &snapshots{path: strings.TrimSuffix(file, filepath.Ext(file)) + ".snap", update: update, stored: map[string]string{}, used: map[string]bool{}}
	text, err := os.ReadFile(s.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot read the snapshots: %w", err)
	}
	name := ""
	var lines []string
	keep := func() {
		if name != "" {
			s.stored[name] = strings.TrimSuffix(strings.Join(lines, "\n"), "\n")
		}
		lines = nil
	}
	for _, line := range strings.Split(string(text), "\n") {
		if title, ok := strings.CutPrefix(line, snapshotHead); ok {
			keep()
			name = title
			continue
		}
		lines = append(lines, strings.TrimPrefix(line, `\`))
	}
	keep()
	return s, nil
}

// check compares a value with its snapshot. It returns what is wrong, "" when nothing is.
func (s *snapshots) check(name string, got value.Value) (message, diff string) {
	text := value.Format(got, value.Limits{Width: 100, Depth: 100, Items: 1 << 20, String: 1 << 20, Lines: 1 << 20})
	if got.Kind == value.String {
		text = got.Text
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used[name] = true
	want, known := s.stored[name]
	switch {
	case known && want == text:
		return "", ""
	case s.update:
		s.stored[name], s.dirty = text, true
		return "", ""
	case !known:
		return fmt.Sprintf("there is no snapshot %q", name), ""
	}
	return fmt.Sprintf("the value is not that of snapshot %q", name), value.Diff(lines(want), lines(text))
}

// lines makes a text one that Diff compares by lines.
func lines(text string) value.Value {
	if !strings.Contains(text, "\n") {
		text += "\n"
	}
	return value.OfString(text)
}

// close writes what was updated. When all tests of the file ran, snapshots that no test asked for are dropped.
func (s *snapshots) close(all bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.update {
		return nil
	}
	var names []string
	for name := range s.stored {
		if all && !s.used[name] {
			s.dirty = true
			continue
		}
		names = append(names, name)
	}
	if !s.dirty {
		return nil
	}
	slices.Sort(names)
	var out strings.Builder
	for _, name := range names {
		out.WriteString(snapshotHead + name + "\n")
		for _, line := range strings.Split(s.stored[name], "\n") {
			if strings.HasPrefix(line, snapshotHead) || strings.HasPrefix(line, `\`) {
				line = `\` + line
			}
			out.WriteString(line + "\n")
		}
		out.WriteString("\n")
	}
	if err := os.WriteFile(s.path, []byte(strings.TrimSuffix(out.String(), "\n")), 0o644); err != nil {
		return fmt.Errorf("cannot write the snapshots: %w", err)
	}
	return nil
}

func (m *collector) matchesSnapshot(of *engine.Type) engine.Function {
	return func(c *engine.Call) error {
		e := c.Self().(*expectation)
		if m.snapshots == nil || e.never {
			return engine.Errorf(engine.KindUsage, "snapshots belong into tests that `murlua test` runs, and are never negated")
		}
		m.mu.Lock()
		name := m.current.FullName()
		if given := c.OptString(1, ""); given != "" {
			name += " > " + given
		}
		m.names[name]++
		if n := m.names[name]; n > 1 {
			name += fmt.Sprintf(" #%d", n)
		}
		m.mu.Unlock()
		if message, diff := m.snapshots.check(oneLine(name), copyOf(c, e.value)); message != "" {
			failed := expectationError(message, diff)
			failed.Hint = "when the new value is right: murlua test --update-snapshots"
			return failed
		}
		return c.Return(of.Box(e))
	}
}
