package door

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"murlua/lifecycle/credential"
)

const (
	cardPath = "/.well-known/agent-card.json"
	// oldCardPath is where agents served their card before A2A 0.3 moved it.
	oldCardPath = "/.well-known/agent.json"

	versionHeader = "A2A-Version"
	version       = "1.0"
	oldVersion    = "0.3"
)

// The two names of the method that returns the card which an authenticated door shows to callers with a token:
// A2A 1.0's, and 0.3's for older capsules.
const (
	extendedCardMethod    = "GetExtendedAgentCard"
	oldExtendedCardMethod = "agent/getAuthenticatedExtendedCard"
)

// Sight is what a door said about itself.
type Sight struct {
	// Session is the session the door answers for: 1 to 128 letters, digits, _ or -, not checked any further.
	Session string
	// Note says what was unusual although the door is good, such as a card at the old path; mostly "".
	Note string
}

// Probe asks the door at url which session it answers for. The url is "host:port"; a scheme is dropped.
//
// Without a token it reads the public card, with one the extended card, the only one on which an authenticated door names its session.
// "localhost" means 127.0.0.1 and ::1, tried in this order; the first that accepts decides, and when none does the error names each.
// A connection gets 2 s per address, a read or write 5 s, all of it 10 s, the reply 1 MiB; ctx may end it earlier.
// Redirects are not followed, chunked and compressed replies are not decoded: those are not doors.
//
// The error says why no session could be learned; it is never evidence that the capsule is gone. It contains neither the
// token nor anything of the reply but its status line.
func Probe(ctx context.Context, url string, token credential.Secret) (session string, err error) {
	sight, err := Look(ctx, url, token)
	return sight.Session, err
}

// Look is [Probe] with the note.
func Look(ctx context.Context, url string, token credential.Secret) (Sight, error) {
	return look(ctx, url, token, probeTimeout)
}

func look(ctx context.Context, url string, token credential.Secret, within time.Duration) (Sight, error) {
	a, err := parseAddress(url)
	if err != nil {
		return Sight{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, within, fmt.Errorf("it took longer than %s", within))
	defer cancel()
	if !token.IsZero() {
		return lookExtended(ctx, a, token)
	}
	return lookPublic(ctx, a)
}

// lookPublic reads the public card, and the old path when there is no card at the usual one.
func lookPublic(ctx context.Context, a address) (Sight, error) {
	body, err := exchange(ctx, a, cardRequest(a, cardPath))
	if err == nil {
		var sight Sight
		if sight, err = sightOf(a, body); err == nil {
			return sight, nil
		}
		if isCard(body) {
			return Sight{}, err
		}
	}
	var status *statusError
	if errors.As(err, &status) && status.code != 404 && status.code != 405 && status.code != 410 {
		return Sight{}, err
	}
	var unreached *UnreachableError
	if errors.As(err, &unreached) || ctx.Err() != nil {
		return Sight{}, err
	}
	body, oldErr := exchange(ctx, a, cardRequest(a, oldCardPath))
	if oldErr != nil {
		return Sight{}, err
	}
	sight, oldErr := sightOf(a, body)
	if oldErr != nil && !isCard(body) {
		return Sight{}, err
	}
	sight.Note = fmt.Sprintf("the door at %s serves its card only at the old path %s", a.text, oldCardPath)
	return sight, oldErr
}

func cardRequest(a address, path string) request {
	return request{method: "GET", path: a.path + path, headers: []string{"Accept: application/json", versionHeader + ": " + version}}
}

// lookExtended asks by A2A 1.0's method, and by 0.3's when the door does not know that one.
func lookExtended(ctx context.Context, a address, token credential.Secret) (Sight, error) {
	body, err := exchange(ctx, a, extendedRequest(a, extendedCardMethod, token, versionHeader+": "+version))
	if err != nil {
		return Sight{}, err
	}
	if errorCode(body) == codeMethodNotFound {
		if body, err = exchange(ctx, a, extendedRequest(a, oldExtendedCardMethod, token)); err != nil {
			return Sight{}, err
		}
	}
	if !json.Valid(body) {
		return Sight{}, fmt.Errorf("the reply from %s is not JSON", a.text)
	}
	card, found := member(body, "result")
	if !found {
		return Sight{}, fmt.Errorf("the capsule at %s did not return its extended agent card", a.text)
	}
	sight, err := sightOf(a, card)
	if err == nil && strings.Contains(sight.Session, token.Reveal()) {
		return Sight{}, fmt.Errorf("the agent card from %s names the token that it was sent", a.text)
	}
	return sight, err
}

func extendedRequest(a address, method string, token credential.Secret, headers ...string) request {
	return request{
		method: "POST", path: a.path + "/", token: token, headers: headers,
		body: `{"id":1,"jsonrpc":"2.0","method":"` + method + `","params":{}}`,
	}
}

// sightOf reads the session off a card. A name that no session can have is not shown: a door that was sent a token could put that there.
func sightOf(a address, card []byte) (Sight, error) {
	if !json.Valid(card) {
		return Sight{}, fmt.Errorf("the agent card from %s is not JSON", a.text)
	}
	session := sessionOf(card)
	if session == "" {
		return Sight{}, fmt.Errorf("the agent card from %s names no session", a.text)
	}
	if !presentable(session) {
		return Sight{}, fmt.Errorf("the agent card from %s names something that is no session id", a.text)
	}
	return Sight{Session: session}, nil
}
