package sweep

import (
	"fmt"
	"os"
	"path/filepath"

	"murlua/lifecycle/formation"
	"murlua/lifecycle/id"
	"murlua/lifecycle/running"
	"murlua/platform/process"
)

// formationItem describes a formation's directory; false when it is none. Links are none.
func formationItem(path string, records []running.Record, listErr error) (Item, bool) {
	frm, err := id.ParseFormation(filepath.Base(path))
	if err != nil {
		return Item{}, false
	}
	if info, err := os.Lstat(path); err != nil || !info.IsDir() {
		return Item{}, false
	}
	item := Item{Kind: Formation, ID: string(frm), Path: path, Since: frm.Time()}
	entries, err := os.ReadDir(path)
	if err != nil {
		item.State, item.Reason = Unreachable, err.Error()
		return item, true
	}
	for _, entry := range entries {
		if entry.IsDir() && id.ValidMember(entry.Name()) {
			item.Members = append(item.Members, entry.Name())
		}
	}
	var marked bool
	item.Marker, marked = formation.ReadMarker(path)
	item.Name = item.Marker.ProjectDir
	item.State, item.Reason = formationState(frm, marked, item.Marker, records, listErr)
	return item, true
}

// formationState judges a formation: it lives while its launcher may, or a member of it.
func formationState(frm id.Formation, marked bool, marker formation.Marker, records []running.Record, listErr error) (State, string) {
	if listErr != nil {
		return Unreachable, fmt.Sprintf("the records could not be listed: %v", listErr)
	}
	unknown := ""
	if marked {
		launcher := process.Inspect(marker.Launcher())
		switch launcher.Kind {
		case process.Alive:
			return Live, ""
		case process.Unverified:
			unknown = "its launcher: " + launcher.Reason
		}
	}
	for _, record := range records {
		if record.FormationID != frm {
			continue
		}
		switch state := running.ProcessState(record); state.Kind {
		case process.Alive:
			return Live, ""
		case process.Unverified:
			unknown = fmt.Sprintf("its member %s: %s", record.FormationMember, state.Reason)
		}
	}
	switch {
	case unknown != "":
		return Unreachable, unknown
	case !marked:
		return Unowned, "it has no readable marker"
	}
	return Gone, "its launcher and its members have ended"
}
