package running

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"murlua/lifecycle/id"
	"murlua/platform/process"
)

// wire is the record as it is written: keys, their order, and when they are left out.
type wire struct {
	SessionID         string            `json:"session_id"`
	URL               *string           `json:"url"`
	PID               int               `json:"pid"`
	ProcessStart      string            `json:"process_start"`
	CapsuleName       string            `json:"capsule_name"`
	CapsuleVersion    string            `json:"capsule_version"`
	Workdir           string            `json:"workdir"`
	RecordsDir        string            `json:"records_dir"`
	OutlivesLauncher  bool              `json:"outlives_launcher"`
	StartedAt         string            `json:"started_at"`
	DoorToken         string            `json:"door_token,omitempty"`
	Credentials       map[string]string `json:"credentials,omitempty"`
	FormationID       string            `json:"formation_id,omitempty"`
	FormationMember   string            `json:"formation_member,omitempty"`
	FormationEntry    bool              `json:"formation_entry,omitempty"`
	FormationLifeline bool              `json:"formation_lifeline,omitempty"`
	FormationLauncher *process.Identity `json:"formation_launcher,omitempty"`
	SpawnedBy         string            `json:"spawned_by,omitempty"`
	Unconfined        bool              `json:"unconfined,omitempty"`
	// The rest is ours: readers of murmur pass over keys that they do not know.
	Containment string          `json:"containment,omitempty"`
	Origin      *process.Origin `json:"process_origin,omitempty"`
}

// Encode gives the text of a record, as it stands in its file, tokens included. It refuses what a
// reader would refuse.
func Encode(record Record) ([]byte, error) {
	if err := validate(record); err != nil {
		return nil, err
	}
	w := wire{
		SessionID:         string(record.SessionID),
		PID:               record.PID,
		ProcessStart:      record.ProcessStart,
		CapsuleName:       record.CapsuleName,
		CapsuleVersion:    record.CapsuleVersion,
		Workdir:           record.Workdir,
		RecordsDir:        record.RecordsDir,
		OutlivesLauncher:  record.OutlivesLauncher,
		StartedAt:         record.StartedAt,
		DoorToken:         record.DoorToken.Reveal(),
		FormationID:       string(record.FormationID),
		FormationMember:   record.FormationMember,
		FormationEntry:    record.FormationEntry,
		FormationLifeline: record.FormationLifeline,
		FormationLauncher: record.FormationLauncher,
		SpawnedBy:         record.SpawnedBy,
		Unconfined:        record.Unconfined,
		Containment:       record.Containment,
	}
	if record.URL != "" {
		w.URL = &record.URL
	}
	if !record.Origin.IsZero() {
		w.Origin = &record.Origin
	}
	for name, token := range record.Credentials {
		if w.Credentials == nil {
			w.Credentials = map[string]string{}
		}
		w.Credentials[name] = token.Reveal()
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(w); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

// validate names what is wrong by its key and never by its value.
func validate(record Record) error {
	if _, err := id.ParseSession(string(record.SessionID)); err != nil {
		return err
	}
	if record.PID < 1 || record.PID > math.MaxInt32 {
		return errors.New("pid is not that of a process")
	}
	if record.RecordsDir == "" {
		return errors.New("records_dir is empty, and readers would take the record for one of an older release")
	}
	if record.FormationID != "" {
		if _, err := id.ParseFormation(string(record.FormationID)); err != nil {
			return err
		}
	}
	if _, taken := record.Credentials[Operator]; taken {
		return fmt.Errorf("credentials names %q, which is door_token's name", Operator)
	}
	for key, text := range map[string]string{
		"url": record.URL, "process_start": record.ProcessStart, "capsule_name": record.CapsuleName,
		"capsule_version": record.CapsuleVersion, "workdir": record.Workdir, "records_dir": record.RecordsDir,
		"started_at": record.StartedAt, "door_token": record.DoorToken.Reveal(),
		"formation_member": record.FormationMember, "spawned_by": record.SpawnedBy,
	} {
		if !utf8.ValidString(text) {
			return fmt.Errorf("%s is not UTF-8", key)
		}
	}
	return nil
}
