package formation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"murlua/lifecycle/claim"
	"murlua/lifecycle/credential"
	"murlua/lifecycle/id"
	"murlua/lifecycle/keeper"
	"murlua/lifecycle/lifeline"
)

// Formation is a launched formation. All methods are safe for concurrent use.
type Formation struct {
	plan    Plan
	options *Options
	named   *claim.Claim // nil when the plan has no name
	events  *stream
	trace   *tracing
	relay   *relay
	secrets *secrets
	keeper  *keeper.Keeper
	outputs outputDir
	slots   map[string]*slot

	asked     chan error      // gets the first Stop's reason
	entry     chan *started   // gets the entry's process
	over      chan lastEnding // gets the exit that ends the formation
	ended     chan struct{}   // closed when ending is set
	following sync.WaitGroup  // the goroutines that tell of ends of processes
	recorder  *recorder       // of the commands

	life  context.Context // ends when the stop begins: nothing is started again
	stop  context.CancelFunc
	grace context.Context // ends when the graces are cut
	hurry context.CancelFunc

	spawning sync.Mutex // held while a process is spawned after the launch, and by the stop before it looks at what runs

	mu           sync.Mutex
	entryStarted bool
	stopAsked    bool
	ending       Ending
}

// slot is what a formation holds for one member.
type slot struct {
	sha256 string
	line   *lifeline.Line // made before the first process; nil once a process has it
	ready  chan struct{}  // closed when the member is ready for the first time

	mu       sync.Mutex
	process  *started // nil before it is started; the latest when it was started again
	peer     Peer
	probe    *Probe
	restarts int
}

func (s *slot) current() *started {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process
}

// Peer is a member whose door answered as the session that it reported, or a command that is ready.
type Peer struct {
	Name, Capsule, Version string
	PID                    int
	Session                string
	URL                    string // http://host:port; empty for a command
	// Workdir is where the peer works: a capsule's own directory below the home.
	Workdir string
	// Containment is the class that its process is in: what ends what it starts.
	Containment string
	// Token is the operator token of its door; zero for a public door.
	Token credential.Secret
}

func newFormation(plan Plan, o *Options) *Formation {
	f := &Formation{
		plan: plan, options: o,
		trace: &tracing{formation: o.ID},
		relay: &relay{to: o.Relay, onOutput: o.OnOutput},
		slots: map[string]*slot{},
		asked: make(chan error, 1),
		entry: make(chan *started, 1),
		over:  make(chan lastEnding, len(plan.Members)),
		ended: make(chan struct{}),
	}
	f.events = newStream(func(e Event) {
		f.trace.add(e)
		if o.OnEvent != nil {
			o.OnEvent(e)
		}
	})
	f.recorder = &recorder{write: f.recordCommand}
	f.life, f.stop = context.WithCancel(context.Background())
	f.grace, f.hurry = context.WithCancel(o.Hurried)
	for i := range plan.Members {
		f.slots[plan.Members[i].Name] = &slot{ready: make(chan struct{})}
	}
	return f
}

// ID returns the formation's id.
func (f *Formation) ID() id.Formation { return f.options.ID }

// Plan returns the plan that was launched.
func (f *Formation) Plan() Plan { return f.plan }

// Peers returns every peer in plan order, each as it was when it last became ready.
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

// Running reports whether the member's process runs, and its pid.
func (f *Formation) Running(member string) (pid int, running bool) {
	s, ok := f.slots[member]
	if !ok {
		return 0, false
	}
	p := s.current()
	if p == nil {
		return 0, false
	}
	return p.PID(), p.Running()
}

// Log returns what the member's latest process has written; nil for a member that was not started and for a name that is
// no member's. The entry's output is not read: its log stays empty.
func (f *Formation) Log(member string) *Log {
	s, ok := f.slots[member]
	if !ok {
		return nil
	}
	p := s.current()
	if p == nil {
		return nil
	}
	return p.Log()
}

// StartEntry starts the entry and returns its pid. When it cannot be started the formation is stopped, and the
// error is a [*LaunchError]. It is called once; a plan without an entry, and an ended formation, are errors.
func (f *Formation) StartEntry(ctx context.Context) (int, error) {
	m, p, err := f.tryEntry(ctx)
	if m == nil {
		return 0, err
	}
	if err == nil {
		f.events.emit(Event{Kind: EntryStarted, Member: m.Name, PID: p.PID()})
		f.entry <- p
		return p.PID(), nil
	}
	f.Stop(fmt.Errorf("the entry could not be started: %w", err))
	ending, _ := f.Wait(context.WithoutCancel(ctx))
	failure := failureOf(m, Reason{Kind: NotStarted, Why: err.Error()})
	return 0, &LaunchError{Failed: []Failure{failure}, Stopped: ending.Stopped}
}

// tryEntry returns no member when the entry may not be started.
func (f *Formation) tryEntry(ctx context.Context) (*Member, *started, error) {
	f.spawning.Lock()
	defer f.spawning.Unlock()
	m, err := f.claimEntry()
	if err != nil {
		return nil, nil, err
	}
	if taken := takenPort(m); taken != "" {
		return m, nil, errors.New(taken)
	}
	p, err := f.spawnEntry(ctx, m)
	return m, p, err
}

func (f *Formation) claimEntry() (*Member, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.plan.Members {
		if !f.plan.Members[i].Entry {
			continue
		}
		switch {
		case f.stopAsked:
			return nil, errors.New("cannot start the entry: the formation is stopping")
		case f.entryStarted:
			return nil, errors.New("cannot start the entry: it was started already")
		}
		f.entryStarted = true
		return &f.plan.Members[i], nil
	}
	return nil, errors.New("cannot start the entry: the formation has none")
}

// sendAddresses tells each peer that calls others where they are.
func (f *Formation) sendAddresses() {
	for _, m := range f.plan.Peers() {
		p := f.slots[m.Name].current()
		if line := f.addressLine(m.Name); line != nil && p != nil {
			_ = p.Send(line) // a peer that has gone meanwhile does not need it
		}
	}
}

// sendAddress tells those that call a member where it is now.
func (f *Formation) sendAddress(peer Peer) {
	if peer.URL == "" {
		return
	}
	line := credential.RenderAddresses([]credential.Address{{Name: peer.Name, URL: peer.URL}})
	for i := range f.plan.Members {
		m := &f.plan.Members[i]
		p := f.slots[m.Name].current()
		if p != nil && slices.Contains(f.plan.Callees(m.Name), peer.Name) {
			_ = p.Send(line)
		}
	}
}

// addressLine tells a member where those of its callees are that are ready; nil when there is none.
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
	if len(addresses) == 0 {
		return nil
	}
	return credential.RenderAddresses(addresses)
}
