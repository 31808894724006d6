package member

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
)

// Flags are what the command line of a capsule says, in murmur's words.
type Flags struct {
	Capsule string // --capsule: the name
	Version string // --capsule-version
	SHA256  string // --capsule-sha256: what the script's digest has to be; empty checks nothing
	Script  string // --script: the Lua file

	Workdir   string // --workdir: where the capsule works; empty means the current directory
	StoreRoot string // --store-root: where it finds what it resolves by name; empty means Workdir
	Bind      string // --bind: the address of the door; empty means 127.0.0.1

	JSON            bool // --json: print the readiness line
	ReadinessTokens bool // --readiness-tokens: with the door's tokens in it
	Verbose         bool
	NoEnvFile       bool
	Containment     string

	Single bool    // --lifecycle-task-acceptance single: take one task, refuse others
	Exit   bool    // --lifecycle-after-task exit: end after it
	Task   *string // --task: the task to begin with; nil for none
}

// ReadScript returns the text of the script after checking it against SHA256. A text that is another one than the
// formation was admitted with is a [*Refusal].
func (f Flags) ReadScript() ([]byte, error) {
	text, err := os.ReadFile(f.Script)
	if err != nil {
		return nil, fmt.Errorf("cannot read the capsule's script: %w", err)
	}
	sum := sha256.Sum256(text)
	if got := hex.EncodeToString(sum[:]); f.SHA256 != "" && got != f.SHA256 {
		return nil, &Refusal{
			Code:    "E-RUN-047",
			Message: fmt.Sprintf("the script %s has sha256 %s, not %s: it changed after it was admitted", f.Script, got, f.SHA256),
		}
	}
	return text, nil
}

// Refusal is a start that was refused before there was a session. The process prints it and exits 1.
type Refusal struct {
	Code    string // murmur's, such as E-RUN-046
	Message string
	Hint    string
}

func (r *Refusal) Error() string { return r.Message }
