package formation

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"murlua/platform/fsx"
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
}

// writeMarker leaves the marker of a formation that has peers. Without one the directory is never removed by
// anybody, which is worth a warning and no more.
func (f *Formation) writeMarker() {
	if len(f.plan.Peers()) == 0 {
		return
	}
	if err := f.tryMarker(); err != nil {
		f.options.Warn(fmt.Sprintf("formation %s has no ownership marker (%v); its directory will never be removed automatically",
			f.options.ID, err))
	}
}

func (f *Formation) tryMarker() error {
	formations, err := f.options.Home.EnsureFormations()
	if err != nil {
		return err
	}
	dir := f.dirIn(formations)
	if err := fsx.EnsurePrivateDir(dir); err != nil {
		return err
	}
	marker := Marker{ProjectDir: canonical(f.options.ProjectDir), LauncherPID: os.Getpid()}
	if f.secrets.launcher != nil {
		marker.LauncherStart = f.secrets.launcher.Start
	}
	text, err := json.Marshal(marker)
	if err != nil {
		return err
	}
	return fsx.WriteFileAtomic(filepath.Join(dir, MarkerFile), append(text, '\n'), 0o600)
}

// canonical is the one form in which project directories are compared.
func canonical(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}
