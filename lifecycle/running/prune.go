package running

import (
	"errors"
	"fmt"
	"os"

	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/platform/fsx"
	"murlua/platform/process"
)

// ErrNotGone is wrapped by [Prune] for a record whose process is not proven to have ended.
var ErrNotGone = errors.New("its process is not known to have ended")

// Prune removes the record of a process that has ended, and the session's control token. It takes the
// evidence itself, right before: without it the error wraps [ErrNotGone] and nothing is removed.
//
// A record that is not there any more is no error: its file was removed, or says something else by now
// and is left. One that belongs to a release of before 0.7 is never removed.
func Prune(h home.Home, record Record) error {
	refused := func(why error) error {
		return fmt.Errorf("cannot prune the record of session %s: %w", shown(string(record.SessionID)), why)
	}
	if _, err := id.ParseSession(string(record.SessionID)); err != nil {
		return refused(err)
	}
	if state := ProcessState(record); state.Kind != process.Gone {
		if state.Reason == "" {
			return refused(ErrNotGone)
		}
		return refused(fmt.Errorf("%w: %s", ErrNotGone, state.Reason))
	}
	own := Location(h, record.SessionID)
	path := record.Path
	if path == "" {
		path = own
	}
	stays, err := removeRecord(path, record)
	if err != nil {
		return refused(err)
	}
	if stays || path != own {
		return nil
	}
	if err := os.Remove(ControlLocation(h, record.SessionID)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return refused(fmt.Errorf("%s: %w", ControlLocation(h, record.SessionID), fsx.Reason(err)))
	}
	return nil
}

// removeRecord removes the file if it still holds the record, and reports whether another one stays in
// its place.
func removeRecord(path string, record Record) (stays bool, err error) {
	text, version, err := fsx.ReadRegular(path, maxRecord)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return true, err
	}
	stored, older, err := decode(text)
	switch {
	case older:
		return true, fmt.Errorf("%s: it belongs to an older release of murmur", path)
	case err != nil:
		return true, nil
	case stored.SessionID != record.SessionID || stored.Identity() != record.Identity():
		return true, nil
	}
	removed, err := fsx.RemoveVersion(path, version)
	return !removed, err
}
