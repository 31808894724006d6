package bindings

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"murlua/engine"
)

// Columns puts the cells of each row below those of the others, two blanks apart, a line for each row. Cells are shown as
// by [Printable]; the first row has as many as any.
func Columns(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var out strings.Builder
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += fmt.Sprintf("%-*s  ", widths[i], Printable(cell))
		}
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return out.String()
}

// Printable is text from a file that others wrote, without what would move the cursor or end the line.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

// columnsOf is columns(rows): a table for people.
func columnsOf(c *engine.Call) error {
	var rows [][]string
	c.Decode(1, &rows)
	return c.Return(Columns(rows))
}
