package door

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"murlua/lifecycle/credential"
	"murlua/lifecycle/id"
)

// What a server takes when its options do not say otherwise.
const (
	defaultConnections = 256
	defaultTasks       = 64
	defaultBody        = 8 << 20
)

const (
	maxHeader = 64 << 10
	// maxBodies bounds the request bodies that are being read, all together.
	maxBodies = 64 << 20
)

// deadlines are the server's own. A door answers at once or holds the connection on purpose, so none of them bounds a task.
type deadlines struct {
	header time.Duration // for the whole head of a request, from the connection's beginning
	body   time.Duration // for the body
	write  time.Duration // for each piece of a reply
	beat   time.Duration // between two signs of life on a quiet stream
}

func defaultDeadlines() deadlines {
	return deadlines{header: 5 * time.Second, body: 30 * time.Second, write: 10 * time.Second, beat: 15 * time.Second}
}

// ServerOptions say what a door serves. Name, Version and Session are required.
type ServerOptions struct {
	Name        string // the capsule's
	Version     string
	Description string     // for people; "" makes one from name and version
	Session     id.Session // the session that the card names
	// Bind is the IP address to listen on, "" for 127.0.0.1; Port the TCP port, 0 for a free one.
	Bind string
	Port int
	// Auth makes the door ask for a token; nil makes it public: any process that reaches it may use it.
	Auth *Auth
	// RefusePeers refuses requests that a formation member sends as a member (header x-murmur-task-origin: peer).
	RefusePeers bool
	// OnTask works on one task, in a goroutine of its own, up to MaxTasks at once. What it returns is the answer, added to what it emitted.
	// An error fails the task with its text. The context ends when the task is canceled or the door closes, with the
	// reason as its cause. nil: the door takes no tasks.
	OnTask func(ctx context.Context, task *Incoming) (string, error)
	// OnStop is called after session/stop has canceled the tasks and been answered; nil does nothing. What ends the process is the signal that follows.
	OnStop func()
	// Residue lists what would be left running if the session stopped now, each a value that JSON can hold, for session/stop. nil: nothing.
	Residue func() []any
	// MaxConnections is how many connections may be open, half of them held by streams and waiting sends; more are refused with
	// status 503. 0 means 256. MaxTasks is how many tasks may be live; more are rejected. 0 means 64.
	// MaxBody is the size of the largest request in bytes. 0 means 8 MiB.
	MaxConnections, MaxTasks int
	MaxBody                  int64
	// Log gets what goes wrong inside the server; never a token or a message. nil drops it.
	Log *slog.Logger
}

// Incoming is a task on its way through ServerOptions.OnTask.
type Incoming struct {
	ID, Context string
	// Message is what was sent; its Text joins the text parts.
	Message Message
	// Caller is the credential that sent it: "" at a public door, "operator", a declared name, or "member:" and a name.
	Caller string
	// Member is the calling member's name when it called with a formation token, else "".
	Member string
	// Peer says that the caller named itself a peer of its formation, which at a public door is only a claim.
	Peer bool

	registry *registry
	entry    *entry
}

// Emit adds a piece to the answer; streams see it at once. Safe for concurrent use; without effect after the task's end.
func (in *Incoming) Emit(text string) { in.registry.emit(in.entry, text, false) }

// Note says how far the work is; streams see it at once. Safe for concurrent use; without effect after the task's end.
func (in *Incoming) Note(text string) { in.registry.work(in.entry, text) }

// Server is an open door. It is safe for concurrent use.
type Server struct {
	options          ServerOptions
	within           deadlines
	public, extended []byte // cards
	gate             *gate  // nil at a public door
	address          string
	http             *http.Server
	listener         *cappedListener
	hub              *hub
	tasks            *registry
	base             context.Context // of every task
	cancel           context.CancelCauseFunc
	closing          chan struct{} // closed when what is held must be answered
	accepting        sync.WaitGroup
	serving          sync.WaitGroup // connections; added to by the accept loop only
	held             atomic.Int64   // connections held by streams and waiting sends
	bodies           atomic.Int64   // bytes of request bodies being read
	closeOnce        sync.Once

	mu    sync.Mutex
	fresh map[net.Conn]bool // connections that have not sent a request yet
}

// errClosing is the cause that tasks see when the door closes.
var errClosing = errors.New("the session is stopping")

// Serve opens a door. It returns when the door answers; the caller ends it with [Server.Close].
func Serve(o ServerOptions) (*Server, error) { return serveWithin(o, defaultDeadlines()) }

func serveWithin(o ServerOptions, within deadlines) (*Server, error) {
	if o.Name == "" || o.Version == "" || o.Session == "" {
		return nil, errors.New("cannot open door: its name, version and session are required")
	}
	if o.Auth != nil {
		if err := o.Auth.check(); err != nil {
			return nil, fmt.Errorf("cannot open door of capsule %q: %w", o.Name, err)
		}
	}
	if o.MaxConnections == 0 {
		o.MaxConnections = defaultConnections
	}
	if o.MaxTasks == 0 {
		o.MaxTasks = defaultTasks
	}
	if o.MaxBody == 0 {
		o.MaxBody = defaultBody
	}
	if o.Bind == "" {
		o.Bind = "127.0.0.1"
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(o.Bind, strconv.Itoa(o.Port)))
	if err != nil {
		return nil, fmt.Errorf("cannot open door of capsule %q: %w", o.Name, err)
	}
	tcp, ok := listener.(*net.TCPListener)
	if !ok {
		_ = listener.Close()
		return nil, fmt.Errorf("cannot open door of capsule %q: not a TCP listener", o.Name)
	}
	hub := newHub()
	s := &Server{
		options: o, within: within, hub: hub, tasks: newRegistry(hub), closing: make(chan struct{}), fresh: map[net.Conn]bool{},
		listener: &cappedListener{TCPListener: tcp, limit: int64(o.MaxConnections)},
		address:  fmt.Sprintf("localhost:%d", tcp.Addr().(*net.TCPAddr).Port),
	}
	s.public, s.extended = cards(o, s.address)
	if o.Auth != nil {
		s.gate = newGate(*o.Auth, o.Name)
	}
	s.base, s.cancel = context.WithCancelCause(context.Background())
	s.http = &http.Server{
		Handler: http.HandlerFunc(s.serve), ReadHeaderTimeout: within.header, MaxHeaderBytes: maxHeader,
		ErrorLog: errorLog(o.Log), ConnState: s.connState,
	}
	s.http.SetKeepAlivesEnabled(false) // murmur's clients read to the end of the stream
	s.accepting.Go(func() { _ = s.http.Serve(s.listener) })
	return s, nil
}

// connState keeps account of the connections: net/http does not tell when their goroutines have ended, and closes those without a request late.
func (s *Server) connState(conn net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch state {
	case http.StateNew:
		s.serving.Add(1)
		s.fresh[conn] = true
	case http.StateActive:
		delete(s.fresh, conn)
	case http.StateClosed, http.StateHijacked:
		delete(s.fresh, conn)
		s.serving.Done()
	}
}

// URL returns the address of the door as records and readiness lines give it: "localhost:port", whatever it is bound to.
func (s *Server) URL() string { return s.address }

// Token returns the operator's token, the zero Secret at a public door.
func (s *Server) Token() credential.Secret {
	if s.gate == nil {
		return credential.Secret{}
	}
	return s.gate.operator
}

// Tokens returns the tokens of the declared credentials by name; nil if there are none.
func (s *Server) Tokens() map[string]credential.Secret {
	if s.gate == nil {
		return nil
	}
	return s.gate.tokens
}

// CancelTasks cancels every live task, as session/stop does, and returns their ids.
func (s *Server) CancelTasks(why error) []string { return s.tasks.stopAll(why) }

// Refuse makes the door reject tasks from now on. It goes on answering everything else.
func (s *Server) Refuse() { s.tasks.close() }

// Close ends the door: it takes no more tasks, cancels those that are live and waits for their handlers, lets answers and the last events go out,
// and closes every connection. ctx bounds the waiting; when it ends first, connections are cut and the error says so. The first call
// decides; later ones return nil.
func (s *Server) Close(ctx context.Context) error {
	var err error
	s.closeOnce.Do(func() { err = s.close(ctx) })
	return err
}

func (s *Server) close(ctx context.Context) error {
	s.tasks.close()
	s.tasks.stopAll(errClosing)
	s.cancel(errClosing)
	ended := waited(ctx, &s.tasks.running)
	s.hub.close() // streams send what is there and end
	close(s.closing)
	_ = s.listener.Close()
	s.accepting.Wait()
	s.closeFresh()
	answered := waited(ctx, &s.serving)
	_ = s.http.Close()
	switch {
	case !ended:
		return fmt.Errorf("cannot end the tasks of capsule %q: a handler does not return: %w", s.options.Name, context.Cause(ctx))
	case !answered:
		return fmt.Errorf("cannot close the door of capsule %q: a connection had to be cut: %w", s.options.Name, context.Cause(ctx))
	}
	return nil
}

// closeFresh closes the connections that have sent no request.
func (s *Server) closeFresh() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for conn := range s.fresh {
		_ = conn.Close()
	}
}

// waited waits for a group, and reports false if ctx ends first.
func waited(ctx context.Context, group *sync.WaitGroup) bool {
	done := make(chan struct{})
	go func() { group.Wait(); close(done) }()
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}
