package member

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"murlua/lifecycle/credential"
	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
)

// Options is what a session is given from outside. Environ, Home, Flags, Stdout, Stderr and Exit are required.
type Options struct {
	Environ []string
	Home    home.Home
	Flags   Flags
	// Name and Version are what the capsule calls itself; empty means what the flags say.
	Name    string
	Version string
	Stdout  io.Writer // gets the readiness line
	Stderr  io.Writer // gets notices
	// Signals delivers the signals that the process caught; SIGTERM and SIGINT end the session. Nil: none come.
	Signals <-chan os.Signal
	// Exit ends the process at once. It is called when winding down takes too long.
	Exit func(code int)
}

// Task is one task for the capsule.
type Task struct {
	ID   string
	Text string
	// From is the credential that sent it: "member:<name>" for a formation's member, "operator", or empty at a
	// public door.
	From string
}

// Handler does a task and returns the answer. Its context ends when the task is cancelled and when the session ends.
// Calls overlap unless the session takes a single task.
type Handler func(ctx context.Context, task Task) (string, error)

// Membership is what a session knows of its formation.
type Membership struct {
	Formation id.Formation
	Member    string
	// Callees are the members that this one may call, in plan order.
	Callees []string
}

// Callee is a member that this one may call.
type Callee struct {
	Name  string
	URL   string // http://host:port
	Token credential.Secret
}

// Session is one run of one capsule. Its methods are safe for concurrent use, except that Run is called once.
type Session struct {
	options Options
	id      id.Session
	ended   chan struct{}
}

// AddressWait is how long [Session.Callee] waits for an address.
const AddressWait = 10 * time.Second

// Start takes over what the environment hands to the process and mints the session. It touches no file. An error is
// a [*Refusal]: print it and exit 1.
func Start(options Options) (*Session, error) {
	return &Session{options: options, id: id.NewSession(), ended: make(chan struct{})}, nil
}

// ID returns the session's id.
func (s *Session) ID() id.Session { return s.id }

// Membership returns what the session knows of its formation, nil when it has none.
func (s *Session) Membership() *Membership { return nil }

// Workdir returns the absolute directory that the capsule works in.
func (s *Session) Workdir() string { return s.options.Flags.Workdir }

// Callee returns where and how to call a member, waiting up to [AddressWait] for its address. It is an error when
// the member may not be called or is none, in the same words.
func (s *Session) Callee(ctx context.Context, name string) (Callee, error) {
	return Callee{}, errors.New("cannot call a member: not implemented")
}

// Run opens the door, announces the session, hands tasks to the handler until the session ends, and returns the exit
// status. Failures to start are in the error, and the status is then 1.
func (s *Session) Run(handler Handler) (int, error) { return 1, errors.New("not implemented") }

// Ended returns a channel that closes when the session begins to end.
func (s *Session) Ended() <-chan struct{} { return s.ended }

// Stop ends the session as if its door had been told to.
func (s *Session) Stop() {}
