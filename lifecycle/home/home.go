package home

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"murlua/platform/fsx"
)

// Name is the directory's name in the user's home.
const Name = ".murmur"

// Home is the directory that everything below it is found from. The zero value is not usable; take
// one from [Resolve].
type Home struct{ path string }

// Resolve finds the directory from the value of HOME, and from nothing else: there is no variable
// that moves it. Nothing is created or examined. It refuses a value that is empty or relative.
func Resolve(homeEnv string) (Home, error) {
	switch {
	case homeEnv == "":
		return Home{}, errors.New("HOME is not set, so there is no place for ~/" + Name)
	case !filepath.IsAbs(homeEnv):
		return Home{}, fmt.Errorf("HOME is %q, which is not an absolute path", homeEnv)
	}
	return Home{filepath.Join(homeEnv, Name)}, nil
}

// Path is the directory itself.
func (h Home) Path() string { return h.path }

// Running is where running records are.
func (h Home) Running() string { return filepath.Join(h.path, "running") }

// Formations is where the directories of formations are.
func (h Home) Formations() string { return filepath.Join(h.path, "formations") }

// Names is where the files are that say which formation has which name.
func (h Home) Names() string { return filepath.Join(h.path, "names") }

// Marks is where the notes are that say whose the marks of processes are.
func (h Home) Marks() string { return filepath.Join(h.path, "marks") }

// RecordsDir is where what one session leaves behind is kept: below "records", the session's root
// directory spelled without its leading slash, and the session's id. workdir is absolute; session is
// a valid session id, since it becomes part of a path.
func (h Home) RecordsDir(workdir, session string) string {
	root := strings.TrimPrefix(filepath.ToSlash(filepath.Clean(workdir)), "/")
	return filepath.Join(h.path, "records", filepath.FromSlash(root), session)
}

// Ensure makes the directory, private to its owner. One that exists loses the permissions of group
// and others and keeps its owner's as they are, so a directory that was closed on purpose stays
// closed. Something else at the path is an error.
func (h Home) Ensure() error {
	info, err := os.Stat(h.path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fsx.EnsurePrivateDir(h.path)
	case err != nil:
		return fmt.Errorf("%s: %w", h.path, fsx.Reason(err))
	case !info.IsDir():
		return fsx.NotDirectory(h.path)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		if err := os.Chmod(h.path, mode&0o700); err != nil {
			return fmt.Errorf("%s: %w", h.path, fsx.Reason(err))
		}
	}
	return nil
}

// EnsureRunning makes [Home.Running], at mode 0700 in a home held private, and returns it.
func (h Home) EnsureRunning() (string, error) { return h.ensureBelow(h.Running()) }

// EnsureFormations makes [Home.Formations], at mode 0700 in a home held private, and returns it.
func (h Home) EnsureFormations() (string, error) { return h.ensureBelow(h.Formations()) }

// EnsureNames makes [Home.Names], at mode 0700 in a home held private, and returns it.
func (h Home) EnsureNames() (string, error) { return h.ensureBelow(h.Names()) }

// EnsureRecordsDir makes [Home.RecordsDir] and every directory between it and the home, each at mode
// 0700, and returns it.
func (h Home) EnsureRecordsDir(workdir, session string) (string, error) {
	dir := h.RecordsDir(workdir, session)
	below, err := filepath.Rel(h.path, dir)
	if err != nil {
		return "", fmt.Errorf("%s: %w", dir, err)
	}
	if err := h.Ensure(); err != nil {
		return "", err
	}
	at := h.path
	for _, part := range strings.Split(below, string(filepath.Separator)) {
		at = filepath.Join(at, part)
		if err := fsx.EnsurePrivateDir(at); err != nil {
			return "", err
		}
	}
	return dir, nil
}

func (h Home) ensureBelow(dir string) (string, error) {
	if err := h.Ensure(); err != nil {
		return "", err
	}
	return dir, fsx.EnsurePrivateDir(dir)
}
