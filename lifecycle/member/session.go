package member

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"murlua/lifecycle/artifact"
	"murlua/lifecycle/credential"
	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
)

// Options is what a session is given from outside. Environ, Home, Flags, Stdout, Stderr and Exit are required.
type Options struct {
	Environ []string
	Home    home.Home
	Flags   Flags
	// Name and Version are what the capsule calls itself; empty means what the flags say, the name without its scope.
	Name    string
	Version string
	// Stdout gets the readiness line, Stderr gets notices. That one of them is closed ends nothing.
	Stdout io.Writer
	Stderr io.Writer
	// Signals delivers the signals that the process caught; SIGTERM and SIGINT end the session. Nil: none come.
	Signals <-chan os.Signal
	// Exit ends the process at once. It is called when winding down takes too long, and for a second signal.
	Exit func(code int)
}

// Task is one task for the capsule.
type Task struct {
	// ID is the task's at the door; empty for the task of the command line.
	ID   string
	Text string
	// Data holds what was sent as JSON values, beside the text or instead of it.
	Data []json.RawMessage
	// From is the credential that sent it: "member:<name>" for a formation's member, "operator", or empty for
	// the task of the command line.
	From string
	// Emit adds a piece to the answer before it is complete; those who follow the task see it at once. It is never
	// nil and safe for concurrent use. The answer of the command line's task has no such readers.
	Emit func(text string)
	// Note says how far the work is, to those who follow the task; as Emit otherwise.
	Note func(text string)
}

// Handler does a task and returns the answer. Its context ends when the task is cancelled and when the session ends.
// Calls overlap unless the session takes a single task. An error fails the task with its text.
type Handler func(ctx context.Context, task Task) (string, error)

// Membership is what a session knows of its formation.
type Membership struct {
	Formation id.Formation
	// Member is this member's name, empty for a process that was given a formation's id and nothing else.
	Member string
	Entry  bool
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
	options  Options
	id       id.Session
	workdir  string
	handed   *inheritance
	ended    chan struct{}
	stopping sync.Once
	stopped  chan struct{} // closed by Stop

	mu     sync.Mutex
	url    string
	answer string
}

// AddressWait is how long [Session.Callee] waits for an address, as murmur does.
const AddressWait = 10 * time.Second

// Start takes over what the environment hands to the process and mints the session. It makes no file. An error is a
// [*Refusal]: print it and exit 1. After Start call [Session.Run], or [Session.Close] when it never comes to that.
func Start(options Options) (*Session, error) {
	workdir, err := filepath.Abs(options.Flags.Workdir)
	if err != nil {
		return nil, fmt.Errorf("cannot find the working directory: %w", err)
	}
	if options.Name == "" {
		options.Name = artifact.Base(options.Flags.Capsule)
	}
	if options.Version == "" {
		options.Version = options.Flags.Version
	}
	handed, err := inherit(options.Environ)
	if err != nil {
		return nil, err
	}
	s := &Session{
		options: options, id: id.NewSession(), workdir: workdir, handed: handed,
		ended: make(chan struct{}), stopped: make(chan struct{}),
	}
	if handed.unwatched {
		s.notice("warning[W-RUN-007]: this member of a formation holds no lifeline: it does not end with its formation, only when it is stopped")
	}
	return s, nil
}

// Close lets go of what Start took over. Run does so itself.
func (s *Session) Close() { s.handed.close() }

// ID returns the session's id.
func (s *Session) ID() id.Session { return s.id }

// Workdir returns the absolute directory that the capsule works in.
func (s *Session) Workdir() string { return s.workdir }

// URL returns the address of the door, "localhost:port", once Run has opened it.
func (s *Session) URL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.url
}

// Answer returns what the handler answered to the session's one task, once Run has returned.
func (s *Session) Answer() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.answer
}

// Membership returns what the session knows of its formation, nil when it has none.
func (s *Session) Membership() *Membership {
	if s.handed.formation == "" {
		return nil
	}
	m := &Membership{Formation: s.handed.formation}
	if first := s.handed.first; first != nil {
		m.Member, m.Entry = first.Member, first.Entry
		for _, call := range first.Calls {
			m.Callees = append(m.Callees, call.Name)
		}
	}
	return m
}

// Callee returns where and how to call a member, waiting up to [AddressWait] for its address. Whether a member may
// not be called or there is none of that name, the refusal is the same.
func (s *Session) Callee(ctx context.Context, name string) (Callee, error) {
	m := s.Membership()
	if m == nil {
		return Callee{}, fmt.Errorf("cannot call %q: this capsule is in no formation", name)
	}
	if !slices.Contains(m.Callees, name) {
		return Callee{}, fmt.Errorf("cannot call %q: this member may not call it", name)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, AddressWait, errors.New("its address did not arrive in time"))
	defer cancel()
	url, err := s.handed.channel.address(ctx, name)
	if err != nil {
		return Callee{}, fmt.Errorf("cannot call %q: %w", name, err)
	}
	token, _ := s.handed.first.Call(name)
	return Callee{Name: name, URL: url, Token: token}, nil
}

// Ended returns a channel that closes when the session begins to end.
func (s *Session) Ended() <-chan struct{} { return s.ended }

// Stop ends the session in order, as a first SIGTERM does, with exit status 0.
func (s *Session) Stop() { s.stopping.Do(func() { close(s.stopped) }) }

// notice writes a line for people. A closed stream is no reason to end.
func (s *Session) notice(format string, args ...any) {
	_, _ = fmt.Fprintf(s.options.Stderr, format+"\n", args...)
}

// detail is a notice that only --verbose asks for.
func (s *Session) detail(format string, args ...any) {
	if s.options.Flags.Verbose {
		s.notice(format, args...)
	}
}
