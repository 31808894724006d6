package scenario

import (
	"context"
	"fmt"
	"sync"
	"time"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine"
	"murlua/engine/value"
)

// Module is mur.test for scripts that no runner runs: expectations and conditions work, and what describes tests
// says how to run them.
func Module() engine.Module { return (&collector{}).module() }

// collector is the Go side of mur.test for one file in one host.
type collector struct {
	file      string
	tests     int
	snapshots *snapshots // nil outside of a runner

	mu      sync.Mutex // guards what follows
	at      *suite     // what is being described; nil when no file is being loaded
	finals  []*lua.LFunction
	running bool // a test runs: finally may be called
	names   map[string]int
	current Test
}

// skipError is how a test says that it cannot run here.
type skipError struct{ reason string }

func (e *skipError) Error() string     { return "skipped: " + e.reason }
func (e *skipError) ErrorKind() string { return "skip" }

func (m *collector) module() engine.Module {
	of := m.expectationType()
	return engine.Module{
		Name: "test",
		Doc:  "scenarios: describe, it, expect",
		Functions: map[string]engine.Function{
			"describe":    m.describe,
			"it":          m.it,
			"pending":     m.pending,
			"before_all":  m.hook(beforeAll),
			"before_each": m.hook(beforeEach),
			"after_each":  m.hook(afterEach),
			"after_all":   m.hook(afterAll),
			"finally":     m.finally,
			"skip":        func(c *engine.Call) error { return &skipError{c.OptString(1, "")} },
			"expect": func(c *engine.Call) error {
				return c.Return(of.Box(&expectation{value: c.Get(1)}))
			},
			"eventually": eventually,
		},
	}
}

// place returns the suite that is being described, or why there is none.
func (m *collector) place(c *engine.Call) (*suite, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.at != nil {
		return m.at, nil
	}
	if m.file == "" {
		return nil, &engine.Error{Kind: engine.KindUsage, Message: c.Name() + " describes tests, which only `murlua test` runs", Hint: "murlua test FILE"}
	}
	return nil, &engine.Error{Kind: engine.KindUsage, Message: c.Name() + " cannot be called while tests run", Hint: "call it in the file, or in a function given to describe"}
}

func (m *collector) describe(c *engine.Call) error {
	parent, err := m.place(c)
	if err != nil {
		return err
	}
	s := &suite{parent: parent, name: c.String(1), line: lineOf(c.Where())}
	body := c.Function(2)
	o := c.Options(3)
	s.tags, s.within = o.Strings("tags"), o.Duration("within", 0)
	o.Done(false)
	parent.items = append(parent.items, item{suite: s})
	m.setPlace(s)
	defer m.setPlace(parent)
	_, err = c.Call(body)
	return err
}

func (m *collector) setPlace(s *suite) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at = s
}

func (m *collector) it(c *engine.Call) error {
	s, err := m.place(c)
	if err != nil {
		return err
	}
	t := testCase{suite: s, name: c.String(1), line: lineOf(c.Where()), fn: c.Function(2)}
	o := c.Options(3)
	t.tags, t.within = o.Strings("tags"), o.Duration("within", 0)
	cases := o.Table("each")
	o.Done(false)
	if cases == nil {
		m.add(t)
		return nil
	}
	if cases.Len() == 0 {
		o.Bad("each", "a list of cases expected, got none")
	}
	for i := 1; i <= cases.Len(); i++ {
		one := t
		given := cases.RawGetInt(i)
		one.args = []any{given, i}
		one.name = nameOfCase(t.name, i, shownFields(given))
		m.add(one)
	}
	return nil
}

func (m *collector) add(t testCase) {
	m.tests++
	t.ordinal = m.tests
	t.suite.items = append(t.suite.items, item{test: &t})
}

// shownFields are the values of a case by the names that a test's name can use.
func shownFields(given lua.LValue) map[string]string {
	text := func(v lua.LValue) string {
		if s, ok := v.(lua.LString); ok {
			return string(s)
		}
		return value.Format(value.Of(v, value.Options{}), value.Limits{Depth: 1, Items: 5, String: 40, Width: 1 << 20})
	}
	table, ok := given.(*lua.LTable)
	if !ok {
		return map[string]string{"1": text(given)}
	}
	fields := map[string]string{}
	table.ForEach(func(key, v lua.LValue) { fields[key.String()] = text(v) })
	return fields
}

func (m *collector) pending(c *engine.Call) error {
	s, err := m.place(c)
	if err != nil {
		return err
	}
	t := testCase{suite: s, name: c.String(1), line: lineOf(c.Where()), pending: true}
	// The second argument is the reason, or the test that is to be written.
	if _, ok := c.Get(2).(*lua.LFunction); !ok {
		t.reason = c.OptString(2, "")
	}
	o := c.Options(3)
	t.tags = o.Strings("tags")
	o.Done(false)
	m.add(t)
	return nil
}

func (m *collector) hook(kind hookKind) engine.Function {
	return func(c *engine.Call) error {
		s, err := m.place(c)
		if err != nil {
			return err
		}
		s.hooks = append(s.hooks, hook{kind: kind, line: lineOf(c.Where()), fn: c.Function(1)})
		return nil
	}
}

func (m *collector) finally(c *engine.Call) error {
	fn := c.Function(1)
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.running {
		return &engine.Error{Kind: engine.KindUsage, Message: c.Name() + " belongs into a test: it runs its function when that test has ended"}
	}
	m.finals = append(m.finals, fn)
	return nil
}

// begin and end stand round a test: between them finally works and snapshots know their name.
func (m *collector) begin(t Test) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running, m.finals, m.names, m.current = true, nil, map[string]int{}, t
}

func (m *collector) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running = false
}

// takeFinal returns the function given to finally last, and forgets it; nil when there is none.
func (m *collector) takeFinal() *lua.LFunction {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.finals)
	if n == 0 {
		return nil
	}
	fn := m.finals[n-1]
	m.finals = m.finals[:n-1]
	return fn
}

// KindExpectation is the kind of the errors that expectations raise.
const KindExpectation = "expectation"

func expectationError(message, diff string) *engine.Error {
	e := &engine.Error{Kind: KindExpectation, Message: message}
	if diff != "" {
		e.Fields = map[string]any{"diff": diff}
	}
	return e
}

// eventually calls a function until it succeeds: until it returns nothing, or something that is neither nil nor
// false. What it raised or returned last is in the error.
func eventually(c *engine.Call) error {
	fn := c.Function(1)
	o := c.Options(2)
	within, longest := o.Duration("within", 5*time.Second), o.Duration("every", 50*time.Millisecond)
	o.Done(false)
	started, pause := time.Now(), time.Millisecond
	for {
		values, err := c.Call(fn)
		if err == nil && (len(values) == 0 || lua.LVAsBool(values[0])) {
			results := make([]any, len(values))
			for i, v := range values {
				results[i] = v
			}
			return c.Return(results...)
		}
		if time.Since(started) >= within {
			return notEventually(c, within, values, err)
		}
		pause = min(pause*3/2, longest, max(within-time.Since(started), time.Microsecond))
		if stopped := c.Block(func(ctx context.Context) error { return wait(ctx, pause) }); stopped != nil {
			return stopped
		}
	}
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func notEventually(c *engine.Call, within time.Duration, values []lua.LValue, err error) error {
	e := expectationError(fmt.Sprintf("the condition did not come true within %s", within), "")
	switch {
	case err != nil:
		failure := failureOf(FailedError, err)
		e.Message += "; the last try raised: " + failure.Message
		if failure.Diff != "" {
			e.Fields = map[string]any{"diff": failure.Diff}
		}
	case len(values) > 0:
		e.Message += "; the last try returned " + show(c, values[0])
		if len(values) > 1 {
			e.Message += ", " + show(c, values[1])
		}
	}
	return e
}
