package formation

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"murlua/lifecycle/id"
)

// secrets holds the formation's signing key, in memory only, until the last member is reaped.
type secrets struct {
	formation id.Formation
	key       ed25519.PrivateKey
	launcher  *launcherIdentity
}

type launcherIdentity struct {
	PID   int    `json:"pid"`
	Start string `json:"process_start"`
}

func newSecrets(formation id.Formation) (*secrets, error) {
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, fmt.Errorf("the formation's key could not be made: %w", err)
	}
	return &secrets{formation: formation, key: key}, nil
}

func (s *secrets) forget() {
	if s != nil {
		clear(s.key)
	}
}

func (s *secrets) firstLine(p Plan, member string) string {
	type call struct {
		Name  string `json:"name"`
		Token string `json:"token"`
	}
	line := struct {
		Formation id.Formation      `json:"formation_id"`
		Member    string            `json:"member"`
		Launcher  *launcherIdentity `json:"launcher,omitempty"`
		Key       string            `json:"verify_key"`
		Calls     []call            `json:"calls"`
	}{s.formation, member, s.launcher, base64.RawURLEncoding.EncodeToString(s.key.Public().(ed25519.PublicKey)), []call{}}
	for _, callee := range p.Callees(member) {
		line.Calls = append(line.Calls, call{callee, s.token(member, callee)})
	}
	text, _ := json.Marshal(line)
	return string(text)
}

func (s *secrets) token(from, to string) string {
	encode := base64.RawURLEncoding.EncodeToString
	payload := encode([]byte(fmt.Sprintf(`{"formation":%q,"from":%q,"to":%q}`, s.formation, from, to)))
	signature := ed25519.Sign(s.key, []byte("murmur-formation-token-v1\x1fmft1\x1f"+payload))
	return "mft1." + payload + "." + encode(signature)
}

type address struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

func renderAddresses(addresses []address) string {
	text, _ := json.Marshal(map[string]any{"addresses": addresses})
	return string(text)
}
