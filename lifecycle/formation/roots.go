package formation

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
)

// Roots returns where the formation's members keep their records: for each member's directory the directory below which
// its sessions have theirs, sorted, of those that exist. A formation without a directory has none; a directory that cannot
// be listed is returned itself, so that whoever reads it says so.
func Roots(h home.Home, of id.Formation) []string {
	dir := filepath.Join(h.Formations(), string(of))
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return []string{dir}
	}
	var roots []string
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		root := h.RecordsDir(filepath.Join(dir, entry.Name()), "")
		if _, err := os.Stat(root); err == nil {
			roots = append(roots, root)
		}
	}
	slices.Sort(roots)
	return roots
}
