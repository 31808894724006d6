package formation

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"murlua/lifecycle/formation/child"
	"murlua/lifecycle/lifeline"
)

// memberEnv is what a member is started with: the launcher's environment without what belongs to another formation or to
// a delegating session. A capsule gets what makes it a member; a command is told nothing of formations.
func (f *Formation) memberEnv(m *Member) []string {
	set := map[string]string{}
	for name, value := range m.Env {
		set[name] = value
	}
	remove := append([]string{envPeers, envSpawner, lifeline.Spawner}, m.Unset...)
	if m.hasDoor() {
		set[envFormationID] = string(f.options.ID)
		set[envChannel] = strconv.Itoa(child.ChannelFD)
		set[envHostWarnings] = hostWarningsValue
		set[lifeline.Formation] = strconv.Itoa(child.LifelineFD)
	} else {
		remove = append(remove, envFormationID, envChannel, lifeline.Formation)
	}
	return environment(f.options.Environ, remove, set)
}

// digest is what the member's file has to be: what the plan says, or for a script what it is now.
func digest(m *Member, project string) (string, error) {
	switch {
	case m.Capsule != nil:
		return m.Capsule.SHA256, nil
	case m.Script == nil:
		return "", nil
	case m.Script.SHA256 != "":
		return m.Script.SHA256, nil
	}
	text, err := os.ReadFile(scriptPath(m, project))
	if err != nil {
		return "", fmt.Errorf("its script cannot be read: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// scriptPath is absolute, since the member need not run where its path was meant.
func scriptPath(m *Member, project string) string {
	if filepath.IsAbs(m.Script.Path) {
		return m.Script.Path
	}
	return filepath.Join(project, m.Script.Path)
}
