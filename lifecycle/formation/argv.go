package formation

import (
	"maps"
	"slices"
	"strings"
)

// The flags of a member's command line. A murmur capsule and a Lua capsule are started alike, and every
// program that takes these flags and does a member's duties can stand in for either.
const (
	flagCapsule         = "--capsule"
	flagVersion         = "--capsule-version"
	flagSHA256          = "--capsule-sha256"
	flagScript          = "--script"
	flagWorkdir         = "--workdir"
	flagStoreRoot       = "--store-root"
	flagJSON            = "--json"
	flagReadinessTokens = "--readiness-tokens"
	flagBind            = "--bind"
	flagTaskAcceptance  = "--lifecycle-task-acceptance"
	flagAfterTask       = "--lifecycle-after-task"
	flagTask            = "--task"
	flagVerbose         = "--verbose"
	flagNoEnvFile       = "--no-env-file"
	flagContainment     = "--containment"

	// peerBind is where peers bind their doors: the members of a formation share a host.
	peerBind = "127.0.0.1"
)

// capsuleArgs are the arguments that every capsule starts with. A Lua capsule is told its script on top.
func capsuleArgs(m *Member, o *Options, sha256, workdir string) []string {
	name, version := m.capsule()
	args := []string{"run", flagCapsule, name, flagVersion, version}
	if sha256 != "" {
		args = append(args, flagSHA256, sha256)
	}
	if m.Script != nil {
		args = append(args, flagScript, scriptPath(m, o.ProjectDir))
	}
	return append(args, flagWorkdir, workdir)
}

// peerArgs are a peer's arguments: it runs in a directory of its own and resolves from the project's stores.
// It prints its door tokens, which only this launcher reads, on the pipe that is its standard output.
func peerArgs(m *Member, o *Options, sha256, workdir string) []string {
	args := append(capsuleArgs(m, o, sha256, workdir),
		flagStoreRoot, o.ProjectDir, flagJSON, flagReadinessTokens, flagBind, peerBind)
	return passThrough(args, o)
}

// entryArgs are the entry's arguments: it runs in the project directory, takes one task and exits after it.
// It never prints its tokens: its output is the user's.
func entryArgs(m *Member, o *Options, sha256 string) []string {
	args := append(capsuleArgs(m, o, sha256, o.ProjectDir), flagTaskAcceptance, "single", flagAfterTask, "exit")
	if o.Task != nil {
		args = append(args, flagTask, *o.Task)
	}
	if o.JSON {
		args = append(args, flagJSON)
	}
	if o.Verbose {
		args = append(args, flagVerbose)
	}
	return passThrough(args, o)
}

func passThrough(args []string, o *Options) []string {
	if o.NoEnvFile {
		args = append(args, flagNoEnvFile)
	}
	if o.Containment != "" {
		args = append(args, flagContainment, o.Containment)
	}
	return args
}

// The environment variables between a launcher and its members; the names are murmur's.
const (
	envFormationID    = "MURMUR_FORMATION_ID"
	envChannel        = "MURMUR_FORMATION_CHANNEL"
	envPeers          = "MURMUR_FORMATION_PEERS"
	envSpawner        = "MURMUR_SPAWNER"
	envHostWarnings   = "MURMUR_HOST_WARNINGS_REPORTED"
	hostWarningsValue = "1"
)

// environment is base without the removed names and with the set ones, each name once: the last value of a name counts, as
// with os/exec, whatever the program that reads it would do. What was there keeps its order, what is new follows by name.
func environment(base []string, remove []string, set map[string]string) []string {
	drop := func(name string) bool {
		_, replaced := set[name]
		return replaced || slices.Contains(remove, name)
	}
	seen := map[string]bool{}
	result := make([]string, 0, len(base)+len(set))
	for _, entry := range slices.Backward(base) {
		name, _, ok := strings.Cut(entry, "=")
		if !ok || seen[name] || drop(name) {
			continue
		}
		seen[name] = true
		result = append(result, entry)
	}
	slices.Reverse(result)
	for _, name := range slices.Sorted(maps.Keys(set)) {
		result = append(result, name+"="+set[name])
	}
	return result
}
