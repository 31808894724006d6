package meta

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const helpWidth = 100

// section writes rows of a name and a text under a title, the texts folded beside their names, or under
// them when the names are long.
func section(b *strings.Builder, title string, rows [][2]string) {
	if len(rows) == 0 {
		return
	}
	const widest = 34
	width := 0
	for _, row := range rows {
		if n := len(row[0]); n <= widest {
			width = max(width, n)
		}
	}
	fmt.Fprintf(b, "\n%s\n", title)
	pad := strings.Repeat(" ", width+4)
	for _, row := range rows {
		lines := fold(row[1], helpWidth-len(pad))
		switch {
		case len(lines) == 0:
			fmt.Fprintf(b, "  %s\n", row[0])
			continue
		case len(row[0]) > width:
			fmt.Fprintf(b, "  %s\n%s%s\n", row[0], pad, lines[0])
		default:
			fmt.Fprintf(b, "  %-*s  %s\n", width, row[0], lines[0])
		}
		for _, line := range lines[1:] {
			fmt.Fprintf(b, "%s%s\n", pad, line)
		}
	}
}

func example(b *strings.Builder, code string) {
	if code != "" {
		fmt.Fprintf(b, "\nExample\n%s\n", prefix(code, "  "))
	}
}

// fold breaks a text into lines no longer than width where it can.
func fold(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) > width:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// indent folds each paragraph and list item of a description, and sets tables.
func indent(text, by string) string {
	var out []string
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		var item []string
		flush := func() {
			first, rest := by, by
			if len(item) > 0 && strings.HasPrefix(item[0], "- ") {
				rest += "  "
			}
			for i, line := range fold(strings.Join(item, " "), helpWidth-len(rest)) {
				if i == 0 {
					out = append(out, first+line)
				} else {
					out = append(out, rest+line)
				}
			}
			item = nil
		}
		if strings.HasPrefix(paragraph, "|") {
			out = append(out, table(strings.Split(paragraph, "\n"), by)...)
			out = append(out, "")
			continue
		}
		for line := range strings.SplitSeq(paragraph, "\n") {
			if strings.HasPrefix(line, "- ") {
				flush()
			}
			item = append(item, line)
		}
		flush()
		out = append(out, "")
	}
	return strings.TrimRight(strings.Join(out, "\n"), "\n")
}

// table sets a Markdown table in columns, without its rules. Cells of the last column are not folded: a table has
// short ones.
func table(lines []string, by string) []string {
	var rows [][]string
	var widths []int
	for _, line := range lines {
		line = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "|"), "|")
		if strings.Trim(line, "|-: ") == "" {
			continue // the rule under the head
		}
		cells := strings.Split(line, "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cells[i]))
		}
		rows = append(rows, cells)
	}
	out := make([]string, len(rows))
	for n, row := range rows {
		line := by
		for i, one := range row {
			line += one + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(one)+2)
		}
		out[n] = strings.TrimRight(line, " ")
	}
	return out
}

func prefix(text, by string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		b.WriteString(strings.TrimRight(by+line, " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}
