package door

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"murlua/lifecycle/credential"
)

// Auth says who may use an authenticated door. The operator's credential is always there and may do everything.
type Auth struct {
	// Credentials are further ones: a name, and the methods that its token may call, by their name in either dialect. The operator's name
	// and those of members ("member:…") are taken.
	// Such a token reaches only the tasks that it started.
	Credentials map[string][]string
	// Formation lets in the members of a formation that may call this one; nil if the capsule is in none.
	Formation *credential.Verifier
}

// gate checks tokens.
type gate struct {
	realm     string
	key       *credential.DoorKey
	formation *credential.Verifier
	operator  credential.Secret
	tokens    map[string]credential.Secret
}

// check reports a credential whose name would make it somebody else.
func (a Auth) check() error {
	for name := range a.Credentials {
		if name == "" || name == credential.Operator || strings.HasPrefix(name, credential.MemberPrefix) {
			return fmt.Errorf("a credential cannot be called %q", name)
		}
	}
	return nil
}

func newGate(auth Auth, realm string) *gate {
	g := &gate{realm: realm, key: credential.NewDoorKey(), formation: auth.Formation}
	var all []string
	for _, m := range methods {
		if m.op != opExtendedCard && m.op != opPush {
			all = append(all, m.name)
		}
	}
	g.operator = g.key.Mint(credential.Operator, all)
	for name, scopes := range auth.Credentials {
		if g.tokens == nil {
			g.tokens = map[string]credential.Secret{}
		}
		g.tokens[name] = g.key.Mint(name, bothSpellings(scopes))
	}
	return g
}

// bothSpellings adds to each scope its name in the other dialect, since a credential is declared for what it may do.
func bothSpellings(scopes []string) []string {
	var all []string
	for _, m := range methods {
		granted := slices.ContainsFunc(scopes, func(scope string) bool {
			named, found := methodNamed(scope)
			return found && named.op == m.op
		})
		if granted && m.op != opExtendedCard && m.op != opPush {
			all = append(all, m.name)
		}
	}
	return all
}

// refusal is an answer to a request whose caller may not make it, before or instead of a JSON-RPC reply.
type refusal struct {
	status           int
	code, message    string
	challenge, scope string // of the www-authenticate header; "" for none
}

// check returns what the request's Authorization header grants.
func (g *gate) check(r *http.Request) (credential.Grant, *refusal) {
	headers := r.Header.Values("Authorization")
	if len(headers) == 0 {
		return credential.Grant{}, &refusal{
			status: http.StatusUnauthorized, code: "unauthenticated",
			message: "this door asks for a token: Authorization: Bearer <token>", challenge: "unauthenticated",
		}
	}
	invalid := &refusal{
		status: http.StatusUnauthorized, code: "invalid_token", challenge: "invalid_token",
		message: "the Authorization header has no token that this door takes",
	}
	scheme, token, _ := strings.Cut(strings.TrimSpace(headers[0]), " ")
	if len(headers) > 1 || !strings.EqualFold(scheme, "bearer") {
		return credential.Grant{}, invalid
	}
	token = strings.TrimSpace(token)
	if !credential.IsFormationToken(token) {
		if grant, ok := g.key.Verify(token); ok {
			return grant, nil
		}
		return credential.Grant{}, invalid
	}
	if g.formation == nil {
		return credential.Grant{}, invalid
	}
	grant, err := g.formation.Verify(token)
	switch {
	case err == nil:
		return grant, nil
	case errors.Is(err, credential.ErrNotPermitted):
		return credential.Grant{}, &refusal{
			status: http.StatusForbidden, code: "not_permitted", challenge: "insufficient_scope",
			message: "member '" + grant.Member + "' may not call this capsule",
		}
	}
	return credential.Grant{}, invalid
}

// outOfScope is the refusal for a token that does not reach a method.
func outOfScope(grant credential.Grant, scope string) *refusal {
	return &refusal{
		status: http.StatusForbidden, code: "insufficient_scope", challenge: "insufficient_scope", scope: scope,
		message: "credential '" + grant.Credential + "' does not reach " + scope,
	}
}

// peerRefusal is the refusal of a door that takes nothing from peers.
func peerRefusal() *refusal {
	return &refusal{status: http.StatusForbidden, code: "peer_not_accepted", message: "this capsule takes no tasks from peers"}
}

// header returns the www-authenticate header for a door of this realm, "" for none.
func (r *refusal) header(realm string) string {
	switch r.challenge {
	case "":
		return ""
	case "unauthenticated":
		return `Bearer realm="` + realm + `"`
	}
	text := `Bearer realm="` + realm + `", error="` + r.challenge + `"`
	if r.scope != "" {
		text += `, scope="` + r.scope + `"`
	}
	return text
}
