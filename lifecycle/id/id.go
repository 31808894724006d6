package id

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

const (
	sessionPrefix   = "ses_"
	formationPrefix = "frm_"
	digits          = 32
)

// Session is the id of one run of one capsule.
type Session string

// Formation is the id of one launched formation.
type Formation string

// NewSession mints a session id.
func NewSession() Session { return Session(sessionPrefix + mint()) }

// NewFormation mints a formation id.
func NewFormation() Formation { return Formation(formationPrefix + mint()) }

// ParseSession checks a session id, without trimming. Its error never repeats the value.
func ParseSession(text string) (Session, error) {
	if err := check("session id", sessionPrefix, text); err != nil {
		return "", err
	}
	return Session(text), nil
}

// ParseFormation checks a formation id, without trimming: first its prefix, then its length, then
// its digits. Its error never repeats the value, which may be somebody's mistyped secret.
func ParseFormation(text string) (Formation, error) {
	if err := check("formation id", formationPrefix, text); err != nil {
		return "", err
	}
	return Formation(text), nil
}

// Time is when the id was minted, to the millisecond, by the clock of whoever minted it. The zero
// time for a value that is not an id.
func (s Session) Time() time.Time { return mintTime(sessionPrefix, string(s)) }

// Time is when the id was minted, to the millisecond, by the clock of whoever minted it. The zero
// time for a value that is not an id.
func (f Formation) Time() time.Time { return mintTime(formationPrefix, string(f)) }

// ValidMember reports whether name can name a member of a formation: a lower-case letter, then up to
// 31 lower-case letters, digits or hyphens.
func ValidMember(name string) bool {
	if name == "" || len(name) > 32 || name[0] < 'a' || name[0] > 'z' {
		return false
	}
	return strings.IndexFunc(name, notNameRune) < 0
}

// ValidCapsule reports whether name can name a capsule: 1 to 100 lower-case letters, digits or
// hyphens, neither first nor last a hyphen.
func ValidCapsule(name string) bool {
	if name == "" || len(name) > 100 || name[0] == '-' || name[len(name)-1] == '-' {
		return false
	}
	return strings.IndexFunc(name, notNameRune) < 0
}

func notNameRune(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-')
}

func mint() string {
	// The generator fails only when the system has no randomness to give, and then nothing works.
	unique := uuid.Must(uuid.NewV7())
	return hex.EncodeToString(unique[:])
}

func check(what, prefix, text string) error {
	rest, ok := strings.CutPrefix(text, prefix)
	switch {
	case !ok:
		return fmt.Errorf("the %s does not start with '%s'", what, prefix)
	case len(rest) != digits:
		return fmt.Errorf("the %s does not have exactly 32 hex digits after '%s'", what, prefix)
	case strings.IndexFunc(rest, notHex) >= 0:
		return errors.New("the " + what + " has a character that is not lowercase hex")
	}
	return nil
}

func notHex(r rune) bool { return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'f') }

func mintTime(prefix, text string) time.Time {
	if check("", prefix, text) != nil {
		return time.Time{}
	}
	ms, err := strconv.ParseInt(text[len(prefix):len(prefix)+12], 16, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
