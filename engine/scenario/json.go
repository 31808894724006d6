package scenario

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
)

// NewJSON returns a report of one JSON object a line, one for each event, as soon as it happens. Times are
// seconds.
func NewJSON(w io.Writer) Reporter { return &jsonLines{w: w} }

type jsonLines struct{ w io.Writer }

// jsonEvent gives the keys their order and their presence: counts stand only where they are known.
type jsonEvent struct {
	Event    Kind          `json:"event"`
	At       float64       `json:"at"`
	File     string        `json:"file,omitempty"`
	Suites   []string      `json:"suites,omitempty"`
	Test     string        `json:"test,omitempty"`
	Line     int           `json:"line,omitempty"`
	Tags     []string      `json:"tags,omitempty"`
	Seed     int64         `json:"seed,omitempty"`
	Files    int           `json:"files,omitempty"`
	Jobs     int           `json:"jobs,omitempty"`
	Text     string        `json:"text,omitempty"`
	Left     *jsonLeft     `json:"left,omitempty"`
	Failures []jsonFailure `json:"failures,omitempty"`
	Reason   string        `json:"reason,omitempty"`
	Took     *float64      `json:"took,omitempty"`
	Passed   *int          `json:"passed,omitempty"`
	Failed   *int          `json:"failed,omitempty"`
	Pending  *int          `json:"pending,omitempty"`
}

type jsonLeft struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	Done string `json:"done,omitempty"`
}

type jsonFailure struct {
	Kind      string `json:"kind"`
	Message   string `json:"message"`
	Where     string `json:"where,omitempty"`
	Diff      string `json:"diff,omitempty"`
	Hint      string `json:"hint,omitempty"`
	Traceback string `json:"traceback,omitempty"`
}

func (j *jsonLines) Event(e Event) error {
	out := jsonEvent{
		Event: e.Kind, At: inSeconds(e.At.Seconds()), File: e.File, Suites: e.Test.Suites, Test: e.Test.Name, Line: e.Test.Line,
		Tags: e.Test.Tags, Seed: e.Seed, Files: e.Files, Jobs: e.Jobs, Text: e.Text, Reason: e.Reason,
	}
	for _, f := range e.Failures {
		out.Failures = append(out.Failures, jsonFailure(f))
	}
	switch e.Kind {
	case LeftBehind:
		left := jsonLeft(e.Left)
		out.Left = &left
	case TestPassed, TestFailed:
		out.Took = new(inSeconds(e.Took.Seconds()))
	case FileEnded, RunEnded:
		out.Took = new(inSeconds(e.Took.Seconds()))
		out.Passed, out.Failed, out.Pending = &e.Passed, &e.Failed, &e.Pending
	}
	encoder := json.NewEncoder(j.w)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(out); err != nil {
		return fmt.Errorf("cannot write the event %s: %w", e.Kind, err)
	}
	return nil
}

// inSeconds rounds to microseconds: more digits say nothing.
func inSeconds(s float64) float64 { return math.Round(s*1e6) / 1e6 }
