package formation

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"murlua/platform/fsx"
	"murlua/platform/process"
)

// MarkerFile is the file in a formation's directory that says whose it is. A member's name has no dot, so no
// member's directory is ever called that.
const MarkerFile = "formation.json"

// Marker is the content of [MarkerFile]: who launched the formation, from which project. It is written once, before
// the first member's directory is made.
type Marker struct {
	ProjectDir    string `json:"project_dir"`
	LauncherPID   int    `json:"launcher_pid"`
	LauncherStart string `json:"launcher_start"` // "" when it could not be read
	// LauncherOrigin is where the two are valid; murmur writes none.
	LauncherOrigin process.Origin `json:"launcher_origin,omitzero"`
}

// Launcher is the process that launched the formation.
func (m Marker) Launcher() process.Identity {
	return process.Identity{PID: m.LauncherPID, Start: m.LauncherStart, Origin: m.LauncherOrigin}
}

// maxMarker is how long a marker may be: two paths and two numbers.
const maxMarker = 64 << 10

// ReadMarker reads the marker in a formation's directory; false when there is none that can be read.
func ReadMarker(dir string) (Marker, bool) {
	text, _, err := fsx.ReadRegular(filepath.Join(dir, MarkerFile), maxMarker)
	var read Marker
	if err != nil || json.Unmarshal(text, &read) != nil || read.ProjectDir == "" || read.LauncherPID <= 0 {
		return Marker{}, false
	}
	return read, true
}

// dir is the formation's directory.
func (f *Formation) dir() string {
	return filepath.Join(f.options.Home.Formations(), string(f.options.ID))
}

func (f *Formation) ensureDir() error {
	if _, err := f.options.Home.EnsureFormations(); err != nil {
		return err
	}
	return fsx.EnsurePrivateDir(f.dir())
}

// writeMarker leaves the marker of a formation that has a directory. Without one the directory is never removed by
// anybody, which is worth a warning and no more.
func (f *Formation) writeMarker() {
	if !f.hasDir() {
		_ = f.trace.open("")
		return
	}
	if err := f.tryMarker(); err != nil {
		f.options.Warn(fmt.Sprintf("formation %s has no ownership marker (%v); its directory will never be removed automatically",
			f.options.ID, err))
	}
	if err := f.trace.open(f.dir()); err != nil {
		f.options.Warn(fmt.Sprintf("formation %s has no trace: %v", f.options.ID, err))
	}
}

// hasDir reports whether any member gets a directory in the formation's.
func (f *Formation) hasDir() bool {
	for _, m := range f.plan.Peers() {
		if m.hasDoor() {
			return true
		}
	}
	return false
}

func (f *Formation) tryMarker() error {
	if err := f.ensureDir(); err != nil {
		return err
	}
	marker := Marker{ProjectDir: canonical(f.options.ProjectDir), LauncherPID: os.Getpid()}
	if me, err := process.Current(); err == nil {
		marker.LauncherStart, marker.LauncherOrigin = me.Start, me.Origin
	}
	text, err := json.Marshal(marker)
	if err != nil {
		return err
	}
	return fsx.WriteFileAtomic(filepath.Join(f.dir(), MarkerFile), append(text, '\n'), 0o600)
}

// canonical is the one form in which project directories are compared.
func canonical(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}
