package formation

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Exit is a peer's process that ended by itself, for [Member.OnExit].
type Exit struct {
	Name   string
	PID    int
	Status Status
	// Ran is how long the process ran. Restarts is how often the member was started again before.
	Ran      time.Duration
	Restarts int
	// Reason is set when the process had been started again and did not get ready.
	Reason *Reason
}

// Action is what to do about a member that ended, or that is not healthy.
type Action struct {
	Kind ActionKind
	// After is how long to wait before the member is started again.
	After time.Duration
	// Why is told with a stop, after the member's status: "gave up after 2 restarts". Empty tells the status alone.
	Why string
}

// ActionKind is one of Ignore, StopFormation and Restart.
type ActionKind int

// The kinds of actions.
const (
	// Ignore leaves things as they are.
	Ignore ActionKind = iota
	// StopFormation ends the formation: the member's status becomes the formation's.
	StopFormation
	// Restart stops the member if it still runs, and starts it again when nothing of the old process is left and its
	// ports are free.
	Restart
)

// Health is a check that is made again and again while a member runs.
type Health struct {
	// Check returns nil when all is well. Its context ends at Within, and when the member's process does.
	Check func(ctx context.Context, probe *Probe) error
	// Every is the time between two checks; zero means 10 s. Within bounds one; zero means 5 s.
	Every, Within time.Duration
	// Failures is how many checks in a row have to fail before the member counts as unhealthy; zero means 3.
	Failures int
	// OnUnhealthy decides what happens then; nil means [Ignore]. It is asked once, until the member was well again.
	OnUnhealthy func(ctx context.Context, last error) Action
}

// Backoff returns an OnExit that starts a member again: after first, then twice as long each time up to most, and after
// first again once a process has run for a minute.
func Backoff(first, most time.Duration) func(context.Context, Exit) Action {
	var mu sync.Mutex
	next := first
	return func(_ context.Context, exit Exit) Action {
		mu.Lock()
		defer mu.Unlock()
		if exit.Ran >= time.Minute {
			next = first
		}
		after := next
		next = min(2*next, most)
		return Action{Kind: Restart, After: after}
	}
}

// tendAll looks after every peer; the channel closes when there is none left to look after.
func (f *Formation) tendAll() <-chan struct{} {
	var all sync.WaitGroup
	tended := make(chan struct{})
	for i := range f.plan.Members {
		if m := &f.plan.Members[i]; !m.Entry {
			all.Go(func() { f.tend(m) })
		}
	}
	// A stop waits for this too: until then something might be on its way to be started again.
	f.following.Go(func() {
		all.Wait()
		close(tended)
	})
	return tended
}

// tend looks after one peer until the stop begins, or nothing is left to do.
func (f *Formation) tend(m *Member) {
	s := f.slots[m.Name]
	var failure *Reason
	for {
		p := s.current()
		action, alive := f.awaitTrouble(m, p, failure)
		if f.life.Err() != nil {
			return
		}
		switch action.Kind {
		case Ignore:
			if !alive {
				return
			}
		case StopFormation:
			if alive {
				f.stopWave([]*started{p})
			}
			f.over <- lastEnding{endingOf(p), action.Why}
			return
		case Restart:
			var again bool
			if failure, again = f.restart(m, p, action); !again {
				return
			}
		}
	}
}

// awaitTrouble returns what to do when the member's process has ended, or is not healthy and alive.
func (f *Formation) awaitTrouble(m *Member, p *started, failure *Reason) (action Action, alive bool) {
	unhealthy, stop := f.watchHealth(m, p)
	defer stop()
	for {
		select {
		case <-f.life.Done():
			return Action{}, false
		case last := <-unhealthy:
			if m.Health.OnUnhealthy == nil {
				continue
			}
			if action := m.Health.OnUnhealthy(f.life, last); action.Kind != Ignore {
				return action, true
			}
		case <-p.Exited():
			select {
			case <-p.settled:
			case <-f.life.Done():
				return Action{}, false
			}
			return f.onExit(m, p, failure), false
		}
	}
}

func (f *Formation) onExit(m *Member, p *started, failure *Reason) Action {
	if m.OnExit == nil {
		if _, has := f.plan.Entry(); has {
			return Action{Kind: Ignore}
		}
		return Action{Kind: StopFormation}
	}
	s := f.slots[m.Name]
	return m.OnExit(f.life, Exit{Name: m.Name, PID: p.PID(), Status: p.Status(), Ran: time.Since(p.Began()), Restarts: s.restarts, Reason: failure})
}

// restart replaces the member's process by a new one; false when the stop began meanwhile. The failure is why the new
// one, which has been ended then, did not get ready.
func (f *Formation) restart(m *Member, old *started, action Action) (failure *Reason, again bool) {
	s := f.slots[m.Name]
	why := old.Status().String()
	if old.Running() {
		why = "it is not healthy"
		f.stopWave([]*started{old})
	}
	if f.life.Err() != nil {
		return nil, false
	}
	f.events.emit(Event{Kind: Restarting, Member: m.Name, Detail: fmt.Sprintf("in %v: %s", action.After, why)})
	wait := time.NewTimer(action.After)
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-f.life.Done():
		return nil, false
	}
	if !f.awaitPorts(m) {
		return nil, false
	}
	s.restarts++
	p, err := f.respawn(m, old.workdir)
	if p == nil && err == nil {
		return nil, false
	}
	if err != nil {
		return f.failRestart(m, &Reason{Kind: NotStarted, Why: err.Error()}), true
	}
	reason := f.bringUp(f.life, p)
	switch {
	case f.life.Err() != nil:
		return nil, false
	case reason != nil:
		f.stopWave([]*started{p})
		return f.failRestart(m, reason), true
	}
	return nil, true
}

func (f *Formation) failRestart(m *Member, reason *Reason) *Reason {
	f.events.emit(Event{Kind: Failed, Member: m.Name, Reason: reason})
	return reason
}

// respawn starts a new process unless the stop has begun: then it returns nothing.
func (f *Formation) respawn(m *Member, workdir string) (*started, error) {
	f.spawning.Lock()
	defer f.spawning.Unlock()
	f.mu.Lock()
	stopping := f.stopAsked
	f.mu.Unlock()
	if stopping {
		return nil, nil
	}
	return f.spawnPeer(f.life, m, workdir)
}

// watchHealth checks a member's health until stop is called. The channel gets the last word of the check each time the
// member becomes unhealthy.
func (f *Formation) watchHealth(m *Member, p *started) (unhealthy <-chan error, stop func()) {
	if m.Health == nil || m.Health.Check == nil {
		return nil, func() {}
	}
	s := f.slots[m.Name]
	s.mu.Lock()
	probe := s.probe
	s.mu.Unlock()
	ctx, cancel := context.WithCancel(f.life)
	words := make(chan error, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		f.checkHealth(ctx, *m.Health, probe, p, words)
	}()
	return words, func() {
		cancel()
		<-done
	}
}

func (f *Formation) checkHealth(ctx context.Context, h Health, probe *Probe, p *started, words chan<- error) {
	if h.Every <= 0 {
		h.Every = 10 * time.Second
	}
	if h.Within <= 0 {
		h.Within = 5 * time.Second
	}
	if h.Failures <= 0 {
		h.Failures = 3
	}
	ticker := time.NewTicker(h.Every)
	defer ticker.Stop()
	for failures := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-p.Exited():
			return
		case <-ticker.C:
		}
		checking, cancel := context.WithTimeout(ctx, h.Within)
		err := h.Check(checking, probe)
		cancel()
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			if failures >= h.Failures {
				f.events.emit(Event{Kind: Healthy, Member: probe.Name, PID: probe.PID})
			}
			failures = 0
			continue
		}
		failures++
		if failures == h.Failures {
			f.events.emit(Event{Kind: Unhealthy, Member: probe.Name, PID: probe.PID, Detail: err.Error()})
			select {
			case words <- err:
			case <-ctx.Done():
			}
		}
	}
}
