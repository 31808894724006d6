package formation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"murlua/lifecycle/artifact"
	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/lifecycle/keeper"
)

// The bounds of a launch, as murmur has them.
const (
	// DefaultReadyWithin is how long a member has, from the start of its process, to be ready: on a cold or
	// loaded machine a capsule's slowest step takes a while.
	DefaultReadyWithin = 180 * time.Second
	// DefaultGrace is how long a member has to end after its lifeline was closed. It is longer than the 20 s
	// after which a member ends itself wherever it is, so that one that ends in order is not killed.
	DefaultGrace = 25 * time.Second

	// DefaultCommandGrace is how long a command has after its stop signal.
	DefaultCommandGrace = 10 * time.Second

	// exitAfterEOF is how long a member that closed its output before it reported has to exit.
	exitAfterEOF = 2 * time.Second
	// tailWait is how long a refusal waits for the end of a dead member's standard error.
	tailWait = 5 * time.Second
)

// Options is what a launch is given besides its plan. Home, Environ and ProjectDir are required; the binary of
// each kind of member that the plan has is too.
type Options struct {
	// ID is the formation's id; empty mints one.
	ID id.Formation
	// Home is where peers get their directories.
	Home home.Home
	// ProjectDir is where the entry runs, and where peers find what they resolve by name. Made absolute.
	ProjectDir string
	// Environ is the environment that members inherit, less what separates one formation from another.
	Environ []string

	// MurBinary starts murmur capsules; Executable is this program, which starts Lua capsules. Either may be
	// empty when there is no such member.
	MurBinary  string
	Executable string
	// Keeper runs the members, so that nothing that they start is left. Nil makes one for this formation, where there
	// are keepers. The program's main has to call [keeper.Main].
	Keeper *keeper.Keeper
	// KeeperStderr takes what a keeper made here has to say; nil drops it.
	KeeperStderr *os.File

	// Task is the entry's task; nil passes none. JSON and Verbose are passed to the entry only, NoEnvFile
	// and Containment to every capsule.
	Task        *string
	JSON        bool
	Verbose     bool
	NoEnvFile   bool
	Containment string

	// ReadyWithin and Grace are for members that have none of their own; zero means the defaults, for Grace one for
	// capsules and another for commands.
	ReadyWithin time.Duration
	Grace       time.Duration
	// Hurried takes the graces away when it ends, those of a stop that is under way and of a launch that is being undone,
	// too: what is asked to end is killed then. Nil: nothing does.
	Hurried context.Context

	// EntryStdout and EntryStderr become the entry's own output: it is the program in the foreground. Nil means the
	// null device.
	EntryStdout *os.File
	EntryStderr *os.File
	// Relay gets the lines that peers write, except the readiness lines, as "[member] line\n", one or more in a Write.
	// Writes do not overlap. A Write that blocks holds up that output, and the member when its pipe is full:
	// nothing is dropped. Nil relays nothing.
	Relay io.Writer
	// OnOutput gets the same lines without the prefix. It is called from the goroutine that reads the stream, before
	// the next line of it is read; calls for different streams overlap.
	OnOutput func(Output)
	// OnEvent gets the events, one after the other, from one goroutine. It must return: the end of a
	// formation waits for it.
	OnEvent func(Event)
	// Warn gets the few things that are worth a warning and stop nothing. Nil drops them.
	Warn func(text string)

	here string // the working directory, read once
}

// prepared checks the options and fills in what is left out. The result shares nothing that launch
// changes with the caller's.
func (o Options) prepared() (*Options, error) {
	if o.Home.Path() == "" {
		return nil, errors.New("cannot launch a formation without a home directory")
	}
	if value := lookup(o.Environ, envFormationID); strings.TrimSpace(value) != "" {
		return nil, &NestedError{}
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("cannot find the project directory %q: %w", o.ProjectDir, err)
	}
	o.here = here
	o.ProjectDir = o.absolute(o.ProjectDir)
	if o.ID == "" {
		o.ID = id.NewFormation()
	} else if _, err := id.ParseFormation(string(o.ID)); err != nil {
		return nil, fmt.Errorf("cannot launch a formation: %w", err)
	}
	if o.ReadyWithin <= 0 {
		o.ReadyWithin = DefaultReadyWithin
	}
	if o.Hurried == nil {
		o.Hurried = context.Background()
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	return &o, nil
}

// absolute makes a directory absolute that may be relative to the working directory; empty is that itself.
func (o *Options) absolute(dir string) string {
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(o.here, dir)
}

// NestedError refuses to launch a formation from inside a member of one: its members could not tell whose they
// are.
type NestedError struct{}

func (*NestedError) Error() string {
	return "cannot launch a formation from a member of a formation: " + envFormationID + " is set"
}

// Code is murmur's name of the refusal.
func (*NestedError) Code() string { return "E-RUN-046" }

// binary returns the program that starts the member.
func (o *Options) binary(m *Member) (string, error) {
	mur := m.Capsule != nil && !o.isLua(m.Capsule)
	switch {
	case mur && o.MurBinary == "":
		return "", errors.New("mur was not found: put it in PATH, or its path in MURMUR_MUR_BINARY")
	case mur:
		return o.MurBinary, nil
	case o.Executable == "":
		return "", errors.New("this program does not know its own path")
	}
	return o.Executable, nil
}

// isLua reports whether an installed capsule is one that this program runs. What is wrong with one is for the program
// that runs it to say.
func (o *Options) isLua(c *Capsule) bool {
	found, err := artifact.Find(artifact.Stores(o.ProjectDir, o.Home), c.Name, c.Version)
	if err != nil {
		return false
	}
	main, err := found.Main()
	return main != "" || err != nil
}

func lookup(environ []string, name string) string {
	value := ""
	for _, entry := range environ {
		if n, v, ok := strings.Cut(entry, "="); ok && n == name {
			value = v
		}
	}
	return value
}
