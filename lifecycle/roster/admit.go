package roster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"murlua/lifecycle/artifact"
	"murlua/lifecycle/home"
)

// Admitted is a roster that may be launched.
type Admitted struct {
	Source  string // path of the roster
	Project string // its directory
	Members []Member
	// Retain is what the entry's manifest says about keeping ended formations; nil says nothing.
	Retain *Retain
	// Warnings are worth showing; nothing was refused because of them. Each begins with its code.
	Warnings []string
}

// Member is a member that is bound to its artifact.
type Member struct {
	Listed
	SHA256 string   // of the artifact, in lower-case hex: what is started must be these bytes
	Calls  []string // the members that it may call, in the order of the roster
}

// Admit reads and admits the roster of a project, given its directory or the path of its roster.yaml. Artifacts are looked for in the project's
// store, then in the global one below home. The error is a [*Refusal].
func Admit(project string, h home.Home) (*Admitted, error) {
	source, err := locate(project)
	if err != nil {
		return nil, err
	}
	text, err := readFile(source)
	if err != nil {
		return nil, err
	}
	r, err := Parse(text)
	if err != nil {
		return nil, err
	}
	a := &Admitted{Source: source, Project: filepath.Dir(source)}
	entry, refusal := r.check()
	if refusal != nil {
		return nil, refusal
	}
	pins, err := readLock(filepath.Join(a.Project, lockFile))
	if err != nil {
		return nil, refuse(CodeBadLock, "delete "+lockFile+" and run mur install to make it anew", "cannot read %s: %v", lockFile, err)
	}
	stores := artifact.Stores(a.Project, h)
	found := make([]installed, len(r.Members))
	for i, m := range r.Members {
		if found[i], refusal = bind(m, stores, pins); refusal != nil {
			return nil, refusal
		}
		a.Members = append(a.Members, Member{Listed: m, SHA256: found[i].sha256})
	}
	if refusal := a.connect(r, entry, found); refusal != nil {
		return nil, refusal
	}
	a.Retain = found[entry].manifest.retain
	a.warn(found)
	return a, nil
}

// locate finds the roster of a project.
func locate(project string) (string, error) {
	info, err := os.Stat(project)
	switch {
	case err != nil:
		return "", refuse(CodeShape, "give the directory of a project", "cannot find project %q: %v", project, reason(err))
	case info.IsDir():
		return filepath.Join(project, File), nil
	case filepath.Base(project) == File:
		return project, nil
	}
	return "", refuse(CodeShape, "give the directory of a project, or its "+File, "%q is neither a directory nor a %s", project, File)
}

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, refuse(CodeShape, "", "cannot read %s at %s: %v", File, path, reason(err))
	}
	return text, nil
}

// reason takes the path off an error that is shown beside it.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// check makes the checks that need no store, and returns the index of the entry.
func (r Roster) check() (entry int, refusal *Refusal) {
	names := map[string]int{}
	var entries []string
	for i, m := range r.Members {
		if _, twice := names[m.Name]; twice {
			return 0, refuse(CodeDuplicate, "", "%s: the member name '%s' is listed more than once", File, m.Name)
		}
		names[m.Name] = i
		if m.Entry {
			entry = i
			entries = append(entries, m.Name)
		}
	}
	if len(entries) != 1 {
		hint := "mark exactly one member with entry: true"
		if len(entries) == 0 {
			return 0, refuse(CodeEntry, hint, "%s: no member is the entry", File)
		}
		return 0, refuse(CodeEntry, hint, "%s: more than one member is the entry: %s", File, strings.Join(entries, ", "))
	}
	for _, rule := range r.Rules {
		for _, name := range append([]string{rule.From}, rule.To...) {
			if _, known := names[name]; !known {
				return 0, refuse(CodeUnknownMember, "", "%s: the rule from '%s' names '%s', which is no member", File, rule.From, name)
			}
		}
	}
	for _, rule := range r.Rules {
		if slices.Contains(rule.To, entries[0]) {
			return 0, refuse(CodeCallsEntry, "", "%s: the rule from '%s' calls the entry '%s', whose tasks do not come from peers", File, rule.From, entries[0])
		}
	}
	return entry, nil
}

// bind finds a member's artifact and compares it with the lock.
func bind(m Listed, stores []string, pins map[string]pin) (installed, *Refusal) {
	found, err := find(stores, m.Capsule, m.Version)
	if err != nil {
		hint := ""
		if errors.Is(err, errNotInstalled) {
			hint = fmt.Sprintf("run mur install %s@%s", m.Capsule, m.Version)
		}
		return installed{}, refuse(CodeNotInstalled, hint, "%s: member '%s' (%s@%s) cannot be admitted: %v", File, m.Name, m.Capsule, m.Version, err)
	}
	if p, pinned := pins[m.Capsule]; pinned {
		if conflict := p.conflict(m.Version, found); conflict != "" {
			return installed{}, refuse(CodeLocked, "change the roster, or run mur install", "%s: member '%s': %s does not agree about '%s': %s", File, m.Name, lockFile, m.Capsule, conflict)
		}
	}
	return found, nil
}

// connect works out who may call whom, and requires that those who are called take it and that no door is public then.
func (a *Admitted) connect(r Roster, entry int, found []installed) *Refusal {
	calls := func(from, to int) bool {
		if r.All {
			return from != to && to != entry && found[from].manifest.servesPeers && found[to].manifest.servesPeers
		}
		return slices.ContainsFunc(r.Rules, func(rule Rule) bool {
			return rule.From == r.Members[from].Name && slices.Contains(rule.To, r.Members[to].Name)
		})
	}
	called := make([]bool, len(found))
	for from := range found {
		for to := range found {
			if calls(from, to) {
				a.Members[from].Calls = append(a.Members[from].Calls, r.Members[to].Name)
				called[to] = true
			}
		}
	}
	for to := range found {
		if called[to] && !found[to].manifest.servesPeers {
			return refuse(CodeNotServing, "set exports.peer_tasks.accept: true in its murmur.yaml, or take it out of the rule",
				"%s: member '%s' is called by a rule, and takes no tasks from peers", File, r.Members[to].Name)
		}
	}
	if !slices.Contains(called, true) {
		return nil
	}
	for i := range found {
		if !found[i].manifest.authenticated {
			return refuse(CodePublicDoor, "declare network.authentication in its murmur.yaml",
				"%s: member '%s' has a public door; when members call each other, every door must ask for tokens", File, r.Members[i].Name)
		}
	}
	return nil
}

// warn notes the members that more others may call at once than they can hold tasks.
func (a *Admitted) warn(found []installed) {
	for i, m := range a.Members {
		var callers []string
		for _, other := range a.Members {
			if slices.Contains(other.Calls, m.Name) {
				callers = append(callers, other.Name)
			}
		}
		if holds := found[i].manifest.holds; len(callers) > holds {
			a.Warnings = append(a.Warnings, fmt.Sprintf(
				"W-ROS-001: %s lets %d call '%s' (%s), which holds %d at once; lifecycle.task_acceptance: queue with lifecycle.queue_depth: %d would hold them all",
				File, len(callers), m.Name, strings.Join(callers, ", "), holds, max(len(callers)-1, 1)))
		}
	}
}
