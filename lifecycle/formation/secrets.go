package formation

import (
	"fmt"
	"slices"
	"sync"

	"murlua/lifecycle/credential"
	"murlua/lifecycle/id"
	"murlua/platform/process"
)

// secrets is what the launcher alone can do: say in the formation's name who a member is and whom it may call. The
// key stays in memory, until the last member is reaped.
type secrets struct {
	authority *credential.Authority // nil in a formation without capsules
	// launcher is this process, read once, so that all members record the same; nil when it cannot read its own start.
	launcher func() *credential.Launcher
}

// newSecrets makes the key, if any member is told a secret.
func newSecrets(formation id.Formation, p Plan) (*secrets, error) {
	s := &secrets{launcher: sync.OnceValue(currentLauncher)}
	if !slices.ContainsFunc(p.Members, func(m Member) bool { return m.hasDoor() }) {
		return s, nil
	}
	var err error
	if s.authority, err = credential.NewAuthority(formation); err != nil {
		return nil, fmt.Errorf("the formation's key could not be made: %w", err)
	}
	return s, nil
}

func currentLauncher() *credential.Launcher {
	me, err := process.Current()
	if err != nil {
		return nil
	}
	return &credential.Launcher{PID: me.PID, Start: me.Start}
}

// firstLine is the first line of a member's channel.
func (s *secrets) firstLine(p Plan, m *Member) []byte {
	line := s.authority.Bundle(m.Name, p.Callees(m.Name)...)
	line.Launcher = s.launcher()
	line.Entry = m.Entry
	return line.Render()
}
