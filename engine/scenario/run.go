package scenario

import (
	"context"
	"io"
	"sync"
	"time"

	"murlua/engine"
)

// Options say what [Run] runs. Files, Surroundings and Report are required.
type Options struct {
	Files     []string // in the order of the report
	Folder    string   // where relative files are; "" is the process's working directory
	Selection Selection
	Jobs      int           // how many files run at the same time; 0 is 1
	FailFast  bool          // start no test after one that failed
	Deadline  time.Duration // for a test that has none of its own, and for each hook; 0 is 30 s
	// Settle is about how long what a test left may take to go by itself; 0 is half a second.
	Settle time.Duration
	// UpdateSnapshots approves the values that tests have now.
	UpdateSnapshots bool
	// Surroundings makes what one file's tests run in.
	Surroundings func(file string) (Surroundings, error)
	// Report takes the events, one at a time.
	Report func(Event)
}

// Surroundings are what the tests of one file run in, apart from those of other files: they have a home directory
// of their own. They are used by one goroutine at a time.
type Surroundings interface {
	// Host makes a host whose scripts see the module, besides all others, and whose output goes to out, which may be
	// used by several goroutines. It is called again when a test has spoiled the last one.
	Host(test engine.Module, out io.Writer) (*engine.Host, error)
	// Look lists everything there is that a test could leave behind.
	Look(ctx context.Context) ([]Left, error)
	// End ends, or removes, what was left, and says so in Done. It returns when that is so, or when ctx ends.
	End(ctx context.Context, left []Left) []Left
	// Close removes the surroundings, with everything that is still there.
	Close(ctx context.Context) error
}

func (o *Options) setDefaults() {
	if o.Deadline == 0 {
		o.Deadline = 30 * time.Second
	}
	if o.Settle == 0 {
		o.Settle = 500 * time.Millisecond
	}
}

// Summary is how a run ended.
type Summary struct{ Passed, Failed, Pending int }

// Ran is how many tests were run.
func (s Summary) Ran() int { return s.Passed + s.Failed }

// cleaning bounds the end of what one test started.
const cleaning = 30 * time.Second

// Run runs the files and returns when all have ended and nothing of them is left. The end of ctx stops the tests
// that run, and starts no others; what they started is ended all the same.
func Run(ctx context.Context, o Options) Summary {
	r := &run{options: o, started: time.Now()}
	r.options.setDefaults()
	jobs := max(1, min(o.Jobs, len(o.Files)))
	files := append([]string(nil), o.Files...)
	shuffle(o.Selection.Seed, "", files)
	r.report(Event{Kind: RunStarted, Seed: o.Selection.Seed, Files: len(files), Jobs: jobs})
	order := newInOrder(len(files), r.report)
	next := make(chan int)
	var workers sync.WaitGroup
	for range jobs {
		workers.Go(func() {
			for i := range next {
				r.file(ctx, files[i], func(e Event) { order.send(i, e) })
			}
		})
	}
	for i := range files {
		next <- i
	}
	close(next)
	workers.Wait()
	took := time.Since(r.started)
	r.report(Event{
		Kind: RunEnded, Files: len(files), At: took, Took: took,
		Passed: r.sum.Passed, Failed: r.sum.Failed, Pending: r.sum.Pending,
	})
	return r.sum
}

type run struct {
	options Options
	started time.Time

	reporting sync.Mutex

	mu  sync.Mutex
	sum Summary
}

func (r *run) report(e Event) {
	r.reporting.Lock()
	defer r.reporting.Unlock()
	r.options.Report(e)
}

// over reports whether no further test is to be started.
func (r *run) over(ctx context.Context) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return ctx.Err() != nil || r.options.FailFast && r.sum.Failed > 0
}

// file runs one file.
func (r *run) file(ctx context.Context, name string, send func(Event)) {
	f := &fileRun{run: r, name: name, send: send, started: time.Now()}
	f.emit(Event{Kind: FileStarted})
	if !r.over(ctx) {
		f.all(ctx)
	}
	f.emit(Event{Kind: FileEnded, Took: time.Since(f.started), Passed: f.sum.Passed, Failed: f.sum.Failed, Pending: f.sum.Pending})
}

// count adds a result.
func (r *run) count(kind Kind, sums ...*Summary) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, sum := range append(sums, &r.sum) {
		switch kind {
		case TestPassed:
			sum.Passed++
		case TestFailed, FileFailed:
			sum.Failed++
		case TestPending:
			sum.Pending++
		}
	}
}

// List loads the files and returns their tests, in the order in which they would run, without running any.
// Failures of loading are among the errors.
func List(ctx context.Context, o Options) (map[string][]Test, map[string]Failure) {
	tests, failed := map[string][]Test{}, map[string]Failure{}
	r := &run{options: o, started: time.Now()}
	r.options.setDefaults()
	for _, name := range o.Files {
		f := &fileRun{run: r, name: name, send: func(e Event) {
			if e.Kind == FileFailed {
				failed[e.File] = e.Failures[0]
			}
		}}
		if !f.open(ctx) {
			continue
		}
		for _, t := range f.root.selected(o.Selection, name) {
			tests[name] = append(tests[name], t.describe())
		}
		f.close(ctx)
	}
	return tests, failed
}
