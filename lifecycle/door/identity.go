package door

import (
	"encoding/json"
	"strings"
)

// capsuleExtension is the card extension in which a murmur capsule names its session.
const capsuleExtension = "https://docs.murmur.nexus/reference/agent-card/#murmur-capsule-v1"

// sessionOf returns the session that a card names, "" if none: the parameter sessionId of the first extension with the
// capsule's URI. Older capsules put session_id on top of the card; murmur's readers have ignored that since 0.5.
//
// Keys are compared exactly, which decoding into a struct would not do.
func sessionOf(card []byte) string {
	capabilities, _ := member(card, "capabilities")
	list, _ := member(capabilities, "extensions")
	var extensions []json.RawMessage
	if json.Unmarshal(list, &extensions) != nil {
		return ""
	}
	for _, extension := range extensions {
		if text(extension, "uri") == capsuleExtension {
			params, _ := member(extension, "params")
			return text(params, "sessionId")
		}
	}
	return ""
}

// isCard reports whether a reply is an agent card at all, with or without a session: an object that has a name or capabilities.
// A page for people and an empty object, which some servers answer on any path, are none.
func isCard(body []byte) bool {
	_, named := member(body, "name")
	_, capable := member(body, "capabilities")
	return named || capable
}

// presentable reports whether a session that a door names can be shown and compared. Every real one passes, no door token does.
func presentable(session string) bool {
	other := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	}
	return len(session) <= 128 && !strings.ContainsFunc(session, other)
}

// member returns the value of a key of a JSON object.
func member(object []byte, key string) (json.RawMessage, bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return nil, false
	}
	value, found := members[key]
	return value, found
}

// text returns the string under a key of a JSON object, "" if there is none.
func text(object []byte, key string) string {
	value, _ := member(object, key)
	var s string
	if json.Unmarshal(value, &s) != nil {
		return ""
	}
	return s
}

// errorCode returns the code of a JSON-RPC error reply, 0 if it is none.
func errorCode(reply []byte) int {
	failure, _ := member(reply, "error")
	value, _ := member(failure, "code")
	var code int
	if json.Unmarshal(value, &code) != nil {
		return 0
	}
	return code
}
