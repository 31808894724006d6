package claim

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/platform/fsx"
	"murlua/platform/process"
)

// Holder is the formation that has a name, and the process that launched it.
type Holder struct {
	Name      string       `json:"name"`
	Formation id.Formation `json:"formation_id"`
	process.Identity
	StartedAt time.Time      `json:"started_at"`
	Origin    process.Origin `json:"process_origin,omitzero"`
}

// Launcher is the process that launched the formation.
func (h Holder) Launcher() process.Identity {
	return process.Identity{PID: h.PID, Start: h.Start, Origin: h.Origin}
}

func (h Holder) state() process.State { return process.Inspect(h.Launcher()) }

func (h Holder) ours() bool {
	own, err := process.Current()
	return err == nil && own.PID == h.PID && own.Start == h.Start && h.state().Kind == process.Alive
}

// longest is how long a file may be: a name, an id, and where a process counts.
const longest = 16 << 10

// read reads who has a name, which is as much as a file of this user says.
func read(path string) (Holder, error) {
	text, _, err := fsx.ReadRegular(path, longest)
	if err != nil {
		return Holder{}, err
	}
	var holder Holder
	if err := json.Unmarshal(text, &holder); err != nil {
		return Holder{}, fmt.Errorf("%s: %w", path, err)
	}
	if _, err := id.ParseFormation(string(holder.Formation)); err != nil || holder.Name != filepath.Base(path) || holder.PID <= 0 {
		return Holder{}, fmt.Errorf("%s does not say who has the name", path)
	}
	return holder, nil
}

// Holders returns who has which name, in the order of the names. Those whose process has ended are left out; one that
// cannot be verified from here counts. Nothing is created or changed. The error is that of a directory that
// cannot be listed.
func Holders(h home.Home) ([]Holder, error) {
	entries, err := os.ReadDir(h.Names())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot list the names of formations: %w", err)
	}
	var holders []Holder
	for _, entry := range entries {
		if holder, live := Find(h, entry.Name()); live {
			holders = append(holders, holder)
		}
	}
	return holders, nil
}

// Find returns who has the name now, as [Holders] does.
func Find(h home.Home, name string) (Holder, bool) {
	if !id.ValidMember(name) {
		return Holder{}, false
	}
	holder, err := read(filepath.Join(h.Names(), name))
	if err != nil || holder.state().Kind == process.Gone {
		return Holder{}, false
	}
	return holder, true
}

// Of returns the name that a formation has now. A directory that cannot be listed has none.
func Of(h home.Home, formation id.Formation) (Holder, bool) {
	holders, _ := Holders(h)
	for _, holder := range holders {
		if holder.Formation == formation {
			return holder, true
		}
	}
	return Holder{}, false
}

// removeAbandoned removes the files of other names whose process has ended, and those that say nothing, when nobody has
// the lock. Who takes one of them at that moment finds it locked, and looks again.
func removeAbandoned(dir, except string) {
	entries, _ := os.ReadDir(dir) // what cannot be read stays
	for _, entry := range entries {
		if entry.Name() == except || !id.ValidMember(entry.Name()) || !entry.Type().IsRegular() {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		if holder, err := read(path); err == nil && holder.state().Kind != process.Gone {
			continue
		}
		if lock, err := fsx.TryLock(path); err == nil {
			_ = lock.Remove()
		}
	}
}
