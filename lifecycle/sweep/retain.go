package sweep

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
)

// Retention says which ended formations of a project are kept, by what its entry's manifest says under trace.retain.
type Retention struct {
	Project string       // the project's directory
	Current id.Formation // it and those that began later are never removed
	// MaxSessions is how many of the project's formations are kept, those that run among them; 0 is no limit. MaxAge is how old the
	// kept ones may be; 0 is no limit.
	MaxSessions int
	MaxAge      time.Duration
	Now         time.Time // zero means now
}

// Removed is a formation whose directory was removed, and by which of the limits: "max_age" or "max_sessions".
type Removed struct {
	Formation id.Formation
	Reason    string
}

// Retain removes the directories of ended formations that a project does not keep, and returns them, the newest first. Those of other projects,
// those that do not say whose they are, those that run, and those of which that cannot be told stay. When the
// records cannot be listed, nothing is removed. The error joins what could not be removed.
func Retain(ctx context.Context, h home.Home, r Retention) ([]Removed, error) {
	if r.Now.IsZero() {
		r.Now = time.Now()
	}
	items, err := Find(ctx, h, []Kind{Formation})
	if err != nil {
		return nil, err
	}
	project := canonical(r.Project)
	var removed []Removed
	var failed []error
	kept := 0 // of the project's, newest first, whatever their state
	for _, item := range items {
		if item.Marker.LauncherPID == 0 || canonical(item.Marker.ProjectDir) != project {
			continue
		}
		kept++
		reason := ""
		switch {
		case r.MaxAge > 0 && r.Now.Sub(item.Since) > r.MaxAge:
			reason = "max_age"
		case r.MaxSessions > 0 && kept > r.MaxSessions:
			reason = "max_sessions"
		}
		if reason == "" || item.State != Gone || item.ID >= string(r.Current) {
			continue
		}
		if _, err := Act(ctx, h, item, Remove, 0); err != nil {
			failed = append(failed, err)
			continue
		}
		removed = append(removed, Removed{id.Formation(item.ID), reason})
	}
	return removed, errors.Join(failed...)
}

// canonical is the one form in which directories are compared.
func canonical(dir string) string {
	if absolute, err := filepath.Abs(dir); err == nil {
		dir = absolute
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		return resolved
	}
	return dir
}
