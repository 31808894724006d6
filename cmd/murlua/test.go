package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"murlua/bindings"
	"murlua/engine"
	"murlua/engine/scenario"
	"murlua/stdlib"
)

type testCommand struct {
	Tag     []string `help:"Run the tests that have this tag."`
	SkipTag []string `help:"Leave out the tests that have this tag."`
	Filter  []string `help:"Run the tests whose name contains this."`
	List    bool     `help:"List the tests instead of running them."`
	Shuffle bool     `help:"Run files and tests in a random order."`
	Seed    int64    `help:"Shuffle with this seed."`
	Jobs    int      `short:"j" help:"How many files run at the same time."`

	FailFast        bool          `help:"Start no test after one that failed."`
	Watch           bool          `help:"Run again when a Lua file changes."`
	Timeout         time.Duration `default:"30s" help:"How long a test may run that has no deadline of its own."`
	Report          []string      `help:"FORMAT or FORMAT=FILE: people, tap, junit or json."`
	Quiet           bool          `short:"q" help:"Leave out the tests that passed."`
	NoStrict        bool          `help:"Reading a global that nothing assigned gives nil."`
	UpdateSnapshots bool          `help:"Approve the values that tests have now as their snapshots."`

	Paths []string `arg:"" optional:"" help:"Files, folders, or FILE:LINE."`
}

func (c *testCommand) run(ctx context.Context, o *outside) error {
	files, lines, err := findTests(o.workdir, c.Paths)
	if err != nil {
		return err
	}
	options := c.options(o, files, lines)
	if c.List {
		return listTests(ctx, o, options)
	}
	if !c.Watch {
		return c.once(ctx, o, options)
	}
	changed, err := watchTests(o.workdir, c.Paths)
	if err != nil {
		return err
	}
	defer changed.close()
	for {
		err := c.once(ctx, o, options)
		if ctx.Err() != nil {
			return err
		}
		if err != nil && !errors.As(err, new(exitError)) {
			_ = fail(ctx, o.stderr, err)
		}
		writeAll(o.stderr, "waiting for a change\n")
		if err := changed.next(ctx); err != nil {
			return err
		}
		if options.Files, options.Selection.Lines, err = findTests(o.workdir, c.Paths); err != nil {
			return err
		}
	}
}

func (c *testCommand) options(o *outside, files []string, lines map[string][]int) scenario.Options {
	if c.Shuffle && c.Seed == 0 {
		var random [4]byte
		_, _ = rand.Read(random[:]) // never fails
		c.Seed = int64(binary.LittleEndian.Uint32(random[:])) + 1
	}
	if c.Jobs <= 0 {
		c.Jobs = runtime.NumCPU()
	}
	rooms := &testRooms{outside: o, library: engine.NewLibrary(stdlib.Files), noStrict: c.NoStrict}
	return scenario.Options{
		Files: files, Folder: o.workdir, Jobs: c.Jobs, FailFast: c.FailFast, Deadline: c.Timeout, UpdateSnapshots: c.UpdateSnapshots,
		Selection:    scenario.Selection{Names: c.Filter, Lines: lines, Tags: c.Tag, WithoutTags: c.SkipTag, Seed: c.Seed},
		Surroundings: rooms.open,
	}
}

// once runs everything once.
func (c *testCommand) once(ctx context.Context, o *outside, options scenario.Options) error {
	reports, err := openReports(o, c.Report, c.Quiet)
	if err != nil {
		return err
	}
	var broken error
	options.Report = func(e scenario.Event) {
		if err := reports.event(e); err != nil && broken == nil {
			broken = err
		}
	}
	sum := scenario.Run(ctx, options)
	if err := errors.Join(broken, reports.close()); err != nil {
		return fmt.Errorf("cannot write the report: %w", err)
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case sum.Failed > 0:
		return exitError{exitFailure}
	case sum.Ran() == 0:
		writeAll(o.stderr, "murlua: no test ran\n  hint: `murlua test --list` shows what there is\n")
		return exitError{exitUsage}
	}
	return nil
}

// testRooms makes what the tests of each file run in.
type testRooms struct {
	outside  *outside
	library  *engine.Library
	noStrict bool
}

func (r *testRooms) open(file string) (scenario.Surroundings, error) {
	o := r.outside
	folder := folderOf(o.workdir, file)
	room, err := bindings.NewTestRoom(bindings.TestRoomOptions{
		Temp: o.getenv("TMPDIR"), Environ: o.environ,
		World: func(environ []string) *bindings.World {
			w := o.world(folder)
			w.Environ = environ
			context.AfterFunc(o.hurried, w.Hurry)
			return w
		},
		Host: engine.Options{Stdlib: r.library, Script: file, Folders: []string{folder}, Strict: !r.noStrict},
	})
	if err != nil {
		return nil, err
	}
	return room, nil
}

func listTests(ctx context.Context, o *outside, options scenario.Options) error {
	tests, failed := scenario.List(ctx, options)
	found := false
	for _, file := range options.Files {
		for _, t := range tests[file] {
			found = true
			text := fmt.Sprintf("%s:%d  %s", file, t.Line, t.FullName())
			for _, tag := range t.Tags {
				text += " #" + tag
			}
			writeAll(o.stdout, text+"\n")
		}
		if f, ok := failed[file]; ok {
			writeAll(o.stderr, fmt.Sprintf("murlua: cannot load %s: %s\n", file, f.Message))
		}
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case len(failed) > 0:
		return exitError{exitFailure}
	case !found:
		return exitError{exitUsage}
	}
	return nil
}

// reports is everything that is written of one run.
type reports struct {
	mu      sync.Mutex
	writers []scenario.Reporter
	files   []io.Closer
	closing io.Writer // gets the closing line when no report for people does; may be nil
}

func openReports(o *outside, asked []string, quiet bool) (*reports, error) {
	r := &reports{}
	toStdout := ""
	for _, text := range asked {
		format, path := cutReport(text)
		var w io.Writer = o.stdout
		if path != "" {
			file, err := os.Create(pathFrom(o.workdir, path))
			if err != nil {
				return nil, errors.Join(fmt.Errorf("cannot write the report: %w", err), r.close())
			}
			r.files, w = append(r.files, file), file
		} else if toStdout != "" {
			return nil, errors.Join(&usageError{"test", fmt.Errorf("the reports %s and %s cannot both go to standard output", toStdout, format)}, r.close())
		} else {
			toStdout = format
		}
		reporter, err := newReporter(o, format, w, path != "", quiet)
		if err != nil {
			return nil, errors.Join(err, r.close())
		}
		r.writers = append(r.writers, reporter)
	}
	if toStdout == "" {
		people, _ := newReporter(o, "people", o.stdout, false, quiet)
		r.writers = append(r.writers, people)
	}
	if toStdout == "junit" || toStdout == "json" {
		r.closing = o.stderr
	}
	return r, nil
}

func newReporter(o *outside, format string, w io.Writer, isFile, quiet bool) (scenario.Reporter, error) {
	switch format {
	case "people":
		colour := !isFile && o.colours(o.terminalOf(o.stdout))
		return scenario.NewPeople(w, scenario.PeopleOptions{Colour: colour, Quiet: quiet}), nil
	case "tap":
		return scenario.NewTAP(w), nil
	case "junit":
		return scenario.NewJUnit(w), nil
	case "json":
		return scenario.NewJSON(w), nil
	}
	return nil, &usageError{"test", fmt.Errorf("there is no report %q: it is people, tap, junit or json", format)}
}

func (r *reports) event(e scenario.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for _, w := range r.writers {
		errs = append(errs, w.Event(e))
	}
	if e.Kind == scenario.RunEnded && r.closing != nil {
		writeAll(r.closing, scenario.Closing(e)+"\n")
	}
	return errors.Join(errs...)
}

func (r *reports) close() error {
	var errs []error
	for _, file := range r.files {
		errs = append(errs, file.Close())
	}
	return errors.Join(errs...)
}
