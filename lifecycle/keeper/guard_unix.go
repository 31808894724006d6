//go:build unix

package keeper

import (
	"bufio"
	"encoding/json"
	"io"
	"time"

	"golang.org/x/sys/unix"

	identity "murlua/platform/process"
)

// Where there is no subreaper the host's commands stay its own children, and a second process guards their process
// groups: it reads from a pipe which there are, and ends them when the pipe does, because the host has gone. A group is
// only signalled while its first process is proved to be the one that was told of; the host ends the others itself.

// A guarded is one line of what the guard is told.
type guarded struct {
	identity.Identity
	Grace time.Duration `json:"grace"`
	Gone  bool          `json:"gone,omitempty"`
}

// guardGroups reads until the end and then ends every group that is left, within its grace.
func guardGroups(from io.Reader) {
	groups := map[int]guarded{}
	for lines := bufio.NewScanner(from); lines.Scan(); {
		var g guarded
		if json.Unmarshal(lines.Bytes(), &g) != nil || g.PID <= 1 {
			continue
		}
		if g.Gone {
			delete(groups, g.PID)
		} else {
			groups[g.PID] = g
		}
	}
	ended := make(chan struct{})
	for _, g := range groups {
		go func() {
			defer func() { ended <- struct{}{} }()
			g.end()
		}()
	}
	for range groups {
		<-ended
	}
}

// end asks the group, waits for its first process at most the grace, and kills what is left.
func (g *guarded) end() {
	held, state := identity.OpenIdentity(g.Identity)
	if state.Kind != identity.Alive {
		return
	}
	defer held.Close()
	_ = unix.Kill(-g.PID, unix.SIGTERM)
	_ = unix.Kill(-g.PID, unix.SIGCONT)
	grace := time.NewTimer(g.Grace)
	defer grace.Stop()
	select {
	case <-held.Exited():
		// Its number still names the group while others are in it; when none is, there is nothing to kill.
	case <-grace.C:
	}
	_ = unix.Kill(-g.PID, unix.SIGKILL)
}
