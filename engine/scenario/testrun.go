package scenario

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"murlua/engine"
)

// outcome gathers what became of one test.
type outcome struct {
	failures []Failure
	skipped  *skipError
	spoiled  bool // the host is not to be used for another test
	stuck    bool // nothing runs in the host any more
}

// add notes an error. hooks and the test itself share this; kind is what an ordinary error counts as.
func (o *outcome) add(kind, prefix string, err error) {
	if err == nil {
		return
	}
	if skip, ok := errors.AsType[*skipError](err); ok {
		o.skipped = skip
		return
	}
	failure := failureOf(kind, err)
	if prefix != "" {
		if failure.Kind == FailedError || failure.Kind == FailedExpectation {
			failure.Kind = FailedHook
		}
		failure.Message = prefix + ": " + failure.Message
	}
	o.failures = append(o.failures, failure)
	o.spoiled, o.stuck = o.spoiled || spoils(err), o.stuck || isStuck(err)
}

// test runs one test, with the hooks round it. next is the one after it, or nil: suites that it is not in are over.
func (f *fileRun) test(ctx context.Context, t, next *testCase) {
	started := time.Now()
	described := t.describe()
	f.setCurrent(described)
	f.emit(Event{Kind: TestStarted})
	defer f.setCurrent(Test{})
	if t.pending {
		f.emit(Event{Kind: TestPending, Reason: t.reason})
		f.closeSuites(ctx, next, &outcome{})
		return
	}
	o := &outcome{}
	f.openSuites(ctx, t, o)
	if len(o.failures) == 0 && o.skipped == nil {
		f.body(ctx, t, described, o)
	}
	f.closeSuites(ctx, next, o)
	if o.spoiled {
		f.replaceHost(ctx, o)
	}
	e := Event{Kind: TestPassed, Took: time.Since(started)}
	switch {
	case len(o.failures) > 0:
		e.Kind, e.Failures = TestFailed, o.failures
	case o.skipped != nil:
		e = Event{Kind: TestPending, Reason: o.skipped.reason}
	}
	f.emit(e)
}

// body runs the test between its before_each and after_each functions, and ends what it started.
func (f *fileRun) body(ctx context.Context, t *testCase, described Test, o *outcome) {
	before := f.look(ctx, o)
	scope := f.host.OpenScope()
	f.tests.begin(described)
	deadline := f.run.options.Deadline
	ready := true
	for _, s := range t.chain() {
		for _, h := range s.hooksOf(beforeEach) {
			if !ready {
				break
			}
			err := f.call(ctx, h.kind.String(), deadline, h.fn)
			o.add(FailedHook, h.kind.String(), err)
			ready = err == nil
		}
	}
	if ready {
		o.add(FailedError, "", f.call(ctx, "the test", t.deadline(deadline), t.fn, t.args...))
	}
	// A host that was told to exit still runs what tidies up.
	cleanup := context.WithoutCancel(ctx)
	for fn := f.tests.takeFinal(); fn != nil && !o.stuck; fn = f.tests.takeFinal() {
		o.add(FailedHook, "finally", f.call(cleanup, "finally", deadline, fn))
	}
	chain := t.chain()
	for i := len(chain) - 1; i >= 0 && !o.stuck; i-- {
		for _, h := range chain[i].hooksOf(afterEach) {
			o.add(FailedHook, h.kind.String(), f.call(cleanup, h.kind.String(), deadline, h.fn))
		}
	}
	f.tests.end()
	f.endScope(ctx, scope, o)
	f.leftSince(ctx, before, "", o)
}

func (f *fileRun) endScope(ctx context.Context, scope *engine.Scope, o *outcome) {
	cleanup, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleaning)
	defer cancel()
	if err := scope.Close(cleanup); err != nil && !o.stuck {
		o.add(FailedError, "ending what the test started", err)
	}
	o.add(FailedError, "", f.host.Unjoined())
}

// openSuites runs the before_all functions of the suites round the test that are not open yet. One that fails
// fails each test in its suite.
func (f *fileRun) openSuites(ctx context.Context, t *testCase, o *outcome) {
	chain := t.chain()
	for _, s := range chain[len(f.opened):] {
		if len(o.failures) > 0 {
			return
		}
		opened := &openSuite{suite: s, scope: f.host.OpenScope(), before: f.look(ctx, o)}
		f.opened = append(f.opened, opened)
		mine := &outcome{}
		for _, h := range s.hooksOf(beforeAll) {
			if len(mine.failures) == 0 {
				mine.add(FailedHook, h.kind.String(), f.call(ctx, h.kind.String(), f.run.options.Deadline, h.fn))
			}
		}
		opened.failed, opened.skipped = mine.failures, mine.skipped
		o.spoiled, o.stuck = o.spoiled || mine.spoiled, o.stuck || mine.stuck
	}
	for _, s := range f.opened {
		o.failures = append(o.failures, s.failed...)
		if s.skipped != nil {
			o.skipped = s.skipped
		}
	}
}

// closeSuites runs the after_all functions of the suites that the next test is not in, the innermost first.
func (f *fileRun) closeSuites(ctx context.Context, next *testCase, o *outcome) {
	keep := 0
	if next != nil && !o.spoiled && !f.run.over(ctx) {
		chain := next.chain()
		for keep < len(f.opened) && keep < len(chain) && f.opened[keep].suite == chain[keep] {
			keep++
		}
	}
	cleanup := context.WithoutCancel(ctx)
	for i := len(f.opened) - 1; i >= keep; i-- {
		s := f.opened[i]
		for _, h := range s.suite.hooksOf(afterAll) {
			if o.stuck {
				break
			}
			o.add(FailedHook, h.kind.String(), f.call(cleanup, h.kind.String(), f.run.options.Deadline, h.fn))
		}
		f.endScope(ctx, s.scope, o)
		f.leftSince(ctx, s.before, "the suite round the test ", o)
	}
	f.opened = f.opened[:keep]
}

// replaceHost drops a host that was spoiled, and looks for what it left.
func (f *fileRun) replaceHost(ctx context.Context, o *outcome) {
	within := cleaning
	if o.stuck {
		within = time.Second // for the hooks; the call that is stuck is not worth waiting for
	}
	f.dropHost(ctx, within)
	f.leftSince(ctx, nil, "", o)
}

func (f *fileRun) look(ctx context.Context, o *outcome) []Left {
	found, err := f.surroundings.Look(context.WithoutCancel(ctx))
	o.add(FailedError, "looking for what tests leave", err)
	return found
}

// leftSince fails the test for everything that was not there before, and ends it.
func (f *fileRun) leftSince(ctx context.Context, before []Left, who string, o *outcome) {
	fresh := f.settled(ctx, before, o)
	if len(fresh) == 0 {
		return
	}
	cleanup, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleaning)
	defer cancel()
	var names []string
	for _, l := range f.surroundings.End(cleanup, fresh) {
		f.emit(Event{Kind: LeftBehind, Left: l})
		names = append(names, l.String())
	}
	o.failures = append(o.failures, Failure{Kind: FailedLeft, Message: who + "left behind: " + strings.Join(names, ", ")})
}

// settled looks for what was not there before. What is on its way out, such as a process that was told to go, is
// given a moment: nothing tells when it is gone, so this looks again, less and less often.
func (f *fileRun) settled(ctx context.Context, before []Left, o *outcome) []Left {
	known := map[Left]bool{}
	for _, l := range before {
		known[l] = true
	}
	for pause := time.Millisecond; ; pause *= 2 {
		fresh := slices.DeleteFunc(f.look(ctx, o), func(l Left) bool { return known[l] })
		if len(fresh) == 0 || pause > f.run.options.Settle {
			return fresh
		}
		_ = wait(context.WithoutCancel(ctx), pause)
	}
}
