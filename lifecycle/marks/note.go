package marks

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"murlua/platform/contain"
	"murlua/platform/fsx"
	"murlua/platform/process"
)

// A Note says whose a keeper's marks are.
type Note struct {
	Keeper  contain.Mark     // the base of its marks
	Host    process.Identity // the process that the keeper serves
	Process process.Identity // the keeper itself
}

// nameEnd follows the mark in the name of a note's file.
const nameEnd = ".json"

// maxNote is how long a file may be to be read, in bytes: several times the longest of an honest writer.
const maxNote = 16 << 10

// file is how a note is written.
type file struct {
	Mark   string `json:"mark"`
	Host   holder `json:"host"`
	Keeper holder `json:"keeper"`
}

type holder struct {
	process.Identity
	Origin process.Origin `json:"origin"`
}

func holderOf(id process.Identity) holder { return holder{Identity: id, Origin: id.Origin} }

func (h holder) identity() process.Identity {
	id := h.Identity
	id.Origin = h.Origin
	return id
}

func fileName(keeper contain.Mark) string { return fmt.Sprintf("%016x%s", uint64(keeper), nameEnd) }

// markOf reads the name of a note's file; false when it is none.
func markOf(name string) (contain.Mark, bool) {
	if len(name) != 16+len(nameEnd) || name[16:] != nameEnd {
		return 0, false
	}
	n, err := strconv.ParseUint(name[:16], 16, 64)
	mark := contain.Mark(n)
	return mark, err == nil && mark != 0 && mark == mark.Base() && mark>>63 == 0 && fileName(mark) == name
}

// isStaged reports whether the name is that of a note while it is written, see [fsx.StagingName].
func isStaged(name string) bool {
	const length = 1 + 16 + len(nameEnd) + 1
	if len(name) < length || name[0] != '.' || !strings.HasSuffix(name, ".tmp") || name[length-1] != '.' {
		return false
	}
	_, ok := markOf(name[1 : length-1])
	return ok
}

// encode is the note as its file holds it.
func (n Note) encode() ([]byte, error) {
	return json.Marshal(file{Mark: fmt.Sprintf("%016x", uint64(n.Keeper)), Host: holderOf(n.Host), Keeper: holderOf(n.Process)})
}

var errNoNote = errors.New("it is no note")

// decode reads what the file of this name holds.
func decode(name string, text []byte) (Note, error) {
	keeper, ok := markOf(name)
	var f file
	if !ok || json.Unmarshal(text, &f) != nil || f.Mark+nameEnd != name || f.Host.Start == "" || f.Keeper.Start == "" {
		return Note{}, errNoNote
	}
	if f.Host.PID < 1 || f.Keeper.PID < 1 {
		return Note{}, errNoNote
	}
	return Note{Keeper: keeper, Host: f.Host.identity(), Process: f.Keeper.identity()}, nil
}

// Write notes that the keeper with these marks, the process pid, serves this process. It makes the folder, mode 0700, when
// it is missing, and returns the file, which the caller removes when the keeper has ended and nothing is left. The
// file is there whole or not at all, and it means nothing after a power cut.
func Write(folder string, keeper contain.Mark, pid int) (path string, err error) {
	host, err := process.Current()
	if err != nil {
		return "", err
	}
	note := Note{Keeper: keeper, Host: host}
	if note.Process, err = process.Identify(pid); err != nil {
		return "", err
	}
	text, err := note.encode()
	if err != nil {
		return "", err
	}
	if err := fsx.EnsurePrivateDir(folder); err != nil {
		return "", err
	}
	if err := trusted(folder); err != nil {
		return "", err
	}
	path = filepath.Join(folder, fileName(keeper))
	return path, fsx.WriteFileVolatile(path, text, fsx.PrivateFileMode)
}

// trusted fails when somebody else could put files into the folder.
func trusted(folder string) error {
	info, err := os.Lstat(folder)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", folder, fsx.Reason(err))
	case !info.IsDir():
		return fsx.NotDirectory(folder)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("%s: others may write to it (mode %v)", folder, info.Mode().Perm())
	case !ownedByUs(info):
		return fmt.Errorf("%s: it belongs to another user", folder)
	}
	return nil
}
