package door

import (
	"bytes"
	"encoding/json"
)

// call is a JSON-RPC request as this door reads it.
type call struct {
	id      json.RawMessage // a string or an integer
	method  string
	params  json.RawMessage // "{}" when there were none
	dialect dialect
}

// rpcError is an error that answers a call; data is there for A2A's errors in the 1.0 dialect only.
type rpcError struct {
	Code    int         `json:"code"`
	Message string      `json:"message"`
	Data    []errorInfo `json:"data,omitempty"`
}

// errorInfo is a google.rpc.ErrorInfo, by which A2A 1.0 says in words what went wrong with what.
type errorInfo struct {
	Type     string            `json:"@type"`
	Reason   string            `json:"reason"`
	Domain   string            `json:"domain"`
	Metadata map[string]string `json:"metadata"`
}

type rpcReply struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// readCall reads a request body, or says with which error and for which id it is answered. Keys are compared exactly.
func readCall(body []byte) (call, *rpcError) {
	none := json.RawMessage("null")
	if !json.Valid(body) {
		return call{id: none}, &rpcError{Code: codeParse, Message: "Invalid JSON payload"}
	}
	invalid := &rpcError{Code: codeInvalidRequest, Message: "Request payload validation error"}
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil || members == nil {
		return call{id: none}, invalid
	}
	c := call{id: members["id"], params: members["params"]}
	if !validID(c.id) {
		c.id = none
		return c, invalid
	}
	var version string
	if json.Unmarshal(members["jsonrpc"], &version) != nil || version != "2.0" || !isString(members["method"]) {
		return c, invalid
	}
	_ = json.Unmarshal(members["method"], &c.method)
	if c.params == nil {
		c.params = json.RawMessage("{}")
	}
	return c, nil
}

// validID reports whether a JSON value is a string or an integer.
func validID(id json.RawMessage) bool {
	if isString(id) {
		return true
	}
	return len(id) > 0 && (id[0] == '-' || id[0] >= '0' && id[0] <= '9') && !bytes.ContainsAny(id, ".eE")
}

func isString(value json.RawMessage) bool { return len(value) > 0 && value[0] == '"' }

// fail returns an A2A error in the dialect of the call. The metadata come in pairs of a name and a value.
func (c call) fail(code int, message string, metadata ...string) *rpcError {
	failure := &rpcError{Code: code, Message: message}
	if name := reasonName(code); name != "" && c.dialect == v1 {
		info := errorInfo{Type: "type.googleapis.com/google.rpc.ErrorInfo", Reason: name, Domain: "a2a-protocol.org", Metadata: map[string]string{}}
		for i := 0; i+1 < len(metadata); i += 2 {
			info.Metadata[metadata[i]] = metadata[i+1]
		}
		failure.Data = []errorInfo{info}
	}
	return failure
}

// badParams is the error for parameters that are not what a method takes.
func badParams(why string) *rpcError {
	return &rpcError{Code: codeInvalidParams, Message: "Invalid params: " + why}
}

// reasonName returns the name that A2A 1.0 gives an error in its details.
func reasonName(code int) string {
	switch code {
	case CodeTaskNotFound:
		return "TASK_NOT_FOUND"
	case CodeTaskNotCancelable:
		return "TASK_NOT_CANCELABLE"
	case CodePushNotSupported:
		return "PUSH_NOTIFICATION_NOT_SUPPORTED"
	case CodeUnsupported:
		return "UNSUPPORTED_OPERATION"
	case CodeContentNotSupported:
		return "CONTENT_TYPE_NOT_SUPPORTED"
	case CodeNoExtendedCard:
		return "EXTENDED_AGENT_CARD_NOT_CONFIGURED"
	case CodeVersionNotSupported:
		return "VERSION_NOT_SUPPORTED"
	}
	return ""
}
