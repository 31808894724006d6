package formation

import (
	"fmt"

	"murlua/lifecycle/credential"
	"murlua/lifecycle/id"
	"murlua/platform/process"
)

// secrets is what the launcher alone can do: say in the formation's name who a member is and whom it may call. The
// key stays in memory, until the last member is reaped.
type secrets struct {
	authority *credential.Authority
	launcher  *credential.Launcher // this process; nil when it cannot read its own start
}

// newSecrets makes the key and reads once who the launcher is, so that all members record the same.
func newSecrets(formation id.Formation) (*secrets, error) {
	authority, err := credential.NewAuthority(formation)
	if err != nil {
		return nil, fmt.Errorf("the formation's key could not be made: %w", err)
	}
	s := &secrets{authority: authority}
	if me, err := process.Current(); err == nil {
		s.launcher = &credential.Launcher{PID: me.PID, Start: me.Start}
	}
	return s, nil
}

// firstLine is the first line of a member's channel.
func (s *secrets) firstLine(p Plan, m *Member) []byte {
	line := s.authority.Bundle(m.Name, p.Callees(m.Name)...)
	line.Launcher = s.launcher
	line.Entry = m.Entry
	return line.Render()
}
