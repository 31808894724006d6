package running

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"murlua/lifecycle/home"
	"murlua/platform/process"
)

func base(paths []string) []string {
	var names []string
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	return names
}

func unreadableNames(listing Listing) []string {
	var paths []string
	for _, file := range listing.Unreadable {
		paths = append(paths, file.Path)
	}
	return base(paths)
}

func TestScanOfAMissingDirectoryIsEmptyAndCreatesNothing(t *testing.T) {
	h := newHome(t)
	listing, err := Scan(h.Running())
	if diff := cmp.Diff(Listing{}, listing); diff != "" || err != nil {
		t.Errorf("%s %v", diff, err)
	}
	if exists(h.Path()) {
		t.Error("the home was created")
	}
}

func TestADirectoryThatCannotBeListedIsAnError(t *testing.T) {
	h := newHome(t)
	if err := h.Ensure(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.Running(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	want := h.Running() + ": not a directory"
	if _, err := Scan(h.Running()); err == nil || err.Error() != want {
		t.Errorf("Scan gives %v", err)
	}
	if _, err := List(h); err == nil || err.Error() != want {
		t.Errorf("List gives %v", err)
	}
	if _, err := Write(h, smallest()); err == nil {
		t.Error("a record was written")
	}
}

func TestListHoldsTheDirectoriesPrivate(t *testing.T) {
	h := newHome(t)
	if err := os.MkdirAll(h.Running(), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{h.Path(), h.Running()} {
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Scan(h.Running()); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(h.Running()); info.Mode().Perm() != 0o755 {
		t.Error("Scan changed a mode")
	}
	if _, err := List(h); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{h.Path(), h.Running()} {
		if info, _ := os.Stat(path); info.Mode().Perm() != 0o700 {
			t.Errorf("%s has mode %o", path, info.Mode().Perm())
		}
	}
}

// fill puts one file of every kind into the directory.
func fill(t *testing.T, h home.Home) {
	t.Helper()
	put(t, h, "a.json", strings.Replace(smallestText, "ses_0", "ses_1", 1))
	put(t, h, "b.json", strings.Replace(smallestText, "ses_0", "ses_2", 1))
	put(t, h, sessionText+".json", smallestText)
	put(t, h, ".hidden.json", strings.Replace(smallestText, "ses_0", "ses_3", 1))
	put(t, h, "nine.json", nineKeys)
	put(t, h, "older.json", `{"session_id": "anything", "pid": "?"}`)
	put(t, h, "older twice.json", `{"session_id": 1, "session_id": "x"}`)
	put(t, h, "no record.json", `{"session_id": 7}`)
	put(t, h, "newer.json", `{"session_id": "x", "records_dir": null}`)
	put(t, h, "empty.json", "")
	put(t, h, "bad id.json", strings.Replace(smallestText, sessionText, "../../x", 1))
	put(t, h, "long.json", strings.Replace(smallestText, "demo", strings.Repeat("x", maxRecord), 1))
	put(t, h, "deep.json", strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000))
	put(t, h, ".json", "not looked at")
	put(t, h, "x.JSON", "not looked at")
	put(t, h, sessionText+".control", "ctl1.x")
	put(t, h, sessionText+".json.writing-7", "half")
	put(t, h, "."+sessionText+".json.7.0199c4e2f1b7712a9d3e4f5061728394.tmp", "half")
	if err := os.Mkdir(filepath.Join(h.Running(), "folder.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(put(t, h, "target", smallestText), filepath.Join(h.Running(), "link.json")); err != nil {
		t.Fatal(err)
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

var (
	wantRecords = []string{".hidden.json", "b.json", "a.json", sessionText + ".json"}
	wantOlder   = []string{"nine.json", "older twice.json", "older.json"}
	wantLeft    = []string{"bad id.json", "deep.json", "folder.json", "link.json", "long.json"}
	wantRemoved = []string{"empty.json", "newer.json", "no record.json"}
)

func recordNamesOf(listing Listing) []string {
	var paths []string
	for _, record := range listing.Records {
		paths = append(paths, record.Path)
	}
	return base(paths)
}

func TestScanReadsEverythingAndChangesNothing(t *testing.T) {
	h := newHome(t)
	fill(t, h)
	before := names(t, h.Running())
	listing, err := Scan(h.Running())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, names(t, h.Running())); diff != "" {
		t.Errorf("files changed: %s", diff)
	}
	for what, diff := range map[string]string{
		"records":    cmp.Diff(wantRecords, recordNamesOf(listing)),
		"older":      cmp.Diff(wantOlder, base(listing.Older)),
		"unreadable": cmp.Diff([]string{"bad id.json", "deep.json", "empty.json", "folder.json", "link.json", "long.json", "newer.json", "no record.json"}, unreadableNames(listing)),
		"removed":    cmp.Diff([]string(nil), base(listing.Removed)),
	} {
		if diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
}

func TestListRemovesOnlyWhatNobodyCanRead(t *testing.T) {
	h := newHome(t)
	fill(t, h)
	before := names(t, h.Running())
	listing, err := ListReporting(h)
	if err != nil {
		t.Fatal(err)
	}
	for what, diff := range map[string]string{
		"records":    cmp.Diff(wantRecords, recordNamesOf(listing)),
		"older":      cmp.Diff(wantOlder, base(listing.Older)),
		"unreadable": cmp.Diff(wantLeft, unreadableNames(listing)),
		"removed":    cmp.Diff(wantRemoved, base(listing.Removed)),
	} {
		if diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	removed := map[string]bool{}
	for _, name := range wantRemoved {
		removed[name] = true
	}
	var want []string
	for _, name := range before {
		if !removed[name] {
			want = append(want, name)
		}
	}
	if diff := cmp.Diff(want, names(t, h.Running())); diff != "" {
		t.Errorf("files left: %s", diff)
	}
	records, err := List(h)
	if err != nil || len(records) != len(wantRecords) {
		t.Errorf("List gives %d records, %v", len(records), err)
	}
}

func TestAFileOfTheLongestNameIsRemoved(t *testing.T) {
	h := newHome(t)
	path := put(t, h, strings.Repeat("x", 250)+".json", "{")
	listing, err := ListReporting(h)
	if err != nil || len(listing.Removed) != 1 || exists(path) {
		t.Errorf("%+v, %v", listing, err)
	}
}

func TestReadReadsAnyRelease(t *testing.T) {
	h := newHome(t)
	record, err := Read(put(t, h, "nine.json", nineKeys))
	if err != nil || record.PID != 7 || record.Path != filepath.Join(h.Running(), "nine.json") {
		t.Errorf("got %+v, %v", record, err)
	}
	if _, err := Read(filepath.Join(h.Running(), "missing.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file gives %v", err)
	}
	if _, err := Read(put(t, h, "no.json", "{}")); err == nil || !strings.Contains(err.Error(), "no.json") {
		t.Errorf("no record gives %v", err)
	}
}

func TestAWrittenRecordIsPrivateWholeAndRemoved(t *testing.T) {
	h := newHome(t)
	record := ours(current(t))
	guard, err := Write(h, record)
	if err != nil {
		t.Fatal(err)
	}
	control, err := WriteControl(h, record.SessionID, fullest().DoorToken)
	if err != nil {
		t.Fatal(err)
	}
	path := Location(h, record.SessionID)
	for _, path := range []string{path, ControlLocation(h, record.SessionID)} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	if text, _ := os.ReadFile(ControlLocation(h, record.SessionID)); string(text) != "mdt1.operator" {
		t.Errorf("the control file holds %q", text)
	}
	record.Path = path
	records, err := List(h)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Record{record}, records, secrets); diff != "" {
		t.Error(diff)
	}
	for range 2 {
		if err := guard.Remove(); err != nil {
			t.Error(err)
		}
		if left := names(t, h.Running()); len(left) != 0 {
			t.Errorf("left: %v", left)
		}
	}
	if err := control.Remove(); err != nil {
		t.Error(err)
	}
}

func TestAControlTokenIsOfASession(t *testing.T) {
	if _, err := WriteControl(newHome(t), "../x", fullest().DoorToken); err == nil {
		t.Error("a path was taken for a session")
	}
}

func TestTheStartTokenOfTheRecordIsThatOfTheProcess(t *testing.T) {
	var record Record
	identity := current(t)
	record.SetProcess(identity)
	if record.Identity() != identity {
		t.Errorf("set %+v, got %+v", identity, record.Identity())
	}
	if state := ProcessState(record); state != (process.State{Kind: process.Alive}) {
		t.Errorf("this process is %+v", state)
	}
}
