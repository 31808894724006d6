package scenario

import (
	"fmt"
	"io"
	"strings"
)

// NewTAP returns a report in TAP version 14 (testanything.org): one test point for each test, YAML under those
// that failed, the plan last. A file that could not be loaded is a failed test point. The closing line is the
// last comment.
func NewTAP(w io.Writer) Reporter { return &tap{w: w} }

type tap struct {
	w      io.Writer
	points int
	output strings.Builder
}

func (t *tap) Event(e Event) error {
	var out strings.Builder
	switch e.Kind {
	case RunStarted:
		out.WriteString("TAP version 14\n")
		if e.Seed != 0 {
			fmt.Fprintf(&out, "# shuffled with seed %d\n", e.Seed)
		}
	case FileStarted, TestStarted:
		t.output.Reset()
	case Output:
		t.output.WriteString(e.Text)
	case TestPassed:
		t.point(&out, "ok", e, "")
	case TestPending:
		t.point(&out, "ok", e, strings.TrimRight(" # SKIP "+oneLine(e.Reason), " "))
	case TestFailed, FileFailed:
		t.point(&out, "not ok", e, "")
		t.diagnostics(&out, e)
	case RunEnded:
		fmt.Fprintf(&out, "1..%d\n# %s\n", t.points, Closing(e))
	}
	_, err := io.WriteString(t.w, out.String())
	return err
}

func (t *tap) point(out *strings.Builder, status string, e Event, directive string) {
	t.points++
	name := e.File
	if e.Kind != FileFailed {
		name += " > " + e.Test.FullName()
	}
	fmt.Fprintf(out, "%s %d - %s%s\n", status, t.points, tapEscape(name), directive)
}

// tapEscape keeps a description from being read as a directive.
func tapEscape(name string) string {
	return strings.NewReplacer(`\`, `\\`, "#", `\#`).Replace(oneLine(name))
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func (t *tap) diagnostics(out *strings.Builder, e Event) {
	out.WriteString("  ---\n")
	if e.Kind == TestFailed {
		fmt.Fprintf(out, "  at: %s\n", yamlText(fmt.Sprintf("%s:%d", e.File, e.Test.Line)))
	}
	out.WriteString("  failures:\n")
	for _, failure := range e.Failures {
		fmt.Fprintf(out, "    - kind: %s\n", failure.Kind)
		for _, field := range []struct{ key, text string }{
			{"message", failure.Message},
			{"where", failure.Where},
			{"diff", failure.Diff},
			{"hint", failure.Hint},
			{"traceback", failure.Traceback},
		} {
			yamlField(out, "      ", field.key, field.text)
		}
	}
	yamlField(out, "  ", "output", strings.TrimRight(t.output.String(), "\n"))
	out.WriteString("  ...\n")
}

// yamlField writes a field with text: on its line when it is one, else as a literal block whose indentation is
// said, since the text may begin with spaces.
func yamlField(out *strings.Builder, indent, key, text string) {
	switch {
	case text == "":
	case !strings.Contains(text, "\n"):
		fmt.Fprintf(out, "%s%s: %s\n", indent, key, yamlText(text))
	case strings.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }) >= 0:
		fmt.Fprintf(out, "%s%s: %s\n", indent, key, yamlText(text))
	default:
		fmt.Fprintf(out, "%s%s: |2-\n", indent, key)
		for _, line := range strings.Split(text, "\n") {
			out.WriteString(strings.TrimRight(indent+"  "+line, " ") + "\n")
		}
	}
}

// yamlText writes text as a double-quoted YAML scalar.
func yamlText(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			out.WriteByte('\\')
			out.WriteRune(r)
		case r == '\n':
			out.WriteString(`\n`)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&out, `\x%02X`, r)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
	return out.String()
}
