package scenario

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine"
)

// fileRun runs the tests of one file.
type fileRun struct {
	run     *run
	name    string
	send    func(Event)
	started time.Time
	sum     Summary

	surroundings Surroundings
	snapshots    *snapshots
	source       string
	host         *engine.Host // nil when the last one was spoiled
	root         *suite       // as the host that runs now has loaded it
	tests        *collector
	opened       []*openSuite // from the outside

	mu      sync.Mutex // guards what follows: output comes from anywhere
	current Test
	printed int // bytes, of the current test
}

// maxOutput bounds what is kept of what one test prints.
const maxOutput = 1 << 20

// openSuite is a suite whose before_all functions have run.
type openSuite struct {
	suite   *suite
	scope   *engine.Scope
	before  []Left // what there was when it was opened
	failed  []Failure
	skipped *skipError
}

func (f *fileRun) emit(e Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e.File, e.At, e.Test = f.name, time.Since(f.run.started), f.current
	f.send(e)
	f.run.count(e.Kind, &f.sum)
}

// Write takes what scripts print.
func (f *fileRun) Write(text []byte) (int, error) {
	f.mu.Lock()
	before := f.printed
	f.printed += len(text)
	f.mu.Unlock()
	switch room := maxOutput - before; {
	case room >= len(text):
		f.emit(Event{Kind: Output, Text: string(text)})
	case room > 0:
		f.emit(Event{Kind: Output, Text: string(text[:room]) + "\n… the rest is left out\n"})
	}
	return len(text), nil
}

func (f *fileRun) setCurrent(t Test) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.current, f.printed = t, 0
}

func (f *fileRun) fail(kind string, err error) {
	f.emit(Event{Kind: FileFailed, Failures: []Failure{failureOf(kind, err)}})
}

// all loads the file and runs what is selected.
func (f *fileRun) all(ctx context.Context) {
	if !f.open(ctx) {
		return
	}
	defer f.close(ctx)
	selection := f.run.options.Selection
	tests := f.root.selected(selection, f.name)
	for i := 0; i < len(tests) && !f.run.over(ctx); i++ {
		var next *testCase
		if i+1 < len(tests) {
			next = tests[i+1]
		}
		f.test(ctx, tests[i], next)
		if f.host != nil || next == nil {
			continue
		}
		// The test spoiled its host: the rest runs in a fresh one, where the same tests have the same numbers.
		if !f.load(ctx) {
			return
		}
		byOrdinal := map[int]*testCase{}
		for _, t := range f.root.selected(Selection{}, f.name) {
			byOrdinal[t.ordinal] = t
		}
		for j := i + 1; j < len(tests); j++ {
			again := byOrdinal[tests[j].ordinal]
			if again == nil || again.name != tests[j].name {
				f.fail(FailedLoad, fmt.Errorf("the file describes other tests each time it is loaded: %q is missing", tests[j].name))
				return
			}
			tests[j] = again
		}
	}
	if err := f.snapshots.close(len(tests) == f.root.count()); err != nil {
		f.fail(FailedError, err)
	}
}

// open makes the surroundings and loads the file. When it fails it has said so, and left nothing.
func (f *fileRun) open(ctx context.Context) bool {
	path := f.name
	if !filepath.IsAbs(path) {
		path = filepath.Join(f.run.options.Folder, path)
	}
	source, err := os.ReadFile(path)
	if err != nil {
		f.fail(FailedLoad, fmt.Errorf("cannot read the file: %w", err))
		return false
	}
	f.source = string(source)
	if f.snapshots, err = openSnapshots(path, f.run.options.UpdateSnapshots); err != nil {
		f.fail(FailedLoad, err)
		return false
	}
	if f.surroundings, err = f.run.options.Surroundings(f.name); err != nil {
		f.fail(FailedError, fmt.Errorf("cannot make surroundings for the tests: %w", err))
		return false
	}
	if !f.load(ctx) {
		f.close(ctx)
		return false
	}
	return true
}

// load makes a host and runs the file in it.
func (f *fileRun) load(ctx context.Context) bool {
	f.opened = nil
	f.root = &suite{}
	f.tests = &collector{file: f.name, snapshots: f.snapshots, at: f.root}
	host, err := f.surroundings.Host(f.tests.module(), f)
	if err != nil {
		f.fail(FailedError, fmt.Errorf("cannot make a host for the tests: %w", err))
		return false
	}
	f.host = host
	d := f.run.options.Deadline
	loading, cancel := context.WithTimeoutCause(ctx, d, &deadlineError{"loading the file", d})
	defer cancel()
	_, err = host.Run(loading, f.name, f.source)
	f.tests.setPlace(nil)
	if err == nil {
		err = host.Unjoined()
	}
	if err != nil {
		f.fail(FailedLoad, err)
		return false
	}
	return true
}

// close ends everything of the file.
func (f *fileRun) close(ctx context.Context) {
	f.setCurrent(Test{})
	f.dropHost(ctx, cleaning)
	cleanup, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleaning)
	defer cancel()
	if err := f.surroundings.Close(cleanup); err != nil {
		f.fail(FailedLeft, err)
	}
}

// dropHost closes the host. What cannot be ended is found by the look for what was left.
func (f *fileRun) dropHost(ctx context.Context, within time.Duration) {
	if f.host == nil {
		return
	}
	cleanup, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer cancel()
	_ = f.host.Close(cleanup)
	f.host, f.opened = nil, nil
}

// call runs a function of the file as a task of its own, within its deadline. A spoiled host is dropped by the
// caller.
func (f *fileRun) call(ctx context.Context, what string, d time.Duration, fn *lua.LFunction, args ...any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, d, &deadlineError{what, d})
	defer cancel()
	task, err := f.host.Spawn(ctx, fn, args...)
	if err == nil {
		_, err = task.Wait(context.Background()) // the end of ctx stops the task
	}
	err = f.readable(err)
	if ctx.Err() != nil && !spoils(err) {
		// The script may have caught the error it was stopped with.
		if late, ok := errors.AsType[*deadlineError](context.Cause(ctx)); ok {
			if _, said := errors.AsType[*deadlineError](err); !said {
				return late
			}
		}
	}
	return err
}

// readable puts what a script raised into the message when it is a table: later nobody may read it.
func (f *fileRun) readable(err error) error {
	own, ok := err.(*engine.Error)
	if !ok || own.Value == nil || own.Value.Type() != lua.LTTable {
		return err
	}
	if meta, ok := own.Value.(*lua.LTable).Metatable.(*lua.LTable); ok && meta.RawGetString("__tostring") != lua.LNil {
		return err
	}
	text := ""
	showing, cancel := context.WithTimeout(context.Background(), time.Second) // a __tostring inside may hang
	defer cancel()
	if failed := f.host.Do(showing, func(c *engine.Call) error {
		text = show(c, own.Value)
		return nil
	}); failed != nil {
		return err
	}
	return &engine.Error{Kind: own.Kind, Message: "raised " + text, Where: own.Where, Trace: own.Trace}
}
