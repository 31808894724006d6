package member

import "time"

// Flags are what the command line of a capsule says, in murmur's words.
type Flags struct {
	Capsule string // --capsule: the name, "scope/name" for an artifact
	Version string // --capsule-version
	SHA256  string // --capsule-sha256: what the digest of the script, or of the artifact, has to be; empty checks nothing
	Script  string // --script: the Lua file; empty finds the capsule by its name, see [Flags.ReadCode]

	Workdir   string // --workdir: where the capsule works; empty means the current directory
	StoreRoot string // --store-root: the project, where the capsule is found by its name; empty means Workdir
	Bind      string // --bind: the address of the door; empty means 127.0.0.1

	JSON            bool // --json: print the readiness line
	ReadinessTokens bool // --readiness-tokens: with the door's tokens in it
	Verbose         bool
	NoEnvFile       bool
	Containment     string

	Single bool    // --lifecycle-task-acceptance single: take one task, refuse others
	Exit   bool    // --lifecycle-after-task exit: end after it
	Task   *string // --task: the task to begin with; nil for none

	Deadline time.Time // --inherited-deadline: when the session ends at the latest; zero for never
}

// Refusal is an end that has a code of murmur's: mostly a start that was refused before there was a session. The process
// prints it and exits 1.
type Refusal struct {
	Code    string // murmur's, such as E-RUN-046
	Message string
	Hint    string
}

func (r *Refusal) Error() string { return r.Message }
