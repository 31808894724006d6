package value

import (
	"fmt"
	"strings"
)

// Diff says where got differs from want, one line for each place: lines of want alone begin with "-", those of
// got alone with "+", and what is equal round them with a space. Equal entries further away are counted. Text
// of several lines is compared line by line. It returns "" for equal values.
func Diff(want, got Value) string {
	if Equal(want, got) {
		return ""
	}
	d := differ{open: map[[2]*Contents]bool{}}
	d.values("", "", want, got, 0)
	if over := len(d.lines) - maxDiffLines; over > 0 {
		d.lines = append(d.lines[:maxDiffLines], fmt.Sprintf("  … %s more", count(over, "line")))
	}
	return strings.Join(d.lines, "\n")
}

const (
	// maxDiffLines bounds a diff: beyond it nobody reads.
	maxDiffLines = 400
	// aroundDifference is how many equal entries are shown before and after a difference.
	aroundDifference = 2
	// maxAligned bounds the lists that are aligned: the table of the alignment has the product of the lengths.
	maxAligned = 1000
)

type differ struct {
	lines []string
	open  map[[2]*Contents]bool // pairs of tables we are inside of
}

func (d *differ) add(mark string, depth int, text string) {
	indent := strings.Repeat("  ", depth)
	for _, line := range strings.Split(text, "\n") {
		d.lines = append(d.lines, mark+" "+indent+line)
	}
}

// values adds the difference of two values that stand at the same place; label stands before them, end after them.
func (d *differ) values(label, end string, want, got Value, depth int) {
	switch {
	case want.Kind == Table && got.Kind == Table && !d.open[[2]*Contents{want.Table, got.Table}]:
		d.tables(label, end, want.Table, got.Table, depth)
	case want.Kind == String && got.Kind == String && manyLines(want.Text) && manyLines(got.Text):
		d.texts(label, want.Text, got.Text, depth)
	default:
		wantShown, gotShown := show(want), show(got)
		if wantShown == gotShown {
			end += " -- another one"
		}
		d.add("-", depth, label+wantShown+end)
		d.add("+", depth, label+gotShown+end)
	}
}

func manyLines(s string) bool { return strings.Contains(s, "\n") }

func show(v Value) string { return Format(v, Limits{Width: 80, Depth: 4, Items: 20, Lines: 40}) }

func (d *differ) tables(label, end string, want, got *Contents, depth int) {
	pair := [2]*Contents{want, got}
	d.open[pair] = true
	defer delete(d.open, pair)
	d.add(" ", depth, label+"{")
	rows := alignLists(want.List, got.List)
	rows = append(rows, alignFields(want, got)...)
	d.rows(rows, depth+1)
	if want.Cut || got.Cut {
		d.add(" ", depth+1, "… too large to compare in full")
	}
	d.add(" ", depth, "}"+end)
}

// row is one entry of two tables: in both (equal or not), or in one of them only.
type row struct {
	label       string
	want, got   Value
	gone, fresh bool // only in want, only in got
	same        bool
}

// rows adds the rows that differ, with the equal ones near them.
func (d *differ) rows(rows []row, depth int) {
	near := make([]bool, len(rows))
	for i, r := range rows {
		if !r.same {
			for j := max(0, i-aroundDifference); j <= min(len(rows)-1, i+aroundDifference); j++ {
				near[j] = true
			}
		}
	}
	skipped := 0
	flush := func() {
		if skipped > 0 {
			d.add(" ", depth, fmt.Sprintf("… %d equal", skipped))
			skipped = 0
		}
	}
	for i, r := range rows {
		if !near[i] {
			skipped++
			continue
		}
		flush()
		switch {
		case r.gone:
			d.add("-", depth, r.label+show(r.want)+",")
		case r.fresh:
			d.add("+", depth, r.label+show(r.got)+",")
		case r.same:
			d.add(" ", depth, r.label+Format(r.got, Limits{Depth: 1, Items: 6, String: 80})+",")
		default:
			d.values(r.label, ",", r.want, r.got, depth)
		}
	}
	flush()
}

func alignFields(want, got *Contents) []row {
	var rows []row
	p := &printer{limits: Limits{}.withDefaults(), numbers: map[*Contents]int{}}
	label := func(key Value) string { return p.key(key) + " = " }
	others, mine := newFieldIndex(got.Fields), newFieldIndex(want.Fields)
	i, j := 0, 0
	for i < len(want.Fields) || j < len(got.Fields) {
		fromWant := i < len(want.Fields)
		if fromWant && j < len(got.Fields) {
			fromWant = compareKeys(want.Fields[i].Key, got.Fields[j].Key) <= 0
		}
		if fromWant {
			f := want.Fields[i]
			i++
			other, both := others.find(f.Key)
			rows = append(rows, row{label: label(f.Key), want: f.Value, got: other, gone: !both, same: both && Equal(f.Value, other)})
			continue
		}
		f := got.Fields[j]
		j++
		if _, both := mine.find(f.Key); !both {
			rows = append(rows, row{label: label(f.Key), got: f.Value, fresh: true})
		}
	}
	return rows
}

// alignLists pairs the items of two lists so that as many as possible are equal; items between them that are
// missing on both sides are paired as changed.
func alignLists(want, got []Value) []row {
	var rows []row
	for len(want) > 0 && len(got) > 0 && Equal(want[0], got[0]) {
		rows = append(rows, row{want: want[0], got: got[0], same: true})
		want, got = want[1:], got[1:]
	}
	tail := 0
	for tail < len(want) && tail < len(got) && Equal(want[len(want)-1-tail], got[len(got)-1-tail]) {
		tail++
	}
	same := got[len(got)-tail:]
	rows = append(rows, alignMiddle(want[:len(want)-tail], got[:len(got)-tail])...)
	for _, item := range same {
		rows = append(rows, row{want: item, got: item, same: true})
	}
	return rows
}

func alignMiddle(want, got []Value) []row {
	if len(want)*len(got) > maxAligned*maxAligned {
		return pair(want, got)
	}
	var rows []row
	i, j := 0, 0
	for _, match := range longestCommon(len(want), len(got), func(i, j int) bool { return Equal(want[i], got[j]) }) {
		rows = append(rows, pair(want[i:match[0]], got[j:match[1]])...)
		i, j = match[0]+1, match[1]+1
		rows = append(rows, row{want: want[i-1], got: got[j-1], same: true})
	}
	return append(rows, pair(want[i:], got[j:])...)
}

// pair puts two runs of unequal items beside each other; the longer one's rest stands alone.
func pair(want, got []Value) []row {
	var rows []row
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(got):
			rows = append(rows, row{want: want[i], gone: true})
		case i >= len(want):
			rows = append(rows, row{got: got[i], fresh: true})
		default:
			rows = append(rows, row{want: want[i], got: got[i], same: Equal(want[i], got[i])})
		}
	}
	return rows
}

// longestCommon returns the index pairs of a longest common subsequence, in order.
func longestCommon(n, m int, same func(i, j int) bool) [][2]int {
	lengths := make([][]int32, n+1)
	for i := range lengths {
		lengths[i] = make([]int32, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if same(i, j) {
				lengths[i][j] = lengths[i+1][j+1] + 1
			} else {
				lengths[i][j] = max(lengths[i+1][j], lengths[i][j+1])
			}
		}
	}
	var pairs [][2]int
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case same(i, j):
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case lengths[i+1][j] >= lengths[i][j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}

// texts adds the difference of two texts by lines.
func (d *differ) texts(label, want, got string, depth int) {
	d.add(" ", depth, label+"text of several lines:")
	wantLines, gotLines := lineValues(want), lineValues(got)
	var rows []row
	for _, r := range alignLists(wantLines, gotLines) {
		if !r.same && !r.gone && !r.fresh {
			rows = append(rows, row{want: r.want, gone: true}, row{got: r.got, fresh: true})
			continue
		}
		rows = append(rows, r)
	}
	d.rows(groupChanges(rows), depth+1)
}

// groupChanges puts, in each run of changes, what is gone before what is new, as diffs of text do.
func groupChanges(rows []row) []row {
	var out, fresh []row
	for _, r := range rows {
		switch {
		case r.fresh:
			fresh = append(fresh, r)
		case r.gone:
			out = append(out, r)
		default:
			out = append(append(out, fresh...), r)
			fresh = nil
		}
	}
	return append(out, fresh...)
}

func lineValues(text string) []Value {
	var lines []Value
	for _, line := range strings.Split(text, "\n") {
		lines = append(lines, OfString(line))
	}
	return lines
}
