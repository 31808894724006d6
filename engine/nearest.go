package engine

// Nearest returns the candidate that a name was probably meant to be, or "": the one with the fewest changed, missing,
// surplus or swapped letters, if those are at most a third of the name and one, and not all of it.
func Nearest(name string, candidates []string) string {
	best, bestDistance := "", min(len(name)/3+2, max(len(name), 1))
	for _, candidate := range candidates {
		if d := distance(name, candidate, bestDistance); d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// distance is the number of edits between two names (insert, delete, replace, swap neighbours), or limit if more.
func distance(a, b string, limit int) int {
	if diff := len(a) - len(b); diff >= limit || -diff >= limit {
		return limit
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], limit)
}
