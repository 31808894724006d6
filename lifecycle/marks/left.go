package marks

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"murlua/platform/contain"
	"murlua/platform/fsx"
	"murlua/platform/process"
)

// Left is what the file of a note says, and what is left of the processes of its keeper.
type Left struct {
	Path string
	Note Note
	// State is Gone only when host and keeper are both proved to have ended, or when the file is no note at all.
	State process.State
	// Processes are those that would be ended; none unless the state is Gone.
	Processes []contain.Process

	version fsx.Version
	// possible: host and keeper have ended in this boot, so that processes of theirs may live.
	possible bool
}

// Find lists the notes in the folder, with their processes, and changes nothing. A folder that is missing is empty.
func Find(folder string) ([]Left, error) {
	found, err := read(folder)
	if err != nil {
		return nil, err
	}
	if keepers := keepersOf(found); len(keepers) > 0 {
		strays, err := contain.Strays(keepers)
		if err != nil {
			return nil, err
		}
		for i := range found {
			if found[i].possible {
				found[i].Processes = strays[found[i].Note.Keeper]
			}
		}
	}
	return found, nil
}

// EndAll ends what was left by hosts and keepers that have both ended, and removes the notes of which nothing is left.
// It is bounded by within for the processes (0: five seconds). What could not be ended keeps its note, so that whoever
// comes next tries again.
func EndAll(folder string, within time.Duration) (contain.Swept, error) {
	found, err := read(folder)
	if err != nil {
		return contain.Swept{}, err
	}
	return end(found, within)
}

// End is [EndAll] for one note, which is read and judged again first. The error says what is left, or why nothing was
// done.
func (l Left) End(within time.Duration) (contain.Swept, error) {
	if err := trusted(filepath.Dir(l.Path)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return contain.Swept{}, err
	}
	now, ok := readOne(filepath.Dir(l.Path), filepath.Base(l.Path), thisBoot())
	switch {
	case !ok:
		return contain.Swept{}, nil // it was removed meanwhile
	case now.State.Kind != process.Gone:
		return contain.Swept{}, fmt.Errorf("cannot end what %s names: %s", l.Path, now.State.Reason)
	case now.possible && contain.AmongStrays(now.Note.Keeper):
		return contain.Swept{}, fmt.Errorf("cannot end what %s names: this process is part of it", l.Path)
	}
	swept, err := end([]Left{now}, within)
	if err == nil && len(swept.Survivors) > 0 {
		err = fmt.Errorf("cannot end %v", swept.Survivors)
	}
	return swept, err
}

func end(found []Left, within time.Duration) (swept contain.Swept, err error) {
	var over, ending []Left
	for _, l := range found {
		switch {
		case l.State.Kind != process.Gone:
		case !l.possible:
			over = append(over, l)
		case !contain.AmongStrays(l.Note.Keeper):
			ending = append(ending, l)
		}
	}
	if len(ending) > 0 {
		keepers := keepersOf(ending)
		if swept, err = contain.EndStrays(keepers, within); err != nil {
			return swept, err
		}
		still, err := contain.Strays(keepers)
		if err != nil {
			return swept, err
		}
		for _, l := range ending {
			if len(still[l.Note.Keeper]) == 0 {
				over = append(over, l)
			}
		}
	}
	for _, l := range over {
		_, removed := fsx.RemoveVersion(l.Path, l.version)
		err = errors.Join(err, removed)
	}
	return swept, err
}

func keepersOf(found []Left) []contain.Mark {
	var keepers []contain.Mark
	for _, l := range found {
		if l.possible {
			keepers = append(keepers, l.Note.Keeper)
		}
	}
	return keepers
}

// read reads the notes in the folder, and judges each.
func read(folder string) ([]Left, error) {
	err := trusted(folder) // first: opening something else could wait for ever
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	dir, err := os.Open(folder)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", folder, fsx.Reason(err))
	}
	defer func() { _ = dir.Close() }()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", folder, fsx.Reason(err))
	}
	if len(names) == 0 {
		return nil, nil
	}
	var found []Left
	boot := thisBoot()
	for _, name := range names {
		if l, ok := readOne(folder, name, boot); ok {
			found = append(found, l)
		}
	}
	return found, nil
}

// writtenWithin is how long a file may be called as while it is written, which takes less than a millisecond.
const writtenWithin = time.Hour

// readOne reads and judges one file; false when it has not the name of a note, or is no plain file of ours: the folder
// may have been open to others before.
func readOne(folder, name, boot string) (Left, bool) {
	_, isNote := markOf(name)
	if !isNote && !isStaged(name) {
		return Left{}, false
	}
	l := Left{Path: filepath.Join(folder, name)}
	text, version, err := fsx.ReadRegular(l.Path, maxNote)
	l.version = version
	if err == nil {
		l.Note, err = decode(name, text)
	} else if !errors.Is(err, fsx.ErrTooLarge) {
		return Left{}, false
	}
	info, lost := os.Lstat(l.Path)
	if lost != nil || !ownedByUs(info) || info.Mode().Perm()&0o022 != 0 {
		return Left{}, false
	}
	l.State = process.State{Kind: process.Gone, Reason: errNoNote.Error()}
	if !isNote {
		return l, time.Since(info.ModTime()) > writtenWithin
	}
	if err != nil {
		return l, true
	}
	l.State, l.possible = judge(l.Note, boot)
	return l, true
}

// judge says whether host and keeper have ended, and whether what they left may live.
func judge(note Note, boot string) (state process.State, possible bool) {
	switch state = process.Inspect(note.Host); state.Kind {
	case process.Alive:
		return process.State{Kind: process.Alive, Reason: fmt.Sprintf("its host, process %d, runs", note.Host.PID)}, false
	case process.Unverified:
		return state, false
	}
	if there := note.Host.Origin.Boot; there != "" && there != boot {
		return state, false // an earlier boot: the only way in which a host of another one is proved to have ended
	}
	switch state = process.Inspect(note.Process); state.Kind {
	case process.Alive:
		return process.State{Kind: process.Alive, Reason: fmt.Sprintf("its keeper, process %d, is ending it", note.Process.PID)}, false
	case process.Unverified:
		return state, false
	}
	return process.State{Kind: process.Gone, Reason: "its host and its keeper have ended"}, true
}

// thisBoot is the kernel's id of this boot, empty when it cannot be told: notes that have one are unverified then.
func thisBoot() string {
	own, err := process.Current()
	if err != nil {
		return ""
	}
	return own.Origin.Boot
}
