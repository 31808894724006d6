// Package scratch makes temporary folders whose names say which process they belong to, so that what is left of a
// process that was killed can be told from what is in use.
//
// Start with [Make]. [Find] lists the folders that processes of this machine made; nothing is removed without a look
// at [Judge] right before.
package scratch

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"

	"murlua/platform/process"
)

// A name is <prefix><pid>.<start token>.<where the number counts>.<random>. Names are short: sockets below such a folder
// have 108 bytes for their path.
var pattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\d+)\.(\d[\d.]*)\.([0-9a-f]{8})\.\d+$`) })

// Make makes a folder in parent, mode 0700, that belongs to this process. The caller removes it.
func Make(parent, prefix string) (string, error) {
	own, err := process.Current()
	if err != nil {
		return "", fmt.Errorf("cannot make a folder that names this process: %w", err)
	}
	return os.MkdirTemp(parent, fmt.Sprintf("%s%d.%s.%s.", prefix, own.PID, own.Start, where(own.Origin)))
}

// where stands for the boot and the pid namespace in which a number counts.
func where(o process.Origin) string {
	sum := sha256.Sum256([]byte(o.Boot + "\x00" + o.PIDNamespace))
	return hex.EncodeToString(sum[:4])
}

// Find returns the folders in parent that a process of this user made with [Make].
func Find(parent string) ([]string, error) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return nil, fmt.Errorf("cannot list the temporary folders: %w", err)
	}
	var found []string
	for _, entry := range entries {
		path := filepath.Join(parent, entry.Name())
		if pattern().MatchString(entry.Name()) && ours(path) {
			found = append(found, path)
		}
	}
	return found, nil
}

// ours says whether the path is a folder, not a link to one, that belongs to this user.
func ours(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir() && ownedByUs(info)
}

// Judge says whether the process that made the folder has ended. One from another boot or another pid namespace cannot
// be looked up from here: that is unverified.
func Judge(path string) process.State {
	m := pattern().FindStringSubmatch(filepath.Base(path))
	if m == nil || !ours(path) {
		return process.State{Kind: process.Unverified, Reason: "it is no folder that a script made"}
	}
	own, err := process.Current()
	if err != nil {
		return process.State{Kind: process.Unverified, Reason: err.Error()}
	}
	if m[3] != where(own.Origin) {
		return process.State{Kind: process.Unverified, Reason: "it was made in another boot, or in another pid namespace"}
	}
	pid, err := strconv.Atoi(m[1])
	if err != nil {
		return process.State{Kind: process.Unverified, Reason: "its name has no process"}
	}
	return process.Inspect(process.Identity{PID: pid, Start: m[2]})
}
