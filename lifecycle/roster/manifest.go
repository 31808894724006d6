package roster

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// Retain says which ended formations of a project are kept. Zero values set no limit.
type Retain struct {
	MaxSessions int
	MaxAge      time.Duration
}

// manifest is what admission needs to know of a capsule's murmur.yaml.
type manifest struct {
	native        bool
	servesPeers   bool // exports.peer_tasks.accept
	authenticated bool // network.authentication
	holds         int  // how many tasks it holds at once
	retain        *Retain
}

// readManifest reads a packed manifest. murmur, which starts the capsule, checks the rest of it.
func readManifest(text []byte) (manifest, error) {
	root, err := document(text)
	if err != nil {
		return manifest{}, err
	}
	if !isMapping(root) {
		return manifest{}, fmt.Errorf("it must be a mapping, found %s", shape(root))
	}
	for _, key := range []string{"name", "version"} {
		if node, err := at(root, key); err != nil || node == nil {
			return manifest{}, fmt.Errorf("%s is required", key)
		}
	}
	m := manifest{}
	if node, _ := at(root, "runtime"); isString(node) {
		m.native = node.Value == "native"
	}
	node, err := at(root, "exports", "peer_tasks", "accept")
	if err != nil {
		return manifest{}, err
	}
	if node != nil {
		var ok bool
		if m.servesPeers, ok = boolean(node); !ok {
			return manifest{}, errors.New("exports.peer_tasks.accept must be true or false")
		}
	}
	if node, err = at(root, "network", "authentication"); err != nil {
		return manifest{}, err
	}
	m.authenticated = node != nil
	if m.holds, err = tasksHeld(root); err != nil {
		return manifest{}, err
	}
	m.retain, err = readRetain(root)
	return m, err
}

// at returns the node at a path of keys, nil if there is none.
func at(node *yaml.Node, path ...string) (*yaml.Node, error) {
	for i, key := range path {
		if node = present(node); node == nil {
			return nil, nil
		}
		if !isMapping(node) {
			return nil, fmt.Errorf("%s must be a mapping, found %s", strings.Join(path[:i], "."), shape(node))
		}
		values, bad := fields(node)
		if bad != "" {
			return nil, fmt.Errorf("%s has %s", strings.Join(append([]string{"the manifest"}, path[:i]...), "."), bad)
		}
		node = values[key]
	}
	return present(node), nil
}

// tasksHeld is how many tasks a capsule holds at once: one that runs, and those that its queue has room for.
func tasksHeld(root *yaml.Node) (int, error) {
	depth, err := at(root, "lifecycle", "queue_depth")
	if err != nil {
		return 0, err
	}
	waiting := uint64(1)
	if depth != nil {
		var ok bool
		if waiting, ok = whole(depth); !ok || waiting > math.MaxInt32 {
			return 0, errors.New("lifecycle.queue_depth must be a whole number")
		}
	}
	acceptance, err := at(root, "lifecycle", "task_acceptance")
	if err != nil {
		return 0, err
	}
	if acceptance == nil {
		return 1, nil
	}
	switch acceptance.Value {
	case "none":
		return 0, nil
	case "single":
		return 1, nil
	case "queue":
		return int(waiting) + 1, nil
	}
	return 0, errors.New("lifecycle.task_acceptance must be none, single or queue")
}

// readRetain reads the block trace.retain, which has max_sessions, max_age or both.
func readRetain(root *yaml.Node) (*Retain, error) {
	node, err := at(root, "trace", "retain")
	if err != nil || node == nil {
		return nil, err
	}
	if !isMapping(node) {
		return nil, fmt.Errorf("trace.retain must be a mapping, found %s", shape(node))
	}
	values, bad := fields(node)
	if bad != "" {
		return nil, fmt.Errorf("trace.retain has %s", bad)
	}
	if key := unknown(values, "max_sessions", "max_age"); key != "" || len(values) == 0 {
		return nil, errors.New("trace.retain takes max_sessions and max_age, at least one of them")
	}
	var r Retain
	if count, set := values["max_sessions"]; set {
		number, ok := whole(count)
		if !ok || number == 0 || number > math.MaxInt32 {
			return nil, errors.New("trace.retain.max_sessions must be a whole number of at least 1")
		}
		r.MaxSessions = int(number)
	}
	if age, set := values["max_age"]; set {
		if r.MaxAge, err = duration(age); err != nil {
			return nil, fmt.Errorf("trace.retain.max_age %w", err)
		}
	}
	return &r, nil
}

// duration reads a number of seconds, or one with the unit s, m, h or d.
func duration(node *yaml.Node) (time.Duration, error) {
	wrong := errors.New("must be more than zero: a whole number, with s, m, h or d after it if it is not seconds")
	if node == nil || node.Kind != yaml.ScalarNode {
		return 0, wrong
	}
	digits, unit := strings.TrimSpace(node.Value), time.Second
	for suffix, length := range map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour} {
		if rest, found := strings.CutSuffix(digits, suffix); found {
			digits, unit = rest, length
			break
		}
	}
	count, err := strconv.ParseUint(digits, 10, 63)
	if err != nil || count == 0 {
		return 0, wrong
	}
	if count > uint64(math.MaxInt64/unit) {
		return math.MaxInt64, nil // longer than anything is old
	}
	return time.Duration(count) * unit, nil
}
