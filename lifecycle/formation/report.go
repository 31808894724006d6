package formation

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"

	"murlua/lifecycle/credential"
)

// report is what a capsule's readiness line says.
type report struct {
	session string
	url     string // http://host:port
	token   credential.Secret
}

// readReport reads a readiness line. The order of the checks is murmur's: JSON, formation, session, door.
func readReport(line []byte, expected string) (report, *Reason) {
	var value any
	if err := json.Unmarshal(line, &value); err != nil {
		return report{}, &Reason{Kind: UnreadableReport, Why: "it does not parse as JSON (" + shortened(err.Error(), 200) + ")"}
	}
	// A value that is no object has no keys: it then names no formation.
	object, _ := value.(map[string]any)
	reported, _ := object["formation_id"].(string)
	if reported != expected {
		return report{}, &Reason{Kind: WrongFormation, Reported: presentable(reported), Expected: expected}
	}
	session, _ := object["session_id"].(string)
	if session == "" {
		return report{}, &Reason{Kind: UnreadableReport, Why: "it names no session_id"}
	}
	url, _ := object["url"].(string)
	if url == "" {
		return report{}, &Reason{Kind: ReportedNoDoor}
	}
	for strings.HasPrefix(url, "http://") {
		url = strings.TrimPrefix(url, "http://")
	}
	tokens, _ := object["tokens"].(map[string]any)
	operator, _ := tokens["operator"].(string)
	return report{session: session, url: "http://" + url, token: credential.NewSecret(operator)}, nil
}

// presentable is an id as a member wrote it, made fit to be shown: not for ever, and no control characters.
func presentable(text string) string {
	text = shortened(text, 80)
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}

// shortened cuts what a member may make as long as it likes: the decoder's errors quote a number in full, for one.
func shortened(text string, longest int) string {
	if len(text) <= longest {
		return text
	}
	return strings.ToValidUTF8(text[:longest], "") + "…"
}

// doorAnswersAs decides whether a probe's answer makes the member ready: only a card that names the
// session it reported does. Otherwise it returns what the refusal quotes as the last probe's word.
func doorAnswersAs(session string, err error, reported string) string {
	switch {
	case err != nil:
		return err.Error()
	case session != reported:
		return "the door answers as session " + session
	}
	return ""
}
