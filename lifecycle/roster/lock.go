package roster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"go.yaml.in/yaml/v4"

	"murlua/lifecycle/artifact"
)

// lockFile is the name of the file in which a project pins its artifacts.
const lockFile = "murmur.lock"

// pin is one artifact as the lock has it: its version, and a digest for all platforms or one for each.
type pin struct {
	version   string
	any       string
	platforms map[string]string
}

// readLock reads a project's lock; a project without one pins nothing.
func readLock(path string) (map[string]pin, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	root, err := document(text)
	if err != nil {
		return nil, err
	}
	version, err := at(root, "lock_version")
	if number, ok := whole(version); err != nil || !ok || number < 1 || number > 3 {
		return nil, errors.New("its lock_version is not from 1 to 3")
	}
	list, err := at(root, "artifacts")
	if err != nil || !isSequence(list) {
		return nil, errors.New("it has no list of artifacts")
	}
	pins := map[string]pin{}
	for i, entry := range list.Content {
		name, p, err := readPin(resolve(entry))
		if err != nil {
			return nil, fmt.Errorf("artifacts[%d]: %w", i, err)
		}
		if _, twice := pins[name]; !twice {
			pins[name] = p
		}
	}
	return pins, nil
}

func readPin(entry *yaml.Node) (string, pin, error) {
	if !isMapping(entry) {
		return "", pin{}, errors.New("it is no mapping")
	}
	name, err := at(entry, "name")
	if err != nil || !isString(name) {
		return "", pin{}, errors.New("it has no name")
	}
	version, err := at(entry, "resolved_version")
	if err != nil || version == nil || version.Kind != yaml.ScalarNode || version.Value == "" {
		return "", pin{}, errors.New("it has no resolved_version")
	}
	p := pin{version: version.Value, platforms: map[string]string{}}
	digest, err := at(entry, "sha256", "any")
	if err != nil {
		return "", pin{}, err
	}
	if digest != nil {
		p.any = digest.Value
	}
	platforms, err := at(entry, "sha256", "platforms")
	if err != nil {
		return "", pin{}, err
	}
	if isMapping(platforms) {
		values, bad := fields(platforms)
		if bad != "" {
			return "", pin{}, errors.New("sha256.platforms has " + bad)
		}
		for platform, digest := range values {
			if digest == nil || digest.Kind != yaml.ScalarNode {
				return "", pin{}, errors.New("a digest is no string")
			}
			p.platforms[platform] = digest.Value
		}
	}
	if (p.any == "") == (len(p.platforms) == 0) {
		return "", pin{}, errors.New("it must have either sha256.any or sha256.platforms")
	}
	return name.Value, p, nil
}

// conflict says why a pin does not agree with the artifact that was found, "" if it does. A platform that is not pinned yet is no
// conflict.
func (p pin) conflict(version string, found installed) string {
	perPlatform := found.platform != "" || found.manifest.native
	switch pinned := p.platforms[artifact.PlatformTag()]; {
	case p.version != version:
		return fmt.Sprintf("it pins version %s, and %s was found", p.version, version)
	case perPlatform != (p.any == ""):
		return "it pins an artifact for " + forWhat(p.any == "") + ", and one for " + forWhat(perPlatform) + " was found"
	case !perPlatform && p.any != found.sha256:
		return fmt.Sprintf("it pins the digest %s, and %s was found", p.any, found.sha256)
	case perPlatform && pinned != "" && pinned != found.sha256:
		return fmt.Sprintf("it pins the digest %s for %s, and %s was found", pinned, artifact.PlatformTag(), found.sha256)
	}
	return ""
}

func forWhat(perPlatform bool) string {
	if perPlatform {
		return "one platform"
	}
	return "all platforms"
}
