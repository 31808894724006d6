package running

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"murlua/lifecycle/home"
	"murlua/platform/fsx"
)

// maxRecord is how long a record may be, in bytes. The longest of an honest writer, with two paths of
// 4,096 bytes and dozens of tokens, is a fraction of it.
const maxRecord = 1 << 20

// Listing is what one pass over a directory of records found. A file is in one list at most.
type Listing struct {
	// Records are those that can be read, the newest session first.
	Records []Record
	// Older are the files of releases of murmur before 0.7: never removed, and read by [Read] only.
	Older []string
	// Unreadable are the files that are no records, and were left.
	Unreadable []Unreadable
	// Removed are the files that were no records, and were removed.
	Removed []string
}

// Unreadable is a file in the directory that cannot be used as a record.
type Unreadable struct {
	Path   string
	Reason error
	// removable: no reader of any release could read what it says.
	removable bool
	version   fsx.Version
}

// Removable reports whether the file was read and is no record, to no reader of any release: nothing
// could ever verify it. A file that could not be read, that is no regular file, that is too long, or that
// another release can read may be the record of a session that runs.
func (u Unreadable) Removable() bool { return u.removable }

// Remove removes the file if it is removable and still as it was read, and reports whether it did.
func (u Unreadable) Remove() (removed bool, err error) {
	if !u.removable {
		return false, nil
	}
	return fsx.RemoveVersion(u.Path, u.version)
}

// Scan reads every ".json" file of dir, and creates, changes and removes nothing. A directory that is
// missing is empty. The error is "<path>: <reason>", for a directory that cannot be listed.
//
// Files are read concurrently, and each within bounds: links are not followed, nothing but a regular
// file is opened for long, and one above 1 MiB is unreadable.
func Scan(dir string) (Listing, error) {
	names, err := recordNames(dir)
	if errors.Is(err, os.ErrNotExist) {
		return Listing{}, nil
	}
	if err != nil {
		return Listing{}, fmt.Errorf("%s: %w", dir, fsx.Reason(err))
	}
	readings := make([]reading, len(names))
	inParallel(len(names), runtime.GOMAXPROCS(0), func(i int) {
		readings[i] = readFile(filepath.Join(dir, names[i]))
	})
	return gather(readings), nil
}

// List is [ListReporting] for whoever wants only the records.
func List(h home.Home) ([]Record, error) {
	listing, err := ListReporting(h)
	return listing.Records, err
}

// ListReporting makes the directory of records, private, and reads it as [Scan] does. It removes the
// files that are [Unreadable.Removable], and leaves those that changed meanwhile.
func ListReporting(h home.Home) (Listing, error) {
	dir, err := h.EnsureRunning()
	if err != nil {
		return Listing{}, err
	}
	listing, err := Scan(dir)
	if err != nil {
		return Listing{}, err
	}
	listing.Unreadable = slices.DeleteFunc(listing.Unreadable, func(file Unreadable) bool {
		removed, err := file.Remove()
		if removed {
			listing.Removed = append(listing.Removed, file.Path)
		}
		// One that was replaced meanwhile is not what was read.
		return removed || file.Removable() && err == nil
	})
	return listing, nil
}

// Read reads one record, of any release.
func Read(path string) (Record, error) {
	text, _, err := fsx.ReadRegular(path, maxRecord)
	if err != nil {
		return Record{}, fmt.Errorf("cannot read the record: %w", err)
	}
	record, err := Decode(text)
	if err != nil {
		return Record{}, fmt.Errorf("%s: %w", path, err)
	}
	record.Path = path
	return record, nil
}

// recordNames are the names in dir whose last extension is exactly "json". A name that is nothing but
// an extension has none.
func recordNames(dir string) ([]string, error) {
	folder, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = folder.Close() }()
	names, err := folder.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(names, func(name string) bool { return !isRecordName(name) }), nil
}

func isRecordName(name string) bool {
	return filepath.Ext(name) == recordSuffix && name != recordSuffix
}

// reading is what one file turned out to be. At most one field is set; none is for a file that was
// gone by the time it was opened.
type reading struct {
	record     *Record
	older      string
	unreadable *Unreadable
}

func readFile(path string) reading {
	text, version, err := fsx.ReadRegular(path, maxRecord)
	if errors.Is(err, os.ErrNotExist) {
		return reading{}
	}
	if err != nil {
		return reading{unreadable: &Unreadable{Path: path, Reason: err}}
	}
	record, older, err := decode(text)
	if older {
		return reading{older: path}
	}
	if err == nil {
		record.Path = path
		return reading{record: &record}
	}
	var unusable unusable
	return reading{unreadable: &Unreadable{
		Path: path, Reason: fmt.Errorf("%s: %w", path, err), removable: !errors.As(err, &unusable), version: version,
	}}
}

func gather(readings []reading) Listing {
	var listing Listing
	for _, reading := range readings {
		switch {
		case reading.record != nil:
			listing.Records = append(listing.Records, *reading.record)
		case reading.older != "":
			listing.Older = append(listing.Older, reading.older)
		case reading.unreadable != nil:
			listing.Unreadable = append(listing.Unreadable, *reading.unreadable)
		}
	}
	slices.SortFunc(listing.Records, func(a, b Record) int {
		return cmp.Or(cmp.Compare(b.SessionID, a.SessionID), cmp.Compare(a.Path, b.Path))
	})
	slices.Sort(listing.Older)
	slices.SortFunc(listing.Unreadable, func(a, b Unreadable) int { return cmp.Compare(a.Path, b.Path) })
	return listing
}

// inParallel calls with every index below count, on at most so many goroutines, and waits for all.
func inParallel(count, workers int, call func(int)) {
	var group sync.WaitGroup
	var next atomic.Int64
	for range min(workers, count) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < count; i = int(next.Add(1)) - 1 {
				call(i)
			}
		})
	}
	group.Wait()
}
