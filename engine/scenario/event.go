package scenario

import (
	"strings"
	"time"
)

// Kind says what an [Event] tells.
type Kind string

// The kinds of events, in the order in which a run sends them. Between FileStarted and FileEnded stand only
// events of that file; between TestStarted and the event that ends the test only those of that test.
const (
	RunStarted  Kind = "run_started"
	FileStarted Kind = "file_started"
	TestStarted Kind = "test_started"
	Output      Kind = "output"      // something the test, or the file around its tests, printed
	LeftBehind  Kind = "left_behind" // something a test left; the test fails too
	TestPassed  Kind = "test_passed"
	TestFailed  Kind = "test_failed"
	TestPending Kind = "test_pending" // not run; Reason says why
	FileFailed  Kind = "file_failed"  // the file could not be loaded, or failed outside of its tests; counts as one failure
	FileEnded   Kind = "file_ended"
	RunEnded    Kind = "run_ended"
)

// Event is one thing that happened in a run. Which fields are set depends on its kind.
type Event struct {
	Kind Kind
	At   time.Duration // since the run started, on the monotonic clock
	File string        // all but RunStarted and RunEnded
	Test Test          // the events of a test

	Seed  int64 // RunStarted: of the shuffle, 0 when the order is the files'
	Files int   // RunStarted: how many there are
	Jobs  int   // RunStarted: how many run at the same time

	Text     string        // Output
	Left     Left          // LeftBehind
	Failures []Failure     // TestFailed, FileFailed: at least one
	Reason   string        // TestPending; may be empty
	Took     time.Duration // TestPassed, TestFailed, FileEnded, RunEnded

	Passed, Failed, Pending int // FileEnded: of the file; RunEnded: of the run
}

// Test names a test.
type Test struct {
	Suites []string // the describes round it, from the outside
	Name   string
	Line   int      // where its file says so
	Tags   []string // its own and those of the suites round it
}

// FullName is the names of the suites and the test's own, joined by " > ".
func (t Test) FullName() string {
	return strings.Join(append(append([]string{}, t.Suites...), t.Name), " > ")
}

// Failure is one reason why a test failed. A test can have several: its own error, an error of a hook after it,
// and what it left behind.
type Failure struct {
	Kind      string // FailedExpectation, FailedError …
	Message   string // one or more lines
	Where     string // "file:line" of the script, empty when unknown
	Diff      string // as value.Diff writes it; may be empty
	Hint      string
	Traceback string
}

// The kinds of failures. Each has its word in every report.
const (
	FailedExpectation = "expectation" // t.expect or t.eventually
	FailedError       = "error"       // any other error
	FailedHook        = "hook"        // an error in a before or after function
	FailedDeadline    = "deadline"    // the test ran longer than it may
	FailedExit        = "exit"        // it called os.exit
	FailedPanic       = "panic"       // a defect of the host, with a Go stack
	FailedLoad        = "load"        // the file could not be loaded
	FailedLeft        = "left_behind" // it left something
)

// Left is something a test left behind, and what was done about it.
type Left struct {
	Kind string // "process", "record", "directory", "port"
	Name string // what a person finds it by: "pid 4711 (sleep 60)", a path, "127.0.0.1:6390"
	Done string // "killed", "removed", or why it could not be
}

func (l Left) String() string {
	text := l.Kind + " " + l.Name
	if l.Done != "" {
		text += " (" + l.Done + ")"
	}
	return text
}

// Reporter turns events into a report.
type Reporter interface {
	// Event takes the next event of the stream. The caller never calls it twice at the same time. The report
	// is complete when Event has returned from RunEnded. An error is the writer's.
	Event(Event) error
}
