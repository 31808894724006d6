package roster

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// artifact is an installed capsule.
type artifact struct {
	sha256   string
	platform string // the tag that its file has, "" if it is for every platform
	manifest manifest
}

// platformTag names this platform as murmur's stores do, "" where murmur does not run.
func platformTag() string {
	system := map[string]string{"linux": "linux", "darwin": "darwin"}[runtime.GOOS]
	machine := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	if system == "" || machine == "" {
		return ""
	}
	return system + "-" + machine
}

// errNotInstalled says that a store does not have an artifact.
var errNotInstalled = errors.New("it is not installed in the project's store or the global one")

// find looks for a capsule in the stores, in their order. The first that has it decides.
func find(stores []string, capsule, version string) (artifact, error) {
	if version == "." || version == ".." || strings.ContainsAny(version, "/\\\x00") {
		return artifact{}, errNotInstalled // no store has such a folder
	}
	for _, store := range stores {
		found, err := readArtifact(store, capsule, version)
		if !errors.Is(err, errNotInstalled) {
			return found, err
		}
	}
	return artifact{}, errNotInstalled
}

// readArtifact reads an artifact at <store>/[<scope>/]<name>/<version>/<name>-<version>[-<platform>].mur.zip, beside which a .sha256 has its
// digest. The file for this platform is preferred.
func readArtifact(store, capsule, version string) (artifact, error) {
	dir := filepath.Join(store, filepath.FromSlash(capsule), version)
	stem := capsule[strings.IndexByte(capsule, '/')+1:] + "-" + version
	for _, platform := range []string{platformTag(), ""} {
		base := filepath.Join(dir, stem)
		if platform != "" {
			base += "-" + platform
		}
		recorded, err := os.ReadFile(base + ".sha256")
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return artifact{}, err
		}
		file, err := os.Open(base + ".mur.zip")
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return artifact{}, err
		}
		defer file.Close()
		found, err := open(file, strings.TrimSpace(string(recorded)))
		found.platform = platform
		return found, err
	}
	return artifact{}, errNotInstalled
}

// open checks an artifact's digest and reads its manifest, both from the same open file.
func open(file *os.File, recorded string) (artifact, error) {
	hash := sha256.New()
	size, err := io.Copy(hash, file)
	if err != nil {
		return artifact{}, err
	}
	actual := hex.EncodeToString(hash.Sum(nil))
	if actual != recorded {
		return artifact{}, fmt.Errorf("its bytes have the digest %s, the store has noted %q", actual, recorded)
	}
	archive, err := zip.NewReader(file, size)
	if err != nil {
		return artifact{}, fmt.Errorf("its artifact is no archive: %w", err)
	}
	packed, err := archive.Open("murmur.yaml")
	if err != nil {
		return artifact{}, fmt.Errorf("its artifact has no murmur.yaml: %w", err)
	}
	defer packed.Close()
	text, err := io.ReadAll(io.LimitReader(packed, maxFile+1))
	if err != nil {
		return artifact{}, fmt.Errorf("its murmur.yaml cannot be read: %w", err)
	}
	m, err := readManifest(text)
	if err != nil {
		return artifact{}, fmt.Errorf("its murmur.yaml does not parse: %w", err)
	}
	return artifact{sha256: actual, manifest: m}, nil
}
