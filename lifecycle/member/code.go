package member

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"murlua/lifecycle/artifact"
	"murlua/lifecycle/home"
)

// Code is the Lua of a capsule.
type Code struct {
	// Path is where messages say it is: the script's file, or its name in an artifact.
	Path string
	Text []byte
	// Files are those that came with the script in its artifact. Nil: they lie beside Path.
	Files fs.FS
	// Installed says that the code is an artifact's, which has the name and version that it was asked for by.
	Installed bool
}

// NoCodeError is a capsule of which no Lua was found.
type NoCodeError struct {
	Capsule, Version string
	// Artifact is the file of the artifact that has no Lua, which is murmur's to run; empty when none is installed.
	Artifact string
	tried    []string
}

func (e *NoCodeError) Error() string {
	if e.Artifact != "" {
		return fmt.Sprintf("cannot run %s@%s: there is no Lua in %s", e.Capsule, e.Version, e.Artifact)
	}
	return fmt.Sprintf("cannot find capsule %s@%s: looked for %s", e.Capsule, e.Version, joinOr(e.tried))
}

func joinOr(items []string) string {
	text := ""
	for i, item := range items {
		switch {
		case i > 0 && i == len(items)-1:
			text += " and "
		case i > 0:
			text += ", "
		}
		text += item
	}
	return text
}

// ReadCode reads the capsule's Lua and checks it against SHA256. Without a script it is looked for by the capsule's name
// in the project: in an installed artifact, the project's own or the user's, then in the file <name>.lua. Errors: a
// [*Refusal] for a text that is another one than the formation was admitted with, a [*NoCodeError] when there is none.
func (f Flags) ReadCode(h home.Home) (Code, error) {
	if f.Script != "" {
		return f.readScript(f.Script)
	}
	project, err := f.project()
	if err != nil {
		return Code{}, err
	}
	stores := artifact.Stores(project, h)
	found, err := artifact.Find(stores, f.Capsule, f.Version)
	if err == nil {
		return f.readArtifact(found)
	}
	if _, missing := errors.AsType[*artifact.NotInstalledError](err); !missing {
		return Code{}, err
	}
	script := filepath.Join(project, artifact.Base(f.Capsule)+".lua")
	code, err := f.readScript(script)
	if errors.Is(err, fs.ErrNotExist) {
		return Code{}, &NoCodeError{Capsule: f.Capsule, Version: f.Version, tried: append([]string{script, "an artifact in " + stores[0]}, stores[1:]...)}
	}
	return code, err
}

func (f Flags) project() (string, error) {
	root := f.StoreRoot
	if root == "" {
		root = f.Workdir
	}
	project, err := filepath.Abs(root)
	if err != nil {
		return "", fmt.Errorf("cannot find the project: %w", err)
	}
	return project, nil
}

func (f Flags) readScript(path string) (Code, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Code{}, fmt.Errorf("cannot read the capsule's script: %w", err)
	}
	sum := sha256.Sum256(text)
	if err := f.admitted("the script "+path, hex.EncodeToString(sum[:])); err != nil {
		return Code{}, err
	}
	return Code{Path: path, Text: text}, nil
}

func (f Flags) readArtifact(found *artifact.Artifact) (Code, error) {
	if err := f.admitted(found.Path, found.SHA256); err != nil {
		return Code{}, err
	}
	main, err := found.Main()
	if err != nil {
		return Code{}, fmt.Errorf("cannot read the capsule in %s: %w", found.Path, err)
	}
	if main == "" {
		return Code{}, &NoCodeError{Capsule: f.Capsule, Version: f.Version, Artifact: found.Path}
	}
	text, err := fs.ReadFile(found, main)
	if err != nil {
		return Code{}, fmt.Errorf("cannot read the capsule's script in %s: %w", found.Path, err)
	}
	return Code{Path: main, Text: text, Files: found, Installed: true}, nil
}

func (f Flags) admitted(what, sum string) error {
	if f.SHA256 == "" || f.SHA256 == sum {
		return nil
	}
	return &Refusal{
		Code:    "E-RUN-047",
		Message: fmt.Sprintf("%s has sha256 %s, not %s: it changed after it was admitted", what, sum, f.SHA256),
	}
}
