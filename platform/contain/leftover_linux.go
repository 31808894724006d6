package contain

import (
	"fmt"
	"os"
	"path/filepath"
)

// Leftovers lists the bases under our own cgroup whose makers are proved gone, and changes nothing.
func Leftovers() []Leftover {
	own, err := ownCgroup()
	if err != nil {
		return nil
	}
	var found []Leftover
	entries, _ := os.ReadDir(own)
	for _, e := range entries {
		if e.IsDir() && stale(e.Name()) {
			dir := filepath.Join(own, e.Name())
			left := Leftover{Dir: dir}
			for _, pid := range OpenBase(dir).Procs() {
				left.Procs = append(left.Procs, Name(pid))
			}
			found = append(found, left)
		}
	}
	return found
}

// End kills what runs in the leftover and removes it. It looks first whether its maker is still gone: the name could
// have been taken again since. It returns how many processes were there.
func (l Leftover) End() (killed int, err error) {
	if !stale(filepath.Base(l.Dir)) {
		return 0, fmt.Errorf("cannot end cgroup %q: its maker is not known to have ended", l.Dir)
	}
	base := OpenBase(l.Dir)
	killed = len(base.Procs())
	if err := base.Kill(); err != nil && !os.IsNotExist(err) {
		return 0, fmt.Errorf("cannot end cgroup %q: %w", l.Dir, err)
	}
	waitEmpty(l.Dir)
	return killed, base.Remove()
}
