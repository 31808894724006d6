package door

import (
	"encoding/json"
	"slices"
)

const doorExtension = "https://docs.murmur.nexus/reference/agent-card/#murmur-door-v1"

// cards builds the card that anyone may read and, for an authenticated door, the one for callers with a token. Only the latter
// names the session then.
//
// They are written for readers of both dialects: supportedInterfaces is 1.0's way to say where the door is, url with
// protocolVersion 0.3's. The 1.0 interface comes first, which is how murmur's clients choose.
func cards(o ServerOptions, address string) (public, extended []byte) {
	url := "http://" + address
	var names []string
	for _, m := range methods {
		if (m.op == opExtendedCard && o.Auth == nil) || m.op == opPush || (o.OnTask == nil && m.op.startsTasks()) {
			continue
		}
		names = append(names, m.name)
	}
	own := []map[string]any{
		{
			"uri": doorExtension, "required": false, "description": "What this door answers.",
			"params": map[string]any{"methods": names, "peerTasks": !o.RefusePeers},
		},
		{
			"uri": streamExtension, "required": false, "description": "What its streams carry beside the events of A2A.",
			"params": map[string]any{"frames": servedFrames()},
		},
	}
	session := map[string]any{
		"uri": capsuleExtension, "required": false, "description": "Which session answers here.",
		"params": map[string]any{"sessionId": string(o.Session), "tools": []string{}, "shell": false, "network": false, "planes": []string{}},
	}
	capabilities := map[string]any{
		"streaming": o.OnTask != nil, "pushNotifications": false, "extendedAgentCard": o.Auth != nil,
		"extensions": append(slices.Clone(own), session),
	}
	description := o.Description
	if description == "" {
		description = "Lua capsule " + o.Name + " " + o.Version
	}
	skills := []any{}
	if o.OnTask != nil {
		skills = append(skills, map[string]any{"id": "task", "name": "Run a task", "description": description, "tags": []string{"task"}})
	}
	card := map[string]any{
		"name": o.Name, "version": o.Version, "description": description, "capabilities": capabilities, "skills": skills,
		"supportedInterfaces": []any{
			map[string]any{"url": url, "protocolBinding": "JSONRPC", "protocolVersion": version},
			map[string]any{"url": url, "protocolBinding": "JSONRPC", "protocolVersion": oldVersion},
		},
		"url": url, "preferredTransport": "JSONRPC", "protocolVersion": oldVersion + ".0",
		"defaultInputModes": []string{textType, jsonType}, "defaultOutputModes": []string{textType, jsonType},
		"securitySchemes": map[string]any{}, "securityRequirements": []any{},
	}
	if o.Auth != nil {
		capabilities["extensions"] = own
		card["supportsAuthenticatedExtendedCard"] = true
		card["securitySchemes"] = map[string]any{"bearer": map[string]any{
			"httpAuthSecurityScheme": map[string]any{"scheme": "Bearer"}, // 1.0
			"type":                   "http", "scheme": "bearer",         // 0.3
		}}
		// A list of no scopes, since the official clients agree on no other spelling of one: Go's takes lists only, Python's also the
		// object that the specification asks for.
		card["securityRequirements"] = []any{map[string]any{"schemes": map[string]any{"bearer": []string{}}}}
		card["security"] = []any{map[string]any{"bearer": []string{}}}
	}
	public = encode(card)
	if o.Auth != nil {
		capabilities["extensions"] = append(slices.Clone(own), session)
		extended = encode(card)
	}
	return public, extended
}

// encode writes JSON of values that always can be.
func encode(value any) []byte {
	data, err := json.Marshal(value)
	if err != nil {
		return []byte("null")
	}
	return data
}
