package meta

import (
	"slices"
	"strings"
)

// Nearest returns the topics most like the given one, at most three, the best first; none when nothing is
// like it.
func (d *Docs) Nearest(topic string) []string {
	type scored struct {
		name  string
		score int
	}
	var found []scored
	wanted := strings.ToLower(strings.TrimPrefix(topic, "mur."))
	for _, name := range d.Topics() {
		short := strings.ToLower(strings.TrimPrefix(name, "mur."))
		last := short[strings.LastIndexAny(short, ".:")+1:]
		score := min(distance(wanted, short), distance(wanted, last)+1)
		if strings.Contains(short, wanted) && len(wanted) > 2 {
			score = min(score, 1)
		}
		if score <= max(1, len(wanted)/3) {
			found = append(found, scored{name, score})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return a.score - b.score })
	var names []string
	for _, s := range found[:min(3, len(found))] {
		names = append(names, s.name)
	}
	return names
}

// distance is the number of insertions, removals and replacements that make one text of the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		corner := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := corner
			if a[i-1] != b[j-1] {
				cost = 1 + min(corner, row[j], row[j-1])
			}
			corner, row[j] = row[j], cost
		}
	}
	return row[len(b)]
}
