package formation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"murlua/lifecycle/id"
	"murlua/lifecycle/lifeline"
)

// Launch checks the plan, starts its peers, each when those it starts after are ready, and returns when all are ready.
//
// Otherwise it returns an error, and nothing that it started is running any more: a [*LaunchError] when members were
// to be started, a [*NestedError] or what [Plan.Check] says before that. The first failure ends the launch for
// everybody, and so does the end of ctx, which bounds the launch only; its cause is in the error.
//
// The caller owns the formation and has to make sure that it is stopped.
func Launch(ctx context.Context, plan Plan, options Options) (*Formation, error) {
	if err := plan.Check(); err != nil {
		return nil, err
	}
	o, err := options.prepared()
	if err != nil {
		return nil, err
	}
	f := newFormation(plan, o)
	f.events.emit(Event{Kind: Launching})
	if err := f.prepare(); err != nil {
		return nil, f.refuse(f.noneStarted(err), nil)
	}
	f.writeMarker()
	failed := f.startPeers(ctx)
	if interrupted := context.Cause(ctx); failed != nil || interrupted != nil {
		return nil, f.refuse(failed, interrupted)
	}
	f.sendAddresses()
	f.events.emit(Event{Kind: Ready})
	go f.conduct()
	return f, nil
}

// prepare makes what has to be there before the first process: the key, every lifeline, and what each script
// must be.
func (f *Formation) prepare() error {
	closeInherited()
	var err error
	if f.secrets, err = newSecrets(f.options.ID); err != nil {
		return err
	}
	for i := range f.plan.Members {
		m := &f.plan.Members[i]
		s := f.slots[m.Name]
		if s.line, err = lifeline.New(); err != nil {
			return fmt.Errorf("its lifeline could not be created: %w", err)
		}
		if s.sha256, err = digest(m, f.options.ProjectDir); err != nil {
			return err
		}
	}
	return nil
}

// startPeers starts every peer at once, or rather its goroutine, and returns the failures in plan order when all
// goroutines have an outcome.
func (f *Formation) startPeers(ctx context.Context) []Failure {
	ctx, abandon := context.WithCancelCause(ctx)
	defer abandon(nil)
	var all sync.WaitGroup
	reasons := make([]*Reason, len(f.plan.Members))
	for i := range f.plan.Members {
		m := &f.plan.Members[i]
		if m.Entry {
			continue
		}
		all.Go(func() {
			reasons[i] = f.startPeer(ctx, i, m)
			if reasons[i] != nil {
				f.events.emit(Event{Kind: Failed, Member: m.Name, Reason: reasons[i]})
				abandon(errAbandoned)
			}
		})
	}
	all.Wait()
	var failed []Failure
	for i, reason := range reasons {
		if reason != nil {
			failed = append(failed, failureOf(&f.plan.Members[i], *reason))
		}
	}
	return failed
}

// errAbandoned is why the others' start ends when one member has failed.
var errAbandoned = errors.New("another member failed")

// noneStarted lists every member, peers first, as not started for one reason.
func (f *Formation) noneStarted(why error) []Failure {
	var failed []Failure
	entry := []Failure{}
	for i := range f.plan.Members {
		m := &f.plan.Members[i]
		failure := failureOf(m, Reason{Kind: NotStarted, Why: why.Error()})
		if m.Entry {
			entry = append(entry, failure)
		} else {
			failed = append(failed, failure)
		}
	}
	return append(failed, entry...)
}

// refuse stops everything and makes the launch's error.
func (f *Formation) refuse(failed []Failure, interrupted error) *LaunchError {
	stopped := f.stopAll("the launch failed")
	f.finish()
	return &LaunchError{Failed: failed, Stopped: stopped, Interrupted: interrupted}
}

func failureOf(m *Member, reason Reason) Failure {
	name, version := m.capsule()
	return Failure{Name: m.Name, Capsule: name, Version: version, Reason: reason}
}

// slot is what a formation holds for one member.
type slot struct {
	sha256 string
	line   *lifeline.Line // until a process has it
	ready  chan struct{}  // closed when the member is ready

	mu    sync.Mutex
	child *child // nil before it is started
	peer  Peer
}

func newFormation(plan Plan, o *Options) *Formation {
	f := &Formation{
		plan: plan, options: o,
		events: newStream(o.OnEvent),
		relay:  &relay{to: o.Relay, onOutput: o.OnOutput},
		slots:  map[string]*slot{},
		asked:  make(chan error, 1),
		hurry:  make(chan struct{}),
		ended:  make(chan struct{}),
		entry:  make(chan *child, 1),
	}
	for i := range plan.Members {
		f.slots[plan.Members[i].Name] = &slot{ready: make(chan struct{})}
	}
	return f
}

// ID returns the formation's id.
func (f *Formation) ID() id.Formation { return f.options.ID }

// makeWorkdir makes a peer's own directory with one call that does not make parents, so that nothing that is there
// already, not even a link, becomes it.
func (f *Formation) makeWorkdir(m *Member) (string, error) {
	formations, err := f.options.Home.EnsureFormations()
	if err != nil {
		return "", fmt.Errorf("its directory could not be made: %w", err)
	}
	dir := f.dirIn(formations)
	workdir := dir + string(os.PathSeparator) + m.Name
	if err := ensurePrivate(dir); err != nil {
		return "", fmt.Errorf("its directory %s could not be made: %w", workdir, err)
	}
	if err := os.Mkdir(workdir, 0o700); err != nil {
		return "", fmt.Errorf("its directory %s could not be made: %w", workdir, err)
	}
	return workdir, nil
}
