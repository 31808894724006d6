package scenario

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
)

// NewJUnit returns a report in the XML that Jenkins, GitLab and others read as JUnit's: a testsuite for each
// file, a testcase for each test, its suites as the class name. It is written when the run has ended.
func NewJUnit(w io.Writer) Reporter { return &junit{w: w} }

type junit struct {
	w      io.Writer
	suites []junitSuite
	output strings.Builder
}

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	File     string      `xml:"file,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class    string         `xml:"classname,attr"`
	Name     string         `xml:"name,attr"`
	File     string         `xml:"file,attr"`
	Line     int            `xml:"line,attr,omitempty"`
	Time     string         `xml:"time,attr"`
	Failures []junitFailure `xml:"failure"`
	Skipped  *junitSkipped  `xml:"skipped"`
	Output   string         `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

type junitSkipped struct {
	Message string `xml:"message,attr,omitempty"`
}

func (j *junit) Event(e Event) error {
	switch e.Kind {
	case FileStarted:
		j.suites = append(j.suites, junitSuite{Name: e.File, File: e.File})
		j.output.Reset()
	case TestStarted:
		j.output.Reset()
	case Output:
		j.output.WriteString(e.Text)
	case TestPassed, TestFailed, TestPending, FileFailed:
		j.add(e)
	case FileEnded:
		j.suites[len(j.suites)-1].Time = seconds(e.Took)
	case RunEnded:
		return j.write(e)
	}
	return nil
}

func (j *junit) add(e Event) {
	suite := &j.suites[len(j.suites)-1]
	c := junitCase{Class: e.File, Name: e.Test.Name, File: e.File, Line: e.Test.Line, Time: seconds(e.Took)}
	if len(e.Test.Suites) > 0 {
		c.Class += " > " + strings.Join(e.Test.Suites, " > ")
	}
	suite.Tests++
	switch e.Kind {
	case TestPending:
		suite.Skipped++
		c.Skipped = &junitSkipped{Message: e.Reason}
	case FileFailed:
		c.Name = "the file"
		fallthrough
	case TestFailed:
		suite.Failures++
		for _, failure := range e.Failures {
			first, _, _ := strings.Cut(failure.Message, "\n")
			c.Failures = append(c.Failures, junitFailure{Type: failure.Kind, Message: first, Text: failureText(failure)})
		}
		c.Output = j.output.String()
	}
	suite.Cases = append(suite.Cases, c)
}

// failureText is everything known of a failure, as plain text.
func failureText(f Failure) string {
	text := f.Message
	if f.Where != "" {
		text = f.Where + ": " + text
	}
	if f.Diff != "" {
		text += "\n- expected\n+ got\n" + f.Diff
	}
	if f.Hint != "" {
		text += "\nhint: " + f.Hint
	}
	if f.Traceback != "" {
		text += "\n" + f.Traceback
	}
	return text
}

func (j *junit) write(e Event) error {
	// Files that failed outside of their tests are counted as failures by the run, and are cases here: so the
	// sums agree.
	all := junitSuites{Tests: e.Passed + e.Failed + e.Pending, Failures: e.Failed, Skipped: e.Pending, Time: seconds(e.Took), Suites: j.suites}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("cannot write the JUnit report: %w", err)
	}
	_, err = fmt.Fprintf(j.w, "%s%s\n", xml.Header, text)
	return err
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
