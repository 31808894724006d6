package scenario

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// hookKind is when a suite's function runs.
type hookKind int

const (
	beforeAll hookKind = iota
	beforeEach
	afterEach
	afterAll
)

func (k hookKind) String() string {
	return [...]string{"before_all", "before_each", "after_each", "after_all"}[k]
}

type hook struct {
	kind hookKind
	line int
	fn   *lua.LFunction
}

// suite is a describe, or the file itself, which has no name.
type suite struct {
	parent *suite
	name   string
	line   int
	tags   []string
	within time.Duration // for each test; 0 is the parent's
	hooks  []hook
	items  []item
}

// item is what stands in a suite: one of the two is set.
type item struct {
	suite *suite
	test  *testCase
}

type testCase struct {
	suite   *suite
	ordinal int // counted in the order of the file, which is the same each time the file is loaded
	name    string
	line    int
	tags    []string
	within  time.Duration
	fn      *lua.LFunction
	args    []any // of a parametrised test
	pending bool
	reason  string
}

// chain returns the suites round the test, the file first.
func (t *testCase) chain() []*suite {
	var chain []*suite
	for s := t.suite; s != nil; s = s.parent {
		chain = append([]*suite{s}, chain...)
	}
	return chain
}

// describe returns what reports say of the test.
func (t *testCase) describe() Test {
	d := Test{Name: t.name, Line: t.line}
	for _, s := range t.chain() {
		if s.name != "" {
			d.Suites = append(d.Suites, s.name)
		}
		d.Tags = append(d.Tags, s.tags...)
	}
	d.Tags = append(d.Tags, t.tags...)
	return d
}

// lines are the test's own and those of the suites round it.
func (t *testCase) lines() []int {
	lines := []int{t.line}
	for _, s := range t.chain() {
		lines = append(lines, s.line)
	}
	return lines
}

// deadline is how long the test may run.
func (t *testCase) deadline(otherwise time.Duration) time.Duration {
	if t.within > 0 {
		return t.within
	}
	for s := t.suite; s != nil; s = s.parent {
		if s.within > 0 {
			return s.within
		}
	}
	return otherwise
}

// hooksOf returns the suite's functions of one kind, in the order of the file.
func (s *suite) hooksOf(kind hookKind) []hook {
	var found []hook
	for _, h := range s.hooks {
		if h.kind == kind {
			found = append(found, h)
		}
	}
	return found
}

// selected returns the tests that are run, in the order in which they are.
func (s *suite) selected(selection Selection, file string) []*testCase {
	place := file
	for outer := s; outer.parent != nil; outer = outer.parent {
		place += "\x00" + outer.name
	}
	items := append([]item(nil), s.items...)
	shuffle(selection.Seed, place, items)
	var tests []*testCase
	for _, it := range items {
		if it.suite != nil {
			tests = append(tests, it.suite.selected(selection, file)...)
		} else if selection.wants(file, it.test.describe(), it.test.lines()) {
			tests = append(tests, it.test)
		}
	}
	return tests
}

// count returns how many tests stand in the suite.
func (s *suite) count() int {
	n := 0
	for _, it := range s.items {
		if it.suite != nil {
			n += it.suite.count()
		} else {
			n++
		}
	}
	return n
}

// nameOfCase puts a case's values into a test's name: {field} and {1} stand for them. A name without any is numbered.
func nameOfCase(name string, number int, values map[string]string) string {
	var out strings.Builder
	used := false
	for rest := name; ; {
		before, after, found := strings.Cut(rest, "{")
		out.WriteString(before)
		if !found {
			break
		}
		key, tail, closed := strings.Cut(after, "}")
		text, known := values[key]
		if !closed || !known {
			out.WriteString("{")
			rest = after
			continue
		}
		out.WriteString(text)
		used, rest = true, tail
	}
	if !used {
		return fmt.Sprintf("%s [%d]", name, number)
	}
	return out.String()
}

// lineOf returns the line of a place such as "tests/lua/a_test.lua:12".
func lineOf(place string) int {
	if i := strings.LastIndexByte(place, ':'); i >= 0 {
		line, _ := strconv.Atoi(place[i+1:])
		return line
	}
	return 0
}
