package scenario

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// Selection says which tests of the files are run, and in which order. The zero value is all of them, in the
// order in which they stand.
type Selection struct {
	// Names are parts of full names ("suite > test"); a test is run when its full name contains one of them,
	// whatever the case of the letters.
	Names []string
	// Lines are, by file, the lines of tests or of suites. In a file that has any, only the tests are run that
	// stand there or inside of the suites that stand there.
	Lines map[string][]int
	// Tags: a test is run when it has one of them. WithoutTags: a test that has one of them is not run.
	Tags, WithoutTags []string
	// Seed shuffles the tests of each file, and the files, when it is not 0. Suites stay together. The same
	// seed gives the same order.
	Seed int64
}

// wants reports whether the test is run. lines are its own and those of the suites round it.
func (s Selection) wants(file string, t Test, lines []int) bool {
	if len(s.Names) > 0 && !slices.ContainsFunc(s.Names, func(part string) bool {
		return strings.Contains(strings.ToLower(t.FullName()), strings.ToLower(part))
	}) {
		return false
	}
	if asked := s.Lines[file]; len(asked) > 0 && !overlap(asked, lines) {
		return false
	}
	if len(s.Tags) > 0 && !overlap(s.Tags, t.Tags) {
		return false
	}
	return !overlap(s.WithoutTags, t.Tags)
}

func overlap[T comparable](a, b []T) bool {
	return slices.ContainsFunc(a, func(x T) bool { return slices.Contains(b, x) })
}

// shuffle orders items by the seed and by the name of where they stand: adding a file, or a test to another
// suite, leaves the order of this one as it was.
func shuffle[T any](seed int64, place string, items []T) {
	if seed == 0 {
		return
	}
	// FNV-1a, 64 bits.
	hash := uint64(14695981039346656037)
	for _, b := range []byte(place) {
		hash = (hash ^ uint64(b)) * 1099511628211
	}
	source := rand.New(rand.NewPCG(uint64(seed), hash))
	source.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
}
