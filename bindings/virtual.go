package bindings

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"murlua/lifecycle/id"
	"murlua/lifecycle/member"
)

// formationDomain is where the members of a formation have their names for each other: http://<member>.formation.invalid. Such a name is
// routed to the member's door or refused, and never looked up; that no other domain ends so is why it was chosen.
const formationDomain = "formation.invalid"

// virtualMember reports whether a host, as it stands in a URL, is of the formation's domain, and whose name it is: "" if it is nobody's, as when
// it has a port or is written in capitals.
func virtualMember(host string) (name string, virtual bool) {
	lower := strings.ToLower(host)
	bare, _, _ := strings.Cut(lower, ":")
	bare = strings.TrimSuffix(bare, ".")
	if bare != formationDomain && !strings.HasSuffix(bare, "."+formationDomain) {
		return "", false
	}
	label := len(host) - len(formationDomain) - 1
	if label < 1 || !strings.HasSuffix(lower, "."+formationDomain) || !id.ValidMember(host[:label]) {
		return "", true
	}
	return host[:label], true
}

// callee returns where a member is that this script may call, and its token for that. Scripts outside capsules may call
// none.
func (w *World) callee(ctx context.Context, host, name string) (member.Callee, error) {
	w.mu.Lock()
	find := w.callees
	w.mu.Unlock()
	switch {
	case name == "":
		return member.Callee{}, fmt.Errorf("cannot call %q: a member's address is http://<name>.%s", host, formationDomain)
	case find == nil:
		return member.Callee{}, fmt.Errorf("cannot call %q: this script is no capsule of a formation", name)
	}
	return find(ctx, name)
}

// routed sends a request for a member's virtual address to its door. What the script says about who it is is replaced.
func (w *World) routed(ctx context.Context, message *http.Request) error {
	name, virtual := virtualMember(message.URL.Host)
	if !virtual {
		return nil
	}
	if message.URL.Scheme != "http" {
		name = ""
	}
	to, err := w.callee(ctx, message.URL.Host, name)
	if err != nil {
		return err
	}
	message.URL.Host = strings.TrimPrefix(to.URL, "http://")
	message.Host = message.URL.Host
	message.Header.Set("Authorization", "Bearer "+to.Token.Reveal())
	message.Header.Set("X-Murmur-Task-Origin", "peer")
	message.Header.Del("X-Murmur-Task-Trust")
	return nil
}
