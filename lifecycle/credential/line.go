package credential

import (
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"murlua/lifecycle/id"
)

// MaxLine is the size that a line on a formation's channel must stay below, line end included.
const MaxLine = 1 << 20

// Launcher is the process that launched a formation, as its members are told.
type Launcher struct {
	PID   int    // 1..2^31-1
	Start string // its start token, not empty
}

// Call is one member that another may call, and the token for it.
type Call struct {
	Name  string
	Token Secret
}

// FirstLine is what a launcher tells a member on its channel before anything else: who it is, who launched it, how to check those
// who call it, and whom it may call.
type FirstLine struct {
	Formation id.Formation
	Member    string
	Launcher  *Launcher // nil when the launcher could not read its own start
	Entry     bool      // whether it is the formation's entry; newer builds say so
	Calls     []Call    // in the order of the roster

	key ed25519.PublicKey
}

// Bundle returns the first line of a member that may call these others, in this order.
// The launcher and whether it is the entry are for the caller to add.
func (a *Authority) Bundle(member string, callees ...string) FirstLine {
	line := FirstLine{Formation: a.formation, Member: member, key: a.public}
	for _, callee := range callees {
		line.Calls = append(line.Calls, Call{Name: callee, Token: a.Token(member, callee)})
	}
	return line
}

// Verifier returns what the member's door checks formation tokens with.
func (l FirstLine) Verifier() *Verifier {
	return &Verifier{formation: l.Formation, member: l.Member, key: l.key}
}

// Call returns the token for calling a member.
func (l FirstLine) Call(name string) (Secret, bool) {
	for _, call := range l.Calls {
		if call.Name == name {
			return call.Token, true
		}
	}
	return Secret{}, false
}

// The objects of the line, in the order in which murmur writes their keys.
type (
	wireLauncher struct {
		PID   int    `json:"pid"`
		Start string `json:"process_start"`
	}
	wireCall struct {
		Name  string `json:"name"`
		Token string `json:"token"`
	}
	wireLine struct {
		Formation string        `json:"formation_id"`
		Member    string        `json:"member"`
		Launcher  *wireLauncher `json:"launcher,omitempty"`
		Entry     bool          `json:"entry,omitempty"`
		Key       string        `json:"verify_key"`
		Calls     []wireCall    `json:"calls"`
	}
)

// Render returns the line as it goes onto the channel, with its line end. It holds the tokens in clear.
func (l FirstLine) Render() []byte {
	wire := wireLine{Formation: string(l.Formation), Member: l.Member, Entry: l.Entry, Key: encoding.EncodeToString(l.key), Calls: []wireCall{}}
	if l.Launcher != nil {
		wire.Launcher = &wireLauncher{PID: l.Launcher.PID, Start: l.Launcher.Start}
	}
	for _, call := range l.Calls {
		wire.Calls = append(wire.Calls, wireCall{Name: call.Name, Token: call.Token.Reveal()})
	}
	return append(compact(wire), '\n')
}

// ParseFirstLine reads a first line, without its line end, and requires that it is of the formation that the member's environment names.
// The checks are made in murmur's order. The error names what is wrong by its position and never quotes the line.
func ParseFirstLine(line []byte, environment id.Formation) (FirstLine, error) {
	object, err := lineObject(line, "its first line")
	if err != nil {
		return FirstLine{}, err
	}
	var l FirstLine
	for _, read := range []func(map[string]json.RawMessage) error{l.readFormation, l.readMember, l.readLauncher, l.readEntry, l.readKey, l.readCalls} {
		if err := read(object); err != nil {
			return FirstLine{}, err
		}
	}
	if l.Formation != environment {
		return FirstLine{}, errors.New("its first line's formation_id is not the formation that the environment names")
	}
	return l, nil
}

// lineObject reads the JSON object that a line is.
func lineObject(line []byte, what string) (map[string]json.RawMessage, error) {
	switch {
	case len(line) >= MaxLine:
		return nil, fmt.Errorf("%s is %d bytes or longer", what, MaxLine)
	case !utf8.Valid(line):
		return nil, fmt.Errorf("%s is not UTF-8", what)
	case !json.Valid(line):
		return nil, fmt.Errorf("%s is not JSON", what)
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(line, &object) != nil || object == nil {
		return nil, fmt.Errorf("%s is not a JSON object", what)
	}
	return object, nil
}

// textOf returns the string under a key.
func textOf(object map[string]json.RawMessage, key string) (string, bool) {
	value := object[key]
	var text string
	if len(value) == 0 || value[0] != '"' || json.Unmarshal(value, &text) != nil {
		return "", false
	}
	return text, true
}

func (l *FirstLine) readFormation(object map[string]json.RawMessage) error {
	text, ok := textOf(object, "formation_id")
	if !ok {
		return errors.New("its first line has no string formation_id")
	}
	formation, err := id.ParseFormation(text)
	if err != nil {
		return fmt.Errorf("its first line's formation_id is not a formation id: %w", err)
	}
	l.Formation = formation
	return nil
}

func (l *FirstLine) readMember(object map[string]json.RawMessage) error {
	text, ok := textOf(object, "member")
	if !ok {
		return errors.New("its first line has no string member")
	}
	if !id.ValidMember(text) {
		return errors.New("its first line's member is not a member name")
	}
	l.Member = text
	return nil
}

func (l *FirstLine) readLauncher(object map[string]json.RawMessage) error {
	value, present := object["launcher"]
	if !present {
		return nil
	}
	var launcher map[string]json.RawMessage
	if json.Unmarshal(value, &launcher) != nil || launcher == nil {
		return errors.New("its first line's launcher is not a JSON object")
	}
	pid, err := strconv.ParseInt(string(launcher["pid"]), 10, 32)
	if err != nil || pid < 1 {
		return errors.New("its first line's launcher.pid is not an integer from 1 to 2147483647")
	}
	start, ok := textOf(launcher, "process_start")
	if !ok || start == "" {
		return errors.New("its first line's launcher.process_start is not a non-empty string")
	}
	l.Launcher = &Launcher{PID: int(pid), Start: start}
	return nil
}

func (l *FirstLine) readEntry(object map[string]json.RawMessage) error {
	switch value, present := object["entry"]; {
	case !present, string(value) == "false":
		return nil
	case string(value) == "true":
		l.Entry = true
		return nil
	}
	return errors.New("its first line's entry is not a boolean")
}

func (l *FirstLine) readKey(object map[string]json.RawMessage) error {
	text, ok := textOf(object, "verify_key")
	if !ok {
		return errors.New("its first line has no string verify_key")
	}
	key, err := decode(text)
	if err != nil {
		return errors.New("its first line's verify_key is not unpadded base64url")
	}
	if len(key) != ed25519.PublicKeySize {
		return fmt.Errorf("its first line's verify_key is not %d bytes", ed25519.PublicKeySize)
	}
	l.key = key
	return nil
}

func (l *FirstLine) readCalls(object map[string]json.RawMessage) error {
	var entries []json.RawMessage
	if value := object["calls"]; len(value) == 0 || value[0] != '[' || json.Unmarshal(value, &entries) != nil {
		return errors.New("its first line has no calls array")
	}
	seen := make(map[string]bool, len(entries))
	for i, entry := range entries {
		var fields map[string]json.RawMessage
		_ = json.Unmarshal(entry, &fields)
		name, ok := textOf(fields, "name")
		switch {
		case !ok:
			return fmt.Errorf("its first line's calls[%d] has no string name", i)
		case !id.ValidMember(name):
			return fmt.Errorf("its first line's calls[%d].name is not a member name", i)
		case seen[name]:
			return fmt.Errorf("its first line's calls[%d].name is repeated", i)
		}
		token, ok := textOf(fields, "token")
		if !ok {
			return fmt.Errorf("its first line's calls[%d] has no string token", i)
		}
		payload, err := open(token, l.key)
		if err != nil || payload != (formationPayload{Formation: string(l.Formation), From: l.Member, To: name}) {
			return fmt.Errorf("its first line's calls[%d].token was not issued to this member for that one under the line's own key", i)
		}
		seen[name] = true
		l.Calls = append(l.Calls, Call{Name: name, Token: NewSecret(token)})
	}
	return nil
}
