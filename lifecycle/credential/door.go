package credential

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
)

const (
	doorTag    = "mdt1"
	doorDomain = "murmur-door-token-v1"
	separator  = "\x1f"
	// maxToken bounds a token that is looked at at all.
	maxToken = 16 << 10
)

// encoding is unpadded base64url.
var encoding = base64.RawURLEncoding.Strict()

// decode accepts exactly one spelling of each value; the library also skips line ends.
func decode(text string) ([]byte, error) {
	if strings.ContainsAny(text, "\r\n") {
		return nil, base64.CorruptInputError(0)
	}
	return encoding.DecodeString(text)
}

// Operator is the name of the credential that may do everything.
const Operator = "operator"

// DoorKey mints and verifies the tokens of one door. The key is random, stays in memory, and is gone with the process: so are its tokens.
type DoorKey struct {
	key []byte
}

// NewDoorKey makes a key.
func NewDoorKey() *DoorKey {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails: the process ends when the system has no randomness
	return &DoorKey{key: key}
}

// doorPayload is what a door token says. The order of its keys is murmur's.
type doorPayload struct {
	Credential string   `json:"credential"`
	Scopes     []string `json:"scopes"`
}

// Mint returns the token of a credential that may use these scopes:
// "mdt1." + base64url({"credential":…,"scopes":[…]}) + "." + base64url(HMAC-SHA256).
func (k *DoorKey) Mint(credential string, scopes []string) Secret {
	if scopes == nil {
		scopes = []string{}
	}
	payload := encoding.EncodeToString(compact(doorPayload{Credential: credential, Scopes: scopes}))
	return NewSecret(doorTag + "." + payload + "." + encoding.EncodeToString(k.sign(payload)))
}

// Verify returns what a token of this key may do. Why one is not accepted is not said.
func (k *DoorKey) Verify(token string) (Grant, bool) {
	tag, rest, _ := strings.Cut(token, ".")
	payload, sum, found := strings.Cut(rest, ".")
	if len(token) > maxToken || tag != doorTag || !found {
		return Grant{}, false
	}
	given, err := decode(sum)
	if err != nil || !hmac.Equal(given, k.sign(payload)) {
		return Grant{}, false
	}
	text, err := decode(payload)
	var p doorPayload
	if err != nil || json.Unmarshal(text, &p) != nil || p.Credential == "" {
		return Grant{}, false
	}
	return Grant{Credential: p.Credential, scopes: p.Scopes}, true
}

func (k *DoorKey) sign(payload string) []byte {
	mac := hmac.New(sha256.New, k.key)
	mac.Write([]byte(doorDomain + separator + payload))
	return mac.Sum(nil)
}

// Grant is what a verified token may do.
type Grant struct {
	// Credential is the name that the token was minted for: "operator", a declared name, or "member:" and a member's name.
	Credential string
	// Member is the calling member's name, for a formation token.
	Member string
	scopes []string
}

// Allows reports whether the token reaches a scope.
func (g Grant) Allows(scope string) bool { return slices.Contains(g.scopes, scope) }

// compact encodes a value as murmur does: no spaces, nothing escaped that need not be.
func compact(value any) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
