package sweep

import (
	"fmt"
	"path/filepath"
	"strings"

	"murlua/lifecycle/home"
	"murlua/lifecycle/marks"
	"murlua/platform/contain"
	"murlua/platform/process"
)

// trackedItems lists the notes of keepers that are not known to be in use. A folder that cannot be read is one item.
func trackedItems(h home.Home) []Item {
	found, err := marks.Find(h.Marks())
	if err != nil {
		return []Item{{Kind: Tracked, ID: h.Marks(), Path: h.Marks(), State: Unreachable, Reason: err.Error()}}
	}
	var items []Item
	for _, left := range found {
		item := Item{
			Kind: Tracked, ID: left.Path, Path: left.Path, Name: filepath.Base(left.Path), State: Gone,
			Reason: left.State.Reason, Procs: left.Processes,
		}
		switch left.State.Kind {
		case process.Alive:
			continue
		case process.Unverified:
			item.State = Unreachable
		}
		if len(item.Procs) > 0 {
			item.Reason += "; left: " + named(item.Procs)
		}
		items = append(items, item)
	}
	return items
}

// named lists processes for people.
func named(list []contain.Process) string {
	const most = 8
	var names []string
	for _, p := range list[:min(most, len(list))] {
		names = append(names, p.String())
	}
	if more := len(list) - most; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

func endTracked(path string) (string, error) {
	swept, err := marks.Left{Path: path}.End(0)
	return ended(len(swept.Killed)), err
}
