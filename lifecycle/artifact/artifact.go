package artifact

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"murlua/lifecycle/home"
)

// MainFile is the name of the script of a capsule written in Lua; a single Lua file of another name will do.
const MainFile = "capsule.lua"

// The bounds of what is read: an artifact is held in memory, and so is each script in it.
const (
	maxArtifact = 256 << 20
	maxScript   = 16 << 20
)

// Stores returns the folders in which a project's artifacts are looked for, in murmur's order: the project's own, then
// the user's.
func Stores(project string, h home.Home) []string {
	return []string{filepath.Join(project, ".murmur", "artifacts"), filepath.Join(h.Path(), "artifacts")}
}

// Artifact is an installed artifact. It is read as a whole when it is found: nothing has to be closed, and what
// becomes of the file does not matter any more. It is safe for concurrent use.
type Artifact struct {
	// Path is the file it was read from; SHA256 is the lower-case hex digest of all its bytes, by which murmur
	// knows it.
	Path   string
	SHA256 string
	// Recorded is the digest that the store noted beside it, empty if it did not. Platform is the tag of the one
	// platform that it is for, such as "linux-x86_64", empty if it is for all.
	Recorded string
	Platform string

	archive *zip.Reader
}

// PlatformTag names this platform as murmur's stores do; it is empty where murmur does not run.
func PlatformTag() string {
	system := map[string]string{"linux": "linux", "darwin": "darwin"}[runtime.GOOS]
	machine := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	if system == "" || machine == "" {
		return ""
	}
	return system + "-" + machine
}

// NotInstalledError is a name and version of which no store has an artifact.
type NotInstalledError struct {
	Name, Version string
	Stores        []string
}

func (e *NotInstalledError) Error() string {
	return fmt.Sprintf("%s@%s is not installed in %s", e.Name, e.Version, strings.Join(e.Stores, " or "))
}

// Find reads the artifact from the first store that has it, the one for this platform before the one for all. The name is "scope/name"; releases of murmur before 0.7
// know no scopes. Errors: a [*NotInstalledError]; one that says what is wrong with the name, the version or the file.
func Find(stores []string, name, version string) (*Artifact, error) {
	stem, err := stemOf(name, version)
	if err != nil {
		return nil, err
	}
	for _, store := range stores {
		for _, platform := range []string{PlatformTag(), ""} {
			found, err := read(filepath.Join(store, stem), platform)
			if !errors.Is(err, fs.ErrNotExist) {
				return found, err
			}
		}
	}
	return nil, &NotInstalledError{name, version, stores}
}

// Base returns the last part of an artifact's name, which is what a capsule is called while it runs.
func Base(name string) string { return path.Base(name) }

// stemOf returns where an artifact is, below a store, without platform and suffix. Both name and version come from a
// command line, and neither may lead out of the store.
func stemOf(name, version string) (string, error) {
	parts := strings.Split(name, "/")
	valid := len(parts) <= 2
	for _, part := range parts {
		valid = valid && part != "" && strings.Trim(part, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
	}
	if !valid {
		return "", fmt.Errorf("cannot look for capsule %q: a name is scope/name, of a-z, 0-9 and hyphens", name)
	}
	if !fs.ValidPath(version) || version == "." || strings.ContainsAny(version, `/\`) {
		return "", fmt.Errorf("cannot look for capsule %s in version %q: that is not one", name, version)
	}
	return filepath.Join(filepath.FromSlash(name), version, Base(name)+"-"+version), nil
}

// read reads an artifact, and what the store noted of it.
func read(stem, platform string) (*Artifact, error) {
	if platform != "" {
		stem += "-" + platform
	}
	file := stem + ".mur.zip"
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read the artifact: %w", err)
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxArtifact+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read the artifact: %w", err)
	}
	if len(data) > maxArtifact {
		return nil, fmt.Errorf("cannot read the artifact %s: it has more than %d MiB", file, maxArtifact>>20)
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("cannot read the artifact %s: %w", file, err)
	}
	sum := sha256.Sum256(data)
	a := &Artifact{Path: file, SHA256: hex.EncodeToString(sum[:]), Platform: platform, archive: archive}
	recorded, err := os.ReadFile(stem + ".sha256")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot read the digest of the artifact: %w", err)
	}
	a.Recorded = strings.TrimSpace(string(recorded))
	return a, nil
}

// Main returns the name of the script that makes the artifact a capsule written in Lua: capsule.lua, or else the one
// Lua file that lies on its top level. It is empty when there is none, and then the artifact is murmur's to run. Several
// Lua files of which none is capsule.lua are an error.
func (a *Artifact) Main() (string, error) {
	var found []string
	for _, f := range a.archive.File {
		switch {
		case f.Name == MainFile:
			return MainFile, nil
		case strings.HasSuffix(f.Name, ".lua") && !strings.ContainsAny(f.Name, `/\`):
			found = append(found, f.Name)
		}
	}
	if len(found) > 1 {
		return "", fmt.Errorf("cannot tell which of %s is the capsule's script: one must be %s", strings.Join(found, ", "), MainFile)
	}
	return strings.Join(found, ""), nil
}

// Open opens a file of the artifact by its slash-separated name, as an [fs.FS] does. The file has at most 16 MiB.
func (a *Artifact) Open(name string) (fs.File, error) {
	f, err := a.archive.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.Size() > maxScript {
		_ = f.Close()
		return nil, &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("it has more than %d MiB", maxScript>>20)}
	}
	return f, nil
}
