// Package ended looks after what formations leave in the home directory: the directories of their members, which are kept
// for those who look back, and removed as the project says.
//
// Start with [Prune], which removes the formations of a project that its policy does not keep, and [Roots], which says
// where a formation's members recorded what they did. Nothing that may still be running is ever touched, and nothing
// that does not say whose it is.
package ended

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"murlua/lifecycle/formation"
	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/lifecycle/running"
	"murlua/platform/process"
)

// Policy says how much is kept. Zero values set no limit.
type Policy struct {
	MaxFormations int
	MaxAge        time.Duration
}

// Pruned is a formation whose directory was removed.
type Pruned struct {
	Formation id.Formation
	Reason    string // one of the reasons
}

// The reasons, by the names of murmur's settings. A formation that is too old as well as too many is too old.
const (
	TooOld  = "max_age"
	TooMany = "max_sessions"
)

// Prune removes the directories of ended formations of the project that the policy does not keep, and returns what
// went, the newest first. It never removes current or a formation minted after it, one that may be running, one of another
// project, and a directory without a readable marker. What cannot be removed stays and is not returned.
func Prune(h home.Home, current id.Formation, project string, policy Policy) []Pruned {
	return prune(h, current, project, policy, time.Now())
}

func prune(h home.Home, current id.Formation, project string, policy Policy, now time.Time) []Pruned {
	// One scan for all: nothing here removes a record, and a directory that cannot be listed says that all may run.
	listing, err := running.Scan(h.Running())
	if err != nil {
		return nil
	}
	var pruned []Pruned
	for rank, c := range candidates(h, project) {
		reason := ""
		switch {
		case policy.MaxAge > 0 && now.Sub(c.id.Time()) > policy.MaxAge:
			reason = TooOld
		case policy.MaxFormations > 0 && rank >= policy.MaxFormations:
			reason = TooMany
		default:
			continue
		}
		if c.id >= current || c.live(listing.Records) {
			continue
		}
		if os.RemoveAll(filepath.Join(h.Formations(), string(c.id))) == nil {
			pruned = append(pruned, Pruned{c.id, reason})
		}
	}
	return pruned
}

// candidate is a formation of the project.
type candidate struct {
	id     id.Formation
	marker formation.Marker
}

// candidates returns the project's formations, the newest first.
func candidates(h home.Home, project string) []candidate {
	entries, err := os.ReadDir(h.Formations())
	if err != nil {
		return nil
	}
	ours := formation.Canonical(project)
	var found []candidate
	for _, entry := range entries {
		name, err := id.ParseFormation(entry.Name())
		if err != nil || !entry.IsDir() { // a link to a directory is none
			continue
		}
		marker, ok := readMarker(filepath.Join(h.Formations(), entry.Name()))
		if ok && formation.Canonical(marker.ProjectDir) == ours {
			found = append(found, candidate{name, marker})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int { return cmp.Compare(b.id, a.id) })
	return found
}

func readMarker(dir string) (marker formation.Marker, ok bool) {
	text, err := os.ReadFile(filepath.Join(dir, formation.MarkerFile))
	if err != nil {
		return marker, false
	}
	if err := json.Unmarshal(text, &marker); err != nil || marker.ProjectDir == "" {
		return marker, false
	}
	return marker, true
}

// live reports whether any part of the formation may be running. A reading that failed says nothing of the process.
func (c candidate) live(records []running.Record) bool {
	launcher := process.Identity{PID: c.marker.LauncherPID, Start: c.marker.LauncherStart}
	if process.Inspect(launcher).Kind != process.Gone {
		return true
	}
	return slices.ContainsFunc(records, func(r running.Record) bool {
		return r.FormationID == c.id && running.ProcessState(r).Kind != process.Gone
	})
}

// Roots returns where the formation's members keep their records: for each member's directory the directory below which
// its sessions have theirs, sorted, of those that exist. A formation without a directory has none; a directory that cannot
// be listed is returned itself, so that whoever reads it says so.
func Roots(h home.Home, formation id.Formation) []string {
	dir := filepath.Join(h.Formations(), string(formation))
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return []string{dir}
	}
	var roots []string
	for _, entry := range entries {
		if !entry.IsDir() || strings.HasPrefix(entry.Name(), ".") {
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
