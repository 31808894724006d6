package scenario

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// PeopleOptions say how the report for people looks.
type PeopleOptions struct {
	Colour bool
	// Quiet leaves out the lines of tests that passed.
	Quiet bool
	// Times of tests that took at least so long are shown; 0 means 100 ms, negative never.
	SlowFrom time.Duration
}

// NewPeople returns the report that people read: one line for each test as it ends, under a failed one why, with
// the difference and what the test printed. Its last line is "N passed, N failed".
func NewPeople(w io.Writer, options PeopleOptions) Reporter {
	if options.SlowFrom == 0 {
		options.SlowFrom = 100 * time.Millisecond
	}
	return &people{w: w, options: options}
}

type people struct {
	w       io.Writer
	options PeopleOptions
	suites  []string // whose names were printed last
	file    string   // whose name was not printed yet
	output  strings.Builder
	failed  []string // "file:line full name" of each failure
}

func (p *people) Event(e Event) error {
	var out strings.Builder
	switch e.Kind {
	case RunStarted:
		if e.Seed != 0 {
			fmt.Fprintf(&out, "shuffled with seed %d\n", e.Seed)
		}
	case FileStarted:
		p.file, p.suites = e.File, nil
		p.output.Reset()
	case TestStarted:
		p.output.Reset()
	case Output:
		p.output.WriteString(e.Text)
	case TestPassed, TestFailed, TestPending:
		p.test(&out, e)
	case FileFailed:
		p.heading(&out, Test{})
		fmt.Fprintf(&out, "  %s the file\n", p.paint(red, "FAIL"))
		p.failures(&out, "       ", e.Failures)
		p.failed = append(p.failed, e.File)
	case RunEnded:
		p.end(&out, e)
	}
	_, err := io.WriteString(p.w, out.String())
	return err
}

func (p *people) test(out *strings.Builder, e Event) {
	if e.Kind == TestPassed && p.options.Quiet {
		return
	}
	p.heading(out, e.Test)
	indent := strings.Repeat("  ", len(e.Test.Suites)+1)
	mark := map[Kind]string{TestPassed: p.paint(green, "ok  "), TestFailed: p.paint(red, "FAIL"), TestPending: p.paint(yellow, "pend")}[e.Kind]
	fmt.Fprintf(out, "%s%s %s", indent, mark, e.Test.Name)
	if e.Kind == TestPending && e.Reason != "" {
		out.WriteString(": " + oneLine(e.Reason))
	}
	if p.options.SlowFrom > 0 && e.Took >= p.options.SlowFrom {
		out.WriteString(p.paint(faint, " ("+shortDuration(e.Took)+")"))
	}
	out.WriteString("\n")
	if e.Kind != TestFailed {
		return
	}
	p.failed = append(p.failed, fmt.Sprintf("%s:%d %s", e.File, e.Test.Line, e.Test.FullName()))
	p.failures(out, indent+"     ", e.Failures)
}

// heading prints the names of the file and of the suites round the test that were not printed yet.
func (p *people) heading(out *strings.Builder, t Test) {
	if p.file != "" {
		out.WriteString(p.paint(bold, p.file) + "\n")
		p.file = ""
	}
	common := 0
	for common < len(t.Suites) && common < len(p.suites) && t.Suites[common] == p.suites[common] {
		common++
	}
	for depth := common; depth < len(t.Suites); depth++ {
		out.WriteString(strings.Repeat("  ", depth+1) + t.Suites[depth] + "\n")
	}
	p.suites = t.Suites
}

func (p *people) failures(out *strings.Builder, indent string, failures []Failure) {
	for _, failure := range failures {
		text := failure.Message
		if failure.Where != "" {
			text = failure.Where + ": " + text
		}
		writeIndented(out, indent, text)
		if failure.Diff != "" {
			writeIndented(out, indent, p.colourDiff(failure.Diff))
		}
		if failure.Hint != "" {
			writeIndented(out, indent, "hint: "+failure.Hint)
		}
		if failure.Traceback != "" {
			writeIndented(out, indent, p.paint(faint, failure.Traceback))
		}
	}
	if printed := p.output.String(); printed != "" {
		writeIndented(out, indent, p.paint(faint, "it printed:"))
		if !p.options.Colour {
			printed = strings.ReplaceAll(printed, "\x1b", "\\27")
		}
		writeIndented(out, indent+"| ", strings.TrimRight(printed, "\n"))
	}
}

func (p *people) end(out *strings.Builder, e Event) {
	if len(p.failed) > 0 {
		out.WriteString("\nfailed:\n")
		for _, name := range p.failed {
			out.WriteString("  " + name + "\n")
		}
	}
	fmt.Fprintf(out, "\n%d %s in %s", e.Files, plural(e.Files, "file"), shortDuration(e.Took))
	if e.Pending > 0 {
		fmt.Fprintf(out, ", %d pending", e.Pending)
	}
	out.WriteString("\n")
	colour := green
	if e.Failed > 0 {
		colour = red
	}
	out.WriteString(p.paint(colour, Closing(e)) + "\n")
}

// Closing is the last line of every run: "N passed, N failed".
func Closing(end Event) string { return fmt.Sprintf("%d passed, %d failed", end.Passed, end.Failed) }

type colour string

// Select Graphic Rendition codes of ECMA-48.
const (
	bold   colour = "1"
	faint  colour = "2"
	red    colour = "31"
	green  colour = "32"
	yellow colour = "33"
)

func (p *people) paint(c colour, text string) string {
	if !p.options.Colour {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}

func (p *people) colourDiff(diff string) string {
	lines := strings.Split("- expected\n+ got\n"+diff, "\n")
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "-"):
			lines[i] = p.paint(green, line)
		case strings.HasPrefix(line, "+"):
			lines[i] = p.paint(red, line)
		}
	}
	return strings.Join(lines, "\n")
}

func writeIndented(out *strings.Builder, indent, text string) {
	for _, line := range strings.Split(text, "\n") {
		out.WriteString(strings.TrimRight(indent+line, " ") + "\n")
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

func shortDuration(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}
