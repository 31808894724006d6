package member

import (
	"encoding/json"
	"fmt"
	"strings"

	"murlua/lifecycle/credential"
	"murlua/lifecycle/id"
	"murlua/lifecycle/lifeline"
)

// The environment variables between a launcher and its members; the names are murmur's.
const (
	envFormationID = "MURMUR_FORMATION_ID"
	envChannel     = "MURMUR_FORMATION_CHANNEL"
	envPeers       = "MURMUR_FORMATION_PEERS"
	envSpawner     = "MURMUR_SPAWNER"
)

// The codes of the refusals; they are murmur's.
const (
	codeFormationID = "E-RUN-044"
	codeMembership  = "E-RUN-046"
)

// inheritance is what a process was handed by whoever started it.
type inheritance struct {
	formation id.Formation // empty outside a formation
	spawnedBy string       // the session that delegated to this one; empty for none
	first     *credential.FirstLine
	channel   *channel // nil when there is none
	formed    *lifeline.Held
	spawned   *lifeline.Held
	// unwatched says that nothing ends this member with its formation.
	unwatched bool
}

// inherit reads the environment in murmur's order and takes over the descriptors that it names. After a refusal
// nothing is held.
func inherit(environ []string) (*inheritance, error) {
	h := &inheritance{}
	var claims lifeline.Claims
	for _, step := range []func(func(string) string, *lifeline.Claims) error{
		h.readSpawner, h.readFormation, h.refusePeers, h.readChannel, h.readFormationLifeline, h.readSpawnerLifeline,
	} {
		if err := step(func(name string) string { return lookup(environ, name) }, &claims); err != nil {
			h.close()
			return nil, err
		}
	}
	h.unwatched = h.formation != "" && h.formed == nil && h.spawnedBy == ""
	return h, nil
}

func (h *inheritance) readSpawner(value func(string) string, _ *lifeline.Claims) error {
	text := strings.TrimSpace(value(envSpawner))
	if text == "" {
		return nil
	}
	var spawner struct {
		Session string `json:"session_id"`
	}
	if err := json.Unmarshal([]byte(text), &spawner); err != nil || spawner.Session == "" {
		return refuse(codeMembership, "%s does not say which session delegates", envSpawner)
	}
	h.spawnedBy = spawner.Session
	return nil
}

func (h *inheritance) readFormation(value func(string) string, _ *lifeline.Claims) error {
	text := strings.TrimSpace(value(envFormationID))
	if text == "" {
		return nil
	}
	formation, err := id.ParseFormation(text)
	if err != nil {
		return refuse(codeFormationID, "%s is not a formation's id: %v", envFormationID, err)
	}
	h.formation = formation
	return nil
}

// refusePeers: the variable is made for what runs inside a capsule, never for the process of one.
func (h *inheritance) refusePeers(value func(string) string, _ *lifeline.Claims) error {
	if value(envPeers) != "" {
		return refuse(codeMembership, "%s is set: a capsule is not told its peers in the environment", envPeers)
	}
	return nil
}

func (h *inheritance) readChannel(value func(string) string, _ *lifeline.Claims) error {
	text := value(envChannel)
	if text == "" {
		return nil
	}
	if h.formation == "" {
		return refuse(codeMembership, "%s is set without %s", envChannel, envFormationID)
	}
	file, err := openInherited(text)
	if err != nil {
		return refuse(codeMembership, "cannot read the formation channel that %s names: %v", envChannel, err)
	}
	c, line, err := readChannel(file, h.formation)
	if err != nil {
		return refuse(codeMembership, "cannot join the formation: %v", err)
	}
	h.channel, h.first = c, &line
	return nil
}

func (h *inheritance) readFormationLifeline(value func(string) string, claims *lifeline.Claims) (err error) {
	if h.formed, err = claims.Take(lifeline.Formation, value(lifeline.Formation)); err != nil {
		return refuse(codeMembership, "%v", err)
	}
	if h.formed != nil && h.formation == "" {
		return refuse(codeMembership, "%s is set without %s", lifeline.Formation, envFormationID)
	}
	return nil
}

func (h *inheritance) readSpawnerLifeline(value func(string) string, claims *lifeline.Claims) (err error) {
	if h.spawned, err = claims.Take(lifeline.Spawner, value(lifeline.Spawner)); err != nil {
		return refuse(codeMembership, "%v", err)
	}
	return nil
}

// close lets go of everything.
func (h *inheritance) close() {
	if h.channel != nil {
		h.channel.close()
	}
	for _, line := range []*lifeline.Held{h.formed, h.spawned} {
		if line != nil {
			line.Close()
		}
	}
}

func refuse(code, format string, args ...any) error {
	return &Refusal{Code: code, Message: fmt.Sprintf(format, args...)}
}

func lookup(environ []string, name string) string {
	value := ""
	for _, entry := range environ {
		if n, v, ok := strings.Cut(entry, "="); ok && n == name {
			value = v
		}
	}
	return value
}
