package formation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"

	"murlua/lifecycle/id"
	"murlua/platform/contain"
)

// Plan is what a launch starts. It is plain data: building, checking and printing one starts nothing.
type Plan struct {
	// Name is the formation's, of the form of a member's name. In one home one formation at a time has it: while that runs,
	// [Launch] refuses another one. Empty is no name.
	Name string
	// Members in the order in which they are listed everywhere: events, failures, stopped members.
	Members []Member
}

// Member describes one member of a formation. Name and exactly one of Capsule, Script and Command are
// required.
type Member struct {
	// Name is unique in its formation: a lower-case letter, then at most 31 of a-z, 0-9 and hyphen.
	Name string

	// What is started: an installed capsule, a Lua capsule, or any command.
	Capsule *Capsule
	Script  *Script
	Command *Command

	// Entry marks the one member that runs the formation's task. It starts last, when all others are
	// ready, with the launcher's own output, and its end is the end of the formation. A plan may have
	// none.
	Entry bool
	// Calls names the members that this one may call. Capsules get a token and an address for each.
	// Nobody calls the entry.
	Calls []string
	// After names the members that have to be ready before this one is started.
	After []string

	// Dir is the working directory of the process; empty means the launcher's.
	Dir string
	// Env holds variables that are set for the process, Unset names those that are removed from what it
	// inherits.
	Env   map[string]string
	Unset []string

	// Ready decides when the member is ready, after it reported itself if it is a capsule. Nil means: a
	// capsule's door answers as the session that it reported; a command is ready once started. It runs
	// with a context that ends at the deadline, when the process exits and when the launch is abandoned;
	// it returns nil when the member is ready and an error when it never will be. The last word of a policy
	// that ran into the deadline should be its error: it is shown.
	Ready func(ctx context.Context, probe *Probe) error
	// ReadyWithin bounds the time from the start of the process until it is ready; zero means
	// [Options.ReadyWithin].
	ReadyWithin time.Duration
	// Grace is how long the process may take to end after it was asked to; zero means [Options.Grace].
	Grace time.Duration
	// StopSignal is what asks a command to end, with its process group; zero means SIGTERM. Capsules are asked by
	// their lifeline.
	StopSignal syscall.Signal
	// Containment demands a class; empty takes the best there is. Capsules cannot be sealed: their records would
	// name a process that nobody else sees under that number.
	Containment contain.Class

	// OnExit decides what happens when the process of a peer that was ready ends by itself. Nil means [Ignore] in a
	// formation that has an entry, and [StopFormation] in one that has none.
	OnExit func(ctx context.Context, exit Exit) Action
	// Health is asked again and again while the member runs; nil asks nothing.
	Health *Health
	// Ports are TCP ports of this machine on which the member listens. One that is taken when the member is first started
	// is a failure of kind [NotStarted] that names the holder; before it is started again, they are waited for.
	Ports []int
}

// Capsule is an installed capsule: murmur's, started by mur, or one with Lua in its artifact, started by this program's own
// binary.
type Capsule struct {
	Name    string
	Version string
	// SHA256 is the lower-case hex digest that the member's artifact must have; empty passes none on.
	SHA256 string
}

// Script is a capsule written in Lua, started by this program's own binary.
type Script struct {
	// Path of the script file; absolute, or relative to [Options.ProjectDir].
	Path string
	// Name and Version are what the member reports; empty means the member's name, and "0.0.0".
	Name    string
	Version string
	// SHA256 is the lower-case hex digest that the file must have when the member reads it. Empty: it is
	// computed when the launch starts, so that all restarts run the same text.
	SHA256 string
}

// Command is any program. It runs under a keeper, which holds its lifeline for it.
type Command struct {
	// Args is the program and its arguments; the program is looked up in PATH when it has no slash.
	Args []string
}

// capsule returns the name and version by which reports call the member; a command has no version.
func (m *Member) capsule() (name, version string) {
	switch {
	case m.Capsule != nil:
		return m.Capsule.Name, m.Capsule.Version
	case m.Script != nil:
		return orDefault(m.Script.Name, m.Name), orDefault(m.Script.Version, "0.0.0")
	case m.Command != nil && len(m.Command.Args) > 0:
		return m.Command.Args[0], ""
	}
	return "", ""
}

// hasDoor reports whether the member is a capsule, which reports itself and answers on a door.
func (m *Member) hasDoor() bool { return m.Command == nil }

// first reports whether the member is a peer that waits for no other.
func (m *Member) first() bool { return !m.Entry && len(m.After) == 0 }

func orDefault(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// Entry returns the entry member, if the plan has one.
func (p Plan) Entry() (Member, bool) {
	for _, m := range p.Members {
		if m.Entry {
			return m, true
		}
	}
	return Member{}, false
}

// Peers returns the members that are not the entry, in plan order.
func (p Plan) Peers() []Member {
	return slices.DeleteFunc(slices.Clone(p.Members), func(m Member) bool { return m.Entry })
}

// Member returns the member with that name.
func (p Plan) Member(name string) (Member, bool) {
	i := slices.IndexFunc(p.Members, func(m Member) bool { return m.Name == name })
	if i < 0 {
		return Member{}, false
	}
	return p.Members[i], true
}

// Callees returns the members that the named one may call, in plan order and each once.
func (p Plan) Callees(name string) []string {
	caller, ok := p.Member(name)
	if !ok {
		return nil
	}
	var callees []string
	for _, m := range p.Members {
		if slices.Contains(caller.Calls, m.Name) {
			callees = append(callees, m.Name)
		}
	}
	return callees
}

// Check says what is wrong with the plan, all of it at once, or returns nil. [Launch] checks too.
func (p Plan) Check() error {
	if len(p.Members) == 0 {
		return errors.New("cannot plan a formation without members")
	}
	var wrong []error
	report := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	if p.Name != "" && !id.ValidMember(p.Name) {
		report("formation name %q is not a lower-case letter and up to 31 more of a-z, 0-9 and -", p.Name)
	}
	seen := map[string]bool{}
	entries := 0
	for _, m := range p.Members {
		if !id.ValidMember(m.Name) {
			report("member name %q is not a lower-case letter and up to 31 more of a-z, 0-9 and -", m.Name)
		}
		if seen[m.Name] {
			report("two members are named %q", m.Name)
		}
		seen[m.Name] = true
		if m.Entry {
			entries++
		}
	}
	if entries > 1 {
		report("%d members are the entry, only one can be", entries)
	}
	for i := range p.Members {
		p.checkMember(&p.Members[i], report)
	}
	if circle := p.circle(); circle != "" {
		report("%s", circle)
	}
	if len(wrong) == 0 {
		return nil
	}
	return fmt.Errorf("cannot plan the formation: %w", errors.Join(wrong...))
}

func (p Plan) checkMember(m *Member, report func(string, ...any)) {
	kinds := 0
	if m.Capsule != nil {
		kinds++
		if m.Capsule.Name == "" || m.Capsule.Version == "" {
			report("member %q: a capsule needs a name and a version", m.Name)
		}
	}
	if m.Script != nil {
		kinds++
		if m.Script.Path == "" {
			report("member %q: a script needs a path", m.Name)
		}
	}
	if m.Command != nil {
		kinds++
		if len(m.Command.Args) == 0 || m.Command.Args[0] == "" {
			report("member %q: a command needs a program", m.Name)
		}
	}
	if kinds != 1 {
		report("member %q needs one of capsule, script and command, it has %d", m.Name, kinds)
	}
	if m.Containment == contain.Sealed && m.hasDoor() {
		report("member %q is a capsule and cannot be sealed", m.Name)
	}
	for _, callee := range m.Calls {
		switch other, ok := p.Member(callee); {
		case !ok:
			report("member %q calls %q, which is not a member", m.Name, callee)
		case callee == m.Name:
			report("member %q calls itself", m.Name)
		case other.Entry:
			report("member %q calls the entry %q, which serves nobody", m.Name, callee)
		case !other.hasDoor():
			report("member %q calls %q, which is a command and has no door", m.Name, callee)
		}
	}
	for _, name := range m.After {
		switch other, ok := p.Member(name); {
		case !ok:
			report("member %q starts after %q, which is not a member", m.Name, name)
		case other.Entry && !m.Entry:
			report("member %q starts after the entry %q, which starts last", m.Name, name)
		}
	}
}
