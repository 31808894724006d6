package credential

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"murlua/lifecycle/id"
)

const (
	formationTag    = "mft1"
	formationDomain = "murmur-formation-token-v1"
	// MemberPrefix stands before a member's name in the credential that a formation token grants.
	MemberPrefix = "member:"
)

// FormationScopes are the methods that a member may call at a member's door, by the names they have in both dialects of A2A.
// Whatever they reach, they reach only the tasks that this member submitted.
func FormationScopes() []string {
	return []string{"message/send", "tasks/get", "SendMessage", "GetTask", "CancelTask", "ListTasks", "SubscribeToTask"}
}

// Errors of [Verifier.Verify].
var (
	// ErrInvalidToken says that a token is not one of this formation; it never says why.
	ErrInvalidToken = errors.New("the token is not valid here")
	// ErrNotPermitted says that a token is genuine, and was issued for another member's door.
	ErrNotPermitted = errors.New("the caller may not call this member")
)

// Authority is the key of one formation, by which its launcher says who may call whom. It is made with the formation, stays in the
// launcher's memory, and is dropped after the last member has gone. Nothing expires and nothing can be revoked sooner.
type Authority struct {
	formation id.Formation
	private   ed25519.PrivateKey
	public    ed25519.PublicKey
}

// NewAuthority makes the key of a formation.
func NewAuthority(formation id.Formation) (*Authority, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("cannot make the key of formation %q: %w", formation, err)
	}
	return &Authority{formation: formation, private: private, public: public}, nil
}

// formationPayload is what a formation token says; the order of its keys is part of the format.
type formationPayload struct {
	Formation string `json:"formation"`
	From      string `json:"from"`
	To        string `json:"to"`
}

// Token returns the token by which one member calls another.
func (a *Authority) Token(from, to string) Secret {
	payload := encoding.EncodeToString(compact(formationPayload{Formation: string(a.formation), From: from, To: to}))
	signature := ed25519.Sign(a.private, signed(payload))
	return NewSecret(formationTag + "." + payload + "." + encoding.EncodeToString(signature))
}

// signed returns the bytes that a token's signature covers, given its payload segment.
func signed(payload string) []byte {
	return []byte(formationDomain + separator + formationTag + separator + payload)
}

// Verifier checks formation tokens at the door of one member.
type Verifier struct {
	formation id.Formation
	member    string
	key       ed25519.PublicKey
}

// Verifier returns what the door of a member checks tokens with.
func (a *Authority) Verifier(member string) *Verifier {
	return &Verifier{formation: a.formation, member: member, key: a.public}
}

// IsFormationToken reports whether a token claims to be one of a formation.
func IsFormationToken(token string) bool {
	return token == formationTag || strings.HasPrefix(token, formationTag+".")
}

// Verify returns the member that a token was issued to, and what it may do. The error is [ErrInvalidToken], or, for a genuine token issued for another
// member's door, [ErrNotPermitted] together with the grant's Member, so that the refusal can name the caller.
func (v *Verifier) Verify(token string) (Grant, error) {
	payload, err := open(token, v.key)
	if err != nil || payload.Formation != string(v.formation) {
		return Grant{}, ErrInvalidToken
	}
	if payload.To != v.member {
		return Grant{Member: payload.From}, ErrNotPermitted
	}
	return Grant{Credential: MemberPrefix + payload.From, Member: payload.From, scopes: FormationScopes()}, nil
}

// open checks a token's form and signature and returns what it says.
func open(token string, key ed25519.PublicKey) (formationPayload, error) {
	var none formationPayload
	segments := strings.Split(token, ".")
	if len(token) > maxToken || len(segments) != 3 || segments[0] != formationTag || segments[1] == "" || segments[2] == "" {
		return none, ErrInvalidToken
	}
	text, err := decode(segments[1])
	if err != nil {
		return none, ErrInvalidToken
	}
	signature, err := decode(segments[2])
	if err != nil || len(signature) != ed25519.SignatureSize || !ed25519.Verify(key, signed(segments[1]), signature) {
		return none, ErrInvalidToken
	}
	fields, err := exactObject(text, "formation", "from", "to")
	if err != nil {
		return none, ErrInvalidToken
	}
	payload := formationPayload{Formation: fields[0], From: fields[1], To: fields[2]}
	if !id.ValidMember(payload.From) || !id.ValidMember(payload.To) {
		return none, ErrInvalidToken
	}
	return payload, nil
}

// exactObject reads a JSON object that has exactly these keys, all of them strings, and returns the values in their order.
func exactObject(text []byte, keys ...string) ([]string, error) {
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	values := make([]string, len(keys))
	for key, value := range members {
		at := slices.Index(keys, key)
		if at < 0 || len(value) == 0 || value[0] != '"' {
			return nil, errors.New("a key is not one of this object's, or not a string")
		}
		if err := json.Unmarshal(value, &values[at]); err != nil {
			return nil, err
		}
	}
	if len(members) != len(keys) {
		return nil, errors.New("a key is missing")
	}
	return values, nil
}
