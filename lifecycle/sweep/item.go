package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"murlua/lifecycle/door"
	"murlua/lifecycle/formation"
	"murlua/lifecycle/home"
	"murlua/lifecycle/running"
	"murlua/lifecycle/scratch"
	"murlua/platform/contain"
	"murlua/platform/process"
)

// Kind is what an item is.
type Kind string

// The kinds of items, in the order in which [Find] lists them.
const (
	Record     Kind = "record"     // a running record
	Unreadable Kind = "unreadable" // a file among the records that is none
	Formation  Kind = "formation"  // a formation's directory, with those of its members
	Cgroup     Kind = "cgroup"     // processes of a host and a keeper that are both gone
	Tracked    Kind = "tracked"    // the same where there are no cgroups: processes that carry the marks of a keeper
	Scratch    Kind = "scratch"    // a temporary folder of a script: its own, or that of its handles' output
)

// Kinds lists all of them.
var Kinds = []Kind{Record, Unreadable, Formation, Cgroup, Tracked, Scratch}

// State is what is known about an item's life.
type State string

// The states of items.
const (
	Live        State = "live"        // somebody verified uses it
	Gone        State = "gone"        // on evidence nobody does
	Unreachable State = "unreachable" // it could not be found out
	Unowned     State = "unowned"     // a directory that does not say whose it is, and that no record mentions
)

// Item is one thing that a sweep may do something about.
type Item struct {
	Kind   Kind
	ID     string // session or formation id; else the path
	Name   string // the capsule and its version, or the project's directory
	Path   string // the file or directory
	State  State
	Reason string    // why it is not live
	Since  time.Time // when it began; zero when that is not known
	Rank   int       // of a formation among those of its project: 1 is the newest

	Record  running.Record   // of a record
	Marker  formation.Marker // of a formation that has one
	Members []string         // of a formation: the members that have a directory
	// Procs is what runs, of a cgroup, or of a keeper that was in the class tracked.
	Procs []contain.Process
}

// Find lists the items of the kinds, all kinds when there are none, except temporary folders: see [FindScratch]. It
// creates, changes and removes nothing.
func Find(ctx context.Context, h home.Home, kinds []Kind) ([]Item, error) {
	wanted := func(kind Kind) bool { return len(kinds) == 0 || slices.Contains(kinds, kind) }
	listing, listErr := running.Scan(h.Running())
	if listErr != nil && (wanted(Record) || wanted(Unreadable)) {
		return nil, listErr
	}
	var items []Item
	if wanted(Record) {
		items = append(items, recordItems(ctx, listing.Records)...)
	}
	if wanted(Unreadable) {
		for _, file := range listing.Unreadable {
			item := Item{Kind: Unreadable, ID: file.Path, Path: file.Path, State: Gone, Reason: strings.TrimPrefix(file.Reason.Error(), file.Path+": ")}
			if !file.Removable() {
				// It may be the record of a session that runs.
				item.State = Unreachable
			}
			items = append(items, item)
		}
	}
	if wanted(Formation) {
		found, err := formationItems(h, listing.Records, listErr)
		if err != nil {
			return nil, err
		}
		items = append(items, found...)
	}
	if wanted(Cgroup) {
		for _, left := range contain.Leftovers() {
			items = append(items, Item{
				Kind: Cgroup, ID: left.Dir, Path: left.Dir, Name: filepath.Base(left.Dir), State: Gone,
				Reason: "the process that made it has ended", Procs: left.Procs,
			})
		}
	}
	if wanted(Tracked) {
		items = append(items, trackedItems(h)...)
	}
	return items, context.Cause(ctx)
}

func recordItems(ctx context.Context, records []running.Record) []Item {
	var items []Item
	for i, verdict := range (running.Verifier{Probe: door.Probe}).VerifyAll(ctx, records) {
		r := records[i]
		item := Item{
			Kind: Record, ID: string(r.SessionID), Name: r.CapsuleName + "@" + r.CapsuleVersion, Path: r.Path,
			State: Live, Reason: verdict.Reason, Record: r,
		}
		switch verdict.State {
		case running.Gone:
			item.State = Gone
		case running.Unreachable:
			item.State = Unreachable
		}
		if began, err := time.Parse(time.RFC3339, r.StartedAt); err == nil {
			item.Since = began
		}
		items = append(items, item)
	}
	return items
}

// formationItems lists the formation directories, the newest first.
func formationItems(h home.Home, records []running.Record, listErr error) ([]Item, error) {
	entries, err := os.ReadDir(h.Formations())
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot list the formations: %w", err)
	}
	var items []Item
	ranks := map[string]int{}
	for _, entry := range slices.Backward(entries) { // the names begin with the time
		item, ok := formationItem(filepath.Join(h.Formations(), entry.Name()), records, listErr)
		if !ok {
			continue
		}
		if item.Name != "" {
			ranks[item.Name]++
			item.Rank = ranks[item.Name]
		}
		items = append(items, item)
	}
	return items, nil
}

// FindScratch lists the temporary folders below temp that scripts made, and changes nothing.
func FindScratch(temp string) ([]Item, error) {
	folders, err := scratch.Find(temp)
	if err != nil {
		return nil, err
	}
	var items []Item
	for _, path := range folders {
		item := Item{Kind: Scratch, ID: path, Path: path, Name: filepath.Base(path), State: Live}
		if info, err := os.Lstat(path); err == nil {
			item.Since = info.ModTime()
		}
		switch state := scratch.Judge(path); state.Kind {
		case process.Gone:
			item.State, item.Reason = Gone, state.Reason
		case process.Unverified:
			item.State, item.Reason = Unreachable, state.Reason
		}
		items = append(items, item)
	}
	return items, nil
}
