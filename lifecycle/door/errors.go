package door

import "fmt"

// Error codes of JSON-RPC 2.0.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeMethodNotFound = -32601
	codeInvalidParams  = -32602

	// codeNotAwaited is murmur's: the outcome of a delegated task for which nobody waits. Capsules written in Lua delegate none.
	codeNotAwaited = -31002
)

// Error codes as [RPCError] carries them: JSON-RPC's for a method that a door does not have, and those of A2A.
const (
	CodeMethodNotFound      = codeMethodNotFound
	CodeTaskNotFound        = -32001
	CodeTaskNotCancelable   = -32002
	CodePushNotSupported    = -32003
	CodeUnsupported         = -32004
	CodeContentNotSupported = -32005
	CodeNoExtendedCard      = -32007
	CodeVersionNotSupported = -32009
)

// RPCError is the error that a door answered a call with.
type RPCError struct {
	Method  string
	Code    int    // a code of JSON-RPC or of A2A
	Message string // what the door says, at most 400 bytes, without control characters
}

func (e *RPCError) Error() string {
	return fmt.Sprintf("the door refused %s: %s (code %d)", e.Method, e.Message, e.Code)
}

// RefusedError is a refusal before the call was looked at: the caller may not do this.
type RefusedError struct {
	Status int    // the HTTP status: 401, 403 or 503
	Code   string // such as "invalid_token", "insufficient_scope", "not_permitted", "peer_not_accepted"
	Reason string // what the door says, as in RPCError
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("the door refused the caller: %s (%s, status %d)", e.Reason, e.Code, e.Status)
}
