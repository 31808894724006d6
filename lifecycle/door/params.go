package door

import (
	"encoding/json"
	"fmt"
)

// sendParams are the parameters of SendMessage, message/send and their streaming kin.
type sendParams struct {
	Message       *wireMessage `json:"message"`
	Configuration struct {
		ReturnImmediately *bool           `json:"returnImmediately"`          // 1.0
		Blocking          *bool           `json:"blocking"`                   // 0.3
		Push              json.RawMessage `json:"taskPushNotificationConfig"` // 1.0
		OldPush           json.RawMessage `json:"pushNotificationConfig"`     // 0.3
	} `json:"configuration"`
	Tenant string `json:"tenant"`
}

// readMessage reads and checks a message; immediately says that the caller does not want to wait for the task's end.
func readMessage(c call) (message Message, immediately bool, failure *rpcError) {
	var params sendParams
	if err := json.Unmarshal(c.params, &params); err != nil || params.Message == nil {
		return Message{}, false, badParams("params.message must be an A2A Message object")
	}
	wire := params.Message
	switch {
	case params.Tenant != "":
		return Message{}, false, badParams("this agent serves no tenants, so omit tenant")
	case wire.MessageID == "":
		return Message{}, false, badParams("message.messageId must be a non-empty string")
	case wire.Role != c.dialect.role(false):
		return Message{}, false, badParams("message.role must be " + c.dialect.role(false))
	case len(wire.Parts) == 0:
		return Message{}, false, badParams("message.parts must be a non-empty array")
	}
	message = Message{ID: wire.MessageID, Context: wire.ContextID, Task: wire.TaskID}
	for i, part := range wire.Parts {
		if failure := checkPart(c, i, part); failure != nil {
			return Message{}, false, failure
		}
	}
	message.Parts = partsOf(wire.Parts)
	message.Text = joinText(message.Parts)
	config := params.Configuration
	if given(config.Push) || given(config.OldPush) {
		return Message{}, false, c.fail(CodePushNotSupported, "push notifications are not supported by this agent")
	}
	immediately = config.ReturnImmediately != nil && *config.ReturnImmediately
	if c.dialect == v03 {
		immediately = config.Blocking != nil && !*config.Blocking
	}
	return message, immediately, nil
}

// checkPart requires exactly one content, which is text or data.
func checkPart(c call, index int, part wirePart) *rpcError {
	contents := 0
	for _, set := range []bool{part.Text != nil, part.Data != nil, part.Raw != nil, part.URL != nil, part.File != nil} {
		if set {
			contents++
		}
	}
	if contents != 1 {
		return badParams(fmt.Sprintf("message.parts[%d] must have exactly one content", index))
	}
	if part.Text == nil && part.Data == nil {
		return c.fail(CodeContentNotSupported,
			fmt.Sprintf("message.parts[%d] is a file; this agent reads text and data parts only", index), "partIndex", fmt.Sprint(index))
	}
	return nil
}

// readID reads the id of the task that a call is about.
func readID(c call) (string, *rpcError) {
	var params struct {
		ID     string `json:"id"`
		Tenant string `json:"tenant"`
	}
	if json.Unmarshal(c.params, &params) != nil || params.ID == "" {
		return "", badParams(c.method + " requires an id")
	}
	if params.Tenant != "" {
		return "", badParams("this agent serves no tenants, so omit tenant")
	}
	return params.ID, nil
}

func given(value json.RawMessage) bool { return value != nil && string(value) != "null" }
