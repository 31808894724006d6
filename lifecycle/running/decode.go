package running

import (
	"encoding/json"
	"errors"
	"fmt"

	"murlua/lifecycle/credential"
	"murlua/lifecycle/id"
	"murlua/platform/process"
)

// unusable marks an error of a text that murmur's readers accept and this one does not act on: it is
// not to be removed as one that nobody can read.
type unusable struct{ error }

func (u unusable) Unwrap() error { return u.error }

// Decode reads the text of a record of any release of murmur, or of this program. A record of before
// 0.7 has an empty RecordsDir. Keys that are not known are passed over; a known one that is missing,
// repeated or of another type is an error, which names the key and never the value.
func Decode(text []byte) (Record, error) {
	record, _, err := decode(text)
	if err != nil {
		return Record{}, fmt.Errorf("cannot read the record: %w", err)
	}
	return record, nil
}

// decode also reports whether the text looks like the record of a release before 0.7, readable or not:
// an object that names a session and no records_dir.
func decode(text []byte) (record Record, older bool, err error) {
	if err := checkJSON(text); err != nil {
		if errors.Is(err, errTooDeep) {
			err = unusable{err}
		}
		return Record{}, false, err
	}
	d := decoder{seen: map[string]bool{}}
	if err := eachMember(text, d.member); err != nil {
		return Record{}, false, err
	}
	older = d.named && !d.seen["records_dir"]
	if d.err != nil {
		return Record{}, older, d.err
	}
	for _, key := range required {
		if !d.seen[key] {
			return Record{}, older, fmt.Errorf("%s is missing", key)
		}
	}
	if _, err := id.ParseSession(string(d.record.SessionID)); err != nil {
		return Record{}, older, unusable{err}
	}
	return d.record, older, d.unusable
}

// required are the keys that every release writes.
var required = [...]string{
	"session_id", "url", "pid", "process_start", "capsule_name", "capsule_version", "workdir",
	"outlives_launcher", "started_at",
}

// decoder gathers the members of one record. It reads on after an error, to see what the record looks
// like as a whole.
type decoder struct {
	record   Record
	seen     map[string]bool
	named    bool // the last session_id is a string
	err      error
	unusable error
}

func (d *decoder) member(key string, value []byte) error {
	if key == "session_id" {
		d.named = value[0] == '"'
	}
	known, err := d.set(key, value)
	if !known {
		return nil
	}
	if d.seen[key] && err == nil {
		err = errors.New("given twice")
	}
	d.seen[key] = true
	if err != nil && d.err == nil {
		d.err = fmt.Errorf("%s: %w", key, err)
	}
	return nil
}

func (d *decoder) set(key string, value []byte) (known bool, err error) {
	r := &d.record
	switch key {
	case "session_id":
		err = setString((*string)(&r.SessionID), value)
	case "url":
		err = setOptional(&r.URL, value)
	case "pid":
		r.PID, err = asPID(value)
	case "process_start":
		err = setString(&r.ProcessStart, value)
	case "capsule_name":
		err = setString(&r.CapsuleName, value)
	case "capsule_version":
		err = setString(&r.CapsuleVersion, value)
	case "workdir":
		err = setString(&r.Workdir, value)
	case "records_dir":
		err = setString(&r.RecordsDir, value)
	case "outlives_launcher":
		r.OutlivesLauncher, err = asBool(value)
	case "started_at":
		err = setString(&r.StartedAt, value)
	default:
		return d.setLater(key, value)
	}
	return true, err
}

// setLater takes the keys that came with later releases.
func (d *decoder) setLater(key string, value []byte) (known bool, err error) {
	r := &d.record
	switch key {
	case "door_token":
		var token string
		err = setOptional(&token, value)
		r.DoorToken = credential.NewSecret(token)
	case "credentials":
		r.Credentials, err = asCredentials(value)
	case "formation_id":
		err = d.setFormation(value)
	case "formation_member":
		err = setOptional(&r.FormationMember, value)
	case "formation_entry":
		r.FormationEntry, err = asBool(value)
	case "formation_lifeline":
		r.FormationLifeline, err = asBool(value)
	case "formation_launcher":
		r.FormationLauncher, err = asIdentity(value)
	case "spawned_by":
		err = setOptional(&r.SpawnedBy, value)
	case "unconfined":
		r.Unconfined, err = asBool(value)
	case "containment":
		_ = setOptional(&d.record.Containment, value) // for people: what is not understood is left out
		return false, nil
	case "process_origin":
		d.setOrigin(value)
		return false, nil
	default:
		return false, nil
	}
	return true, err
}

// setOrigin takes the key that murmur's readers pass over. One that is not understood makes the record
// unusable: without it, it would claim to be of this place.
func (d *decoder) setOrigin(value []byte) {
	d.record.Origin = process.Origin{}
	if err := json.Unmarshal(value, &d.record.Origin); err != nil || value[0] != '{' {
		d.unusable = unusable{errors.New("process_origin is not understood")}
	}
}

func (d *decoder) setFormation(value []byte) error {
	var text string
	if err := setOptional(&text, value); err != nil || isNull(value) {
		return err
	}
	formation, err := id.ParseFormation(text)
	d.record.FormationID = formation
	return err
}

func setString(to *string, value []byte) (err error) {
	*to, err = asString(value)
	return err
}

// setOptional takes null for an absent key.
func setOptional(to *string, value []byte) error {
	if isNull(value) {
		return nil
	}
	return setString(to, value)
}

func asCredentials(value []byte) (map[string]credential.Secret, error) {
	credentials := map[string]credential.Secret{}
	err := eachMember(value, func(name string, value []byte) error {
		token, err := asString(value)
		credentials[name] = credential.NewSecret(token)
		return err
	})
	if err != nil || len(credentials) == 0 {
		return nil, err
	}
	return credentials, nil
}

func asIdentity(value []byte) (*process.Identity, error) {
	if isNull(value) {
		return nil, nil
	}
	identity, seen := &process.Identity{}, map[string]bool{}
	err := eachMember(value, func(key string, value []byte) (err error) {
		if key != "pid" && key != "process_start" {
			return nil
		}
		if seen[key] {
			return fmt.Errorf("%s: given twice", key)
		}
		seen[key] = true
		if key == "pid" {
			identity.PID, err = asPID(value)
		} else {
			err = setString(&identity.Start, value)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(seen) != 2 {
		return nil, errors.New("not both pid and process_start")
	}
	return identity, nil
}
