package formation

import (
	"fmt"
	"path/filepath"
	"sync"

	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/lifecycle/output"
	"murlua/platform/fsx"
)

// outputFolder is where a formation's directory has what its members wrote. A member's name has no dot, so no
// member's directory is ever called that.
const outputFolder = ".output"

// OutputDir is the folder with the kept output of a formation: a file <member>.log for each member that wrote
// anything, and what was put aside as <member>.log.1 and on. It goes with the formation's directory.
func OutputDir(h home.Home, formation id.Formation) string {
	return filepath.Join(h.Formations(), string(formation), outputFolder)
}

// outputDir makes the folder when the first member writes something.
type outputDir struct {
	once sync.Once
	err  error
}

// keepOutput returns where a member's output is kept.
func (f *Formation) keepOutput(m *Member) *output.Lazy {
	return output.Later(func() (*output.File, error) {
		f.outputs.once.Do(func() { f.outputs.err = f.makeOutputDir() })
		if f.outputs.err != nil {
			return nil, f.outputs.err
		}
		return output.Create(filepath.Join(OutputDir(f.options.Home, f.options.ID), m.Name+".log"), output.FileOptions{})
	})
}

// makeOutputDir makes the folder, and the formation's directory with its marker if no member has needed that.
func (f *Formation) makeOutputDir() error {
	err := f.ensureDir()
	if err == nil && !f.hasDir() {
		err = f.tryMarker()
	}
	if err == nil {
		err = fsx.EnsurePrivateDir(OutputDir(f.options.Home, f.options.ID))
	}
	if err != nil {
		f.options.Warn(fmt.Sprintf("what the members write is not kept: %v", err))
	}
	return err
}
