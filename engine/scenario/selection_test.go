package scenario

import (
	"slices"
	"testing"
)

func TestSelection(t *testing.T) {
	test := Test{Suites: []string{"Records", "prune"}, Name: "keeps a live one", Line: 12, Tags: []string{"slow", "linux"}}
	lines := []int{3, 8, 12}
	tests := []struct {
		name      string
		selection Selection
		want      bool
	}{
		{"everything", Selection{}, true},
		{"part of the name", Selection{Names: []string{"live"}}, true},
		{"other case", Selection{Names: []string{"records > PRUNE"}}, true},
		{"one of several", Selection{Names: []string{"nothing", "prune > keeps"}}, true},
		{"another name", Selection{Names: []string{"nothing"}}, false},
		{"its line", Selection{Lines: map[string][]int{"a.lua": {12}}}, true},
		{"its suite's line", Selection{Lines: map[string][]int{"a.lua": {3}}}, true},
		{"another line", Selection{Lines: map[string][]int{"a.lua": {4}}}, false},
		{"a line of another file", Selection{Lines: map[string][]int{"b.lua": {4}}}, true},
		{"a tag", Selection{Tags: []string{"linux", "root"}}, true},
		{"another tag", Selection{Tags: []string{"root"}}, false},
		{"without its tag", Selection{WithoutTags: []string{"slow"}}, false},
		{"without another tag", Selection{WithoutTags: []string{"root"}}, true},
		{"the name but without the tag", Selection{Names: []string{"live"}, WithoutTags: []string{"slow"}}, false},
	}
	for _, c := range tests {
		if got := c.selection.wants("a.lua", test, lines); got != c.want {
			t.Errorf("%s: wanted %v, want %v", c.name, got, c.want)
		}
	}
}

func TestShuffleIsTheSeeds(t *testing.T) {
	order := func(seed int64, place string) []int {
		items := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
		shuffle(seed, place, items)
		return items
	}
	if got := order(0, "a"); !slices.IsSorted(got) {
		t.Errorf("seed 0 changed the order: %v", got)
	}
	if !slices.Equal(order(7, "a"), order(7, "a")) {
		t.Error("the same seed gave two orders")
	}
	if slices.Equal(order(7, "a"), order(8, "a")) || slices.Equal(order(7, "a"), order(7, "b")) {
		t.Error("another seed, or another place, gave the same order")
	}
}
