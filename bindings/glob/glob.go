// Package glob finds the paths that match a pattern, as mur.fs.glob offers it.
//
// "*" and "?" stay within one name, "[a-z]" is a set, "{a,b}" a choice, and "**" as a whole name stands for any
// number of folders. A name that begins with a dot is matched only by a pattern that begins with a dot. Links are
// matched but "**" does not follow them, so a walk ends.
package glob

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// ErrBadPattern is wrapped by the errors about a pattern.
var ErrBadPattern = errors.New("bad pattern")

// maxChoices bounds what the choices of one pattern may multiply to.
const maxChoices = 1000

// Find returns the matching paths, sorted, each once. Folders that cannot be read, or that vanish meanwhile,
// match nothing. stop is asked between folders and ends the search when it returns an error.
func Find(pattern string, stop func() error) ([]string, error) {
	patterns, err := Choices(pattern)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, one := range patterns {
		start, names := ".", strings.Split(one, "/")
		if strings.HasPrefix(one, "/") {
			start, names = "/", names[1:]
		}
		names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
		for _, name := range names {
			if _, err := path.Match(name, ""); err != nil {
				return nil, fmt.Errorf("%w %q: a bracket is not closed", ErrBadPattern, pattern)
			}
		}
		s := search{stop: stop}
		if err := s.in(start, names); err != nil {
			return nil, err
		}
		found = append(found, s.found...)
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

type search struct {
	found []string
	stop  func() error
}

// in looks for the rest of a pattern below a folder.
func (s *search) in(folder string, names []string) error {
	if len(names) == 0 {
		s.found = append(s.found, folder)
		return nil
	}
	if err := s.stop(); err != nil {
		return err
	}
	name, rest := names[0], names[1:]
	if !strings.ContainsAny(name, `*?[\`) { // plain names also reach "..", and what may not be listed
		next := join(folder, name)
		if _, err := os.Lstat(next); err != nil {
			return nil
		}
		return s.in(next, rest)
	}
	if name == "**" {
		if len(rest) == 0 {
			rest = []string{"*"}
		}
		if err := s.in(folder, rest); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		if err := s.entry(folder, entry, name, names); err != nil {
			return err
		}
	}
	return nil
}

func (s *search) entry(folder string, entry fs.DirEntry, name string, names []string) error {
	if strings.HasPrefix(entry.Name(), ".") && !strings.HasPrefix(name, ".") {
		return nil
	}
	next := join(folder, entry.Name())
	if name == "**" {
		if entry.IsDir() {
			return s.in(next, names)
		}
		return nil
	}
	if ok, _ := path.Match(name, entry.Name()); !ok {
		return nil
	}
	if len(names) > 1 && !isFolder(next, entry) {
		return nil
	}
	return s.in(next, names[1:])
}

func isFolder(name string, entry fs.DirEntry) bool {
	if entry.Type()&fs.ModeSymlink == 0 {
		return entry.IsDir()
	}
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func join(folder, name string) string {
	if folder == "." {
		return name
	}
	return filepath.Join(folder, name)
}

// Choices writes a pattern with braces out into patterns without.
func Choices(pattern string) ([]string, error) {
	open := strings.IndexByte(pattern, '{')
	if open < 0 {
		if strings.IndexByte(pattern, '}') >= 0 {
			return nil, fmt.Errorf("%w %q: a brace is closed that was not opened", ErrBadPattern, pattern)
		}
		return []string{pattern}, nil
	}
	depth, start := 0, open+1
	var parts []string
	for i := open; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '{':
			depth++
		case c == ',' && depth == 1:
			parts = append(parts, pattern[start:i])
			start = i + 1
		case c == '}':
			if depth--; depth > 0 {
				continue
			}
			parts = append(parts, pattern[start:i])
			return multiply(pattern, pattern[:open], parts, pattern[i+1:])
		}
	}
	return nil, fmt.Errorf("%w %q: a brace is not closed", ErrBadPattern, pattern)
}

func multiply(pattern, before string, parts []string, after string) ([]string, error) {
	var all []string
	for _, part := range parts {
		rest, err := Choices(part + after)
		if err != nil {
			return nil, err
		}
		for _, one := range rest {
			all = append(all, before+one)
		}
		if len(all) > maxChoices {
			return nil, fmt.Errorf("%w %q: it has more than %d choices", ErrBadPattern, pattern, maxChoices)
		}
	}
	return all, nil
}
