package formation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"

	"murlua/lifecycle/claim"
	"murlua/lifecycle/formation/child"
	"murlua/lifecycle/keeper"
	"murlua/lifecycle/lifeline"
)

// Launch checks the plan, starts its peers, each when those it starts after are ready, and returns when all are ready.
//
// Otherwise it returns an error, and nothing that it started is running any more: a [*LaunchError] when members were
// to be started; before that a [*NestedError], what [Plan.Check] says, a [*claim.TakenError] when another formation has the
// plan's name, or what else [claim.Take] says. The first failure ends the launch for
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
	var named *claim.Claim
	if plan.Name != "" {
		if named, err = claim.Take(ctx, o.Home, plan.Name, o.ID); err != nil {
			return nil, err
		}
	}
	f := newFormation(plan, o)
	f.named = named
	f.events.emit(Event{Kind: Launching, Members: plan.names()})
	if err := f.prepare(); err != nil {
		return nil, f.refuse(f.noneStarted(err), nil)
	}
	if failed := f.readScripts(); failed != nil {
		return nil, f.refuse(failed, nil)
	}
	f.writeMarker()
	failed := f.startPeers(ctx)
	if interrupted := context.Cause(ctx); failed != nil || interrupted != nil {
		return nil, f.refuse(failed, interrupted)
	}
	f.sendAddresses()
	f.events.emit(Event{Kind: Ready})
	f.recorder.wait() // whoever has a launched formation finds its members
	go f.conduct()
	return f, nil
}

// prepare makes what has to be there before the first process: the keeper, the key and every lifeline.
func (f *Formation) prepare() error {
	f.keeper = f.options.Keeper
	if f.keeper == nil && runtime.GOOS == "linux" {
		f.keeper = keeper.New(keeper.Options{
			Program: f.options.Executable, Stderr: f.options.KeeperStderr, Marks: f.options.Home.Marks(),
		})
	}
	if f.keeper != nil {
		if err := f.keeper.Warm(); err != nil {
			return err
		}
	}
	var err error
	if f.secrets, err = newSecrets(f.options.ID, f.plan); err != nil {
		return err
	}
	for i := range f.plan.Members {
		m := &f.plan.Members[i]
		s := f.slots[m.Name]
		if m.hasDoor() {
			if s.line, err = lifeline.New(); err != nil {
				return fmt.Errorf("its lifeline could not be created: %w", err)
			}
		}
	}
	return nil
}

// readScripts finds out what the script of each member must be, for as long as the formation runs, and returns the
// members whose script cannot be read. Nothing has been started then.
func (f *Formation) readScripts() []Failure {
	var failed []Failure
	for i := range f.plan.Members {
		m := &f.plan.Members[i]
		digest, err := digest(m, f.options.ProjectDir)
		if err != nil {
			failed = append(failed, failureOf(m, Reason{Kind: NotStarted, Why: err.Error()}))
		}
		f.slots[m.Name].sha256 = digest
	}
	return failed
}

// startPeers starts every peer at once, or rather its goroutine, and returns the failures in plan order when all
// goroutines have an outcome.
func (f *Formation) startPeers(ctx context.Context) []Failure {
	ctx, abandon := context.WithCancelCause(ctx)
	defer abandon(nil)
	var peers []int
	for i := range f.plan.Members {
		m := &f.plan.Members[i]
		if !m.Entry {
			peers = append(peers, i)
		}
		if m.first() {
			f.recorder.begin(1)
		}
	}
	var all sync.WaitGroup
	reasons := make([]*Reason, len(f.plan.Members))
	for _, i := range peers {
		all.Go(func() {
			m := &f.plan.Members[i]
			reasons[i] = f.startPeer(ctx, m)
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
	var peers, entry []Failure
	for i := range f.plan.Members {
		m := &f.plan.Members[i]
		failure := failureOf(m, Reason{Kind: NotStarted, Why: why.Error()})
		if m.Entry {
			entry = append(entry, failure)
		} else {
			peers = append(peers, failure)
		}
	}
	return append(peers, entry...)
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

// relay is what all members' lines go through.
type relay struct {
	mu       sync.Mutex
	to       io.Writer
	onOutput func(Output)
	buffer   []byte // of the lines that are being written
}

func (r *relay) lines(l child.Lines) {
	if r.to != nil {
		r.mu.Lock()
		r.buffer = r.buffer[:0]
		l.Block.Lines(func(line []byte) {
			r.buffer = append(r.buffer, '[')
			r.buffer = append(r.buffer, l.Member...)
			r.buffer = append(r.buffer, "] "...)
			r.buffer = append(r.buffer, line...)
			r.buffer = append(r.buffer, '\n')
		})
		_, _ = r.to.Write(r.buffer)
		r.mu.Unlock()
	}
	if r.onOutput != nil {
		l.Block.Lines(func(line []byte) { r.onOutput(Output{Member: l.Member, Stderr: l.Stderr, Line: string(line)}) })
	}
}
