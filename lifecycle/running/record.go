package running

import (
	"path/filepath"

	"murlua/lifecycle/credential"
	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/platform/process"
)

// Operator is the name under which the token with every scope is known; no other credential may have
// it.
const Operator = "operator"

// Record names the process of one running session, and its door when it has one.
type Record struct {
	SessionID id.Session
	// URL is where the door is, "host:port". It is empty for a session without a door.
	URL string
	// PID and ProcessStart are the process, see [process.Identity]. A ProcessStart of "" is what a
	// writer stores that could not read its own; it matches no process.
	PID            int
	ProcessStart   string
	CapsuleName    string
	CapsuleVersion string
	// Workdir is the directory of the session.
	Workdir string
	// RecordsDir is where the session leaves its trace and logs, see [home.Home.RecordsDir]. It is
	// empty in records of murmur before 0.7.
	RecordsDir string
	// OutlivesLauncher: the process had no controlling terminal that could take it along.
	OutlivesLauncher bool
	// StartedAt is the time of the start in RFC 3339, UTC, as it was written.
	StartedAt string

	// DoorToken is the operator's token of an authenticated door; Credentials are the others by name.
	DoorToken   credential.Secret
	Credentials map[string]credential.Secret

	// FormationID is empty outside a formation, as is what follows.
	FormationID     id.Formation
	FormationMember string
	FormationEntry  bool
	// FormationLifeline: the process ends by itself when its formation's lifeline closes.
	FormationLifeline bool
	// FormationLauncher is the process that holds the other end of that lifeline.
	FormationLauncher *process.Identity
	// SpawnedBy is the session that delegated to this one.
	SpawnedBy string
	// Unconfined: the capsule runs without confinement.
	Unconfined bool

	// Containment is the class that the process is in, as its launcher knows it: see contain.Class. Murmur writes
	// none, and capsules do not know theirs.
	Containment string
	// Origin is where PID and ProcessStart are valid. Murmur writes none.
	Origin process.Origin

	// Path is the file that the record was read from. It is empty for one that was not read.
	Path string
}

// Identity is the process that the record names.
func (r Record) Identity() process.Identity {
	return process.Identity{PID: r.PID, Start: r.ProcessStart, Origin: r.Origin}
}

// SetProcess makes the record name the process.
func (r *Record) SetProcess(identity process.Identity) {
	r.PID, r.ProcessStart, r.Origin = identity.PID, identity.Start, identity.Origin
}

// Launcher is the process that launched the record's formation, in the place where the record counts.
// It is false when the record names none.
func (r Record) Launcher() (process.Identity, bool) {
	if r.FormationLauncher == nil {
		return process.Identity{}, false
	}
	launcher := *r.FormationLauncher
	if launcher.Origin.IsZero() {
		launcher.Origin = r.Origin.WithoutProcess()
	}
	return launcher, true
}

// Location is where the record of a session is kept. Nothing is created.
func Location(h home.Home, session id.Session) string {
	return filepath.Join(h.Running(), string(session)+recordSuffix)
}

// ControlLocation is where the control token of a session is kept. Nothing is created.
func ControlLocation(h home.Home, session id.Session) string {
	return filepath.Join(h.Running(), string(session)+controlSuffix)
}

const (
	recordSuffix  = ".json"
	controlSuffix = ".control"
)
