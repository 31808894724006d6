package formation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"murlua/lifecycle/credential"
	"murlua/platform/fsx"
)

// Formation is a launched formation. All methods are safe for concurrent use.
type Formation struct {
	plan    Plan
	options *Options
	events  *stream
	relay   *relay
	secrets *secrets
	slots   map[string]*slot

	asked chan error    // gets the first Stop's reason
	hurry chan struct{} // closed by Kill
	entry chan *child   // gets the entry's process
	ended chan struct{} // closed when ending is set

	spawning     sync.Mutex // held while the entry is spawned, and taken before the stop looks at what runs
	mu           sync.Mutex
	entryStarted bool
	stopAsked    bool
	hurried      bool
	ending       Ending
}

// Peer is a member whose door answered as the session that it reported, or a command that is ready.
type Peer struct {
	Name, Capsule, Version string
	PID                    int
	Session                string
	URL                    string // http://host:port
	// Workdir is the peer's own directory below the home.
	Workdir string
	// Token is the operator token of its door; zero for a public door.
	Token credential.Secret
}

// Peers returns every peer, ready, in plan order.
func (f *Formation) Peers() []Peer {
	var peers []Peer
	for _, m := range f.plan.Peers() {
		s := f.slots[m.Name]
		s.mu.Lock()
		peers = append(peers, s.peer)
		s.mu.Unlock()
	}
	return peers
}

// Peer returns the peer with that name.
func (f *Formation) Peer(name string) (Peer, bool) {
	for _, peer := range f.Peers() {
		if peer.Name == name {
			return peer, true
		}
	}
	return Peer{}, false
}

// Plan returns the plan that was launched.
func (f *Formation) Plan() Plan { return f.plan }

// Log returns what the member has written, nil for the entry and for a name that is no member's.
func (f *Formation) Log(member string) *Log {
	s, ok := f.slots[member]
	if !ok {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.child == nil {
		return nil
	}
	return s.child.log
}

// StartEntry starts the entry and returns its pid. When it cannot be started the formation is stopped, and the
// error is a [*LaunchError]. It is called once; a plan without an entry, and an ended formation, are errors.
func (f *Formation) StartEntry(ctx context.Context) (int, error) {
	m, p, err := f.tryEntry()
	if m == nil {
		return 0, err
	}
	if err == nil {
		f.events.emit(Event{Kind: EntryStarted, Member: m.Name, PID: p.pid})
		f.entry <- p
		return p.pid, nil
	}
	f.Stop(fmt.Errorf("the entry could not be started: %w", err))
	ending, _ := f.Wait(context.WithoutCancel(ctx))
	failure := failureOf(m, Reason{Kind: NotStarted, Why: err.Error()})
	return 0, &LaunchError{Failed: []Failure{failure}, Stopped: ending.Stopped}
}

// tryEntry returns no member when the entry may not be started.
func (f *Formation) tryEntry() (*Member, *child, error) {
	f.spawning.Lock()
	defer f.spawning.Unlock()
	m, index, err := f.claimEntry()
	if err != nil {
		return nil, nil, err
	}
	p, err := f.spawnEntry(index, m)
	return m, p, err
}

func (f *Formation) claimEntry() (*Member, int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.plan.Members {
		if !f.plan.Members[i].Entry {
			continue
		}
		switch {
		case f.stopAsked:
			return nil, 0, errors.New("cannot start the entry: the formation is stopping")
		case f.entryStarted:
			return nil, 0, errors.New("cannot start the entry: it was started already")
		}
		f.entryStarted = true
		return &f.plan.Members[i], i, nil
	}
	return nil, 0, errors.New("cannot start the entry: the formation has none")
}

func (f *Formation) spawnEntry(index int, m *Member) (*child, error) {
	binary, err := f.options.binary(m)
	if err != nil {
		return nil, err
	}
	// Its whole channel is written before it starts: all that it may need to know is known.
	lines := [][]byte{f.secrets.firstLine(f.plan, m)}
	if line := f.addressLine(m.Name); line != nil {
		lines = append(lines, line)
	}
	ch, err := openChannel(lines...)
	if err != nil {
		return nil, err
	}
	s := f.slots[m.Name]
	p := &child{member: m, index: index, line: s.line, channel: ch}
	err = f.spawn(p, spawnSpec{
		binary: binary, args: entryArgs(m, f.options, s.sha256), dir: m.Dir,
		stdout: f.options.EntryStdout, stderr: f.options.EntryStderr,
	}, f.options.ProjectDir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", binary, err)
	}
	return p, nil
}

// spawn starts the process, puts it into its slot and has it watched. It takes over the channel: on failure
// that is closed.
func (f *Formation) spawn(p *child, spec spawnSpec, workdir string) error {
	m := p.member
	p.events, p.log = f.events, newLog()
	p.exited, p.reaped = make(chan struct{}), make(chan struct{})
	p.grace = m.Grace
	if p.grace <= 0 {
		p.grace = f.options.Grace
	}
	spec.inherit = []*os.File{p.line.Reader(), p.channel.reader}
	spec.env = f.memberEnv(m)
	cmd, err := spec.start()
	p.channel.spawned()
	if err != nil {
		p.channel.close()
		return err
	}
	p.line.Spawned()
	p.cmd, p.pid = cmd, cmd.Process.Pid
	f.events.emit(Event{Kind: Spawned, Member: m.Name, PID: p.pid, Workdir: workdir})
	if p.stdout != nil {
		p.out = readOutput(m.Name, f.relay, p.log, p.stdout, p.stderr, m.hasDoor())
	}
	s := f.slots[m.Name]
	s.mu.Lock()
	s.child = p
	s.mu.Unlock()
	go p.watch()
	return nil
}

// sendAddresses tells each peer that calls others where they are.
func (f *Formation) sendAddresses() {
	for _, m := range f.plan.Peers() {
		s := f.slots[m.Name]
		if line := f.addressLine(m.Name); line != nil && s.child != nil {
			// A peer that has gone meanwhile does not need it.
			_ = s.child.channel.send(line)
		}
	}
}

func (f *Formation) addressLine(member string) []byte {
	callees := f.plan.Callees(member)
	if len(callees) == 0 {
		return nil
	}
	addresses := make([]credential.Address, 0, len(callees))
	for _, name := range callees {
		if peer, ok := f.Peer(name); ok {
			addresses = append(addresses, credential.Address{Name: peer.Name, URL: peer.URL})
		}
	}
	return credential.RenderAddresses(addresses)
}

func (f *Formation) dirIn(formations string) string {
	return filepath.Join(formations, string(f.options.ID))
}

func ensurePrivate(dir string) error { return fsx.EnsurePrivateDir(dir) }
