package roster

import (
	"errors"
	"fmt"
	"io"

	"murlua/lifecycle/artifact"
)

// errNotInstalled says that no store has an artifact.
var errNotInstalled = errors.New("it is not installed in the project's store or the global one")

// installed is a capsule that was found in a store.
type installed struct {
	sha256   string
	platform string // the tag of the only platform that it is for, "" if it is for all
	manifest manifest
}

// find reads a capsule's artifact from the first of the stores that has it. Its bytes must be those that the store has noted, since the
// lock speaks of the same digest.
func find(stores []string, capsule, version string) (installed, error) {
	a, err := artifact.Find(stores, capsule, version)
	var missing *artifact.NotInstalledError
	switch {
	case errors.As(err, &missing):
		return installed{}, errNotInstalled
	case err != nil:
		return installed{}, err
	case a.Recorded == "":
		return installed{}, fmt.Errorf("the store has no digest of it beside %s", a.Path)
	case a.Recorded != a.SHA256:
		return installed{}, fmt.Errorf("its bytes have the digest %s, the store has noted %q", a.SHA256, a.Recorded)
	}
	packed, err := a.Open("murmur.yaml")
	if err != nil {
		return installed{}, fmt.Errorf("its artifact has no murmur.yaml: %w", err)
	}
	defer packed.Close()
	text, err := io.ReadAll(io.LimitReader(packed, maxFile+1))
	if err != nil {
		return installed{}, fmt.Errorf("its murmur.yaml cannot be read: %w", err)
	}
	m, err := readManifest(text)
	if err != nil {
		return installed{}, fmt.Errorf("its murmur.yaml does not parse: %w", err)
	}
	return installed{sha256: a.SHA256, platform: a.Platform, manifest: m}, nil
}
