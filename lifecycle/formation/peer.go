package formation

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"murlua/lifecycle/credential"
	"murlua/lifecycle/door"
)

// startPeer starts one peer and returns nil when it is ready or when the launch is abandoned, and the reason
// when it failed. A process that it started is in the member's slot, whatever came of it: the formation stops it.
func (f *Formation) startPeer(ctx context.Context, m *Member) *Reason {
	p, reason := f.spawnInTurn(ctx, m)
	if p == nil {
		return reason
	}
	if reason := f.bringUp(ctx, p); reason != nil || ctx.Err() != nil {
		return reason
	}
	close(f.slots[m.Name].ready)
	return nil
}

// spawnInTurn starts the process of a peer when those that it starts after are ready. It returns no process when there
// is a reason why not, or the launch is abandoned.
func (f *Formation) spawnInTurn(ctx context.Context, m *Member) (*started, *Reason) {
	if m.first() {
		defer f.recorder.done() // begun by the launch, for all of them
	}
	if !f.awaitOthers(ctx, m) {
		return nil, nil
	}
	if taken := takenPort(m); taken != "" {
		return nil, &Reason{Kind: NotStarted, Why: taken}
	}
	workdir, err := f.makeWorkdir(m)
	if err != nil {
		return nil, &Reason{Kind: NotStarted, Why: err.Error()}
	}
	p, err := f.spawnPeer(ctx, m, workdir)
	if err != nil && context.Cause(ctx) == nil {
		return nil, &Reason{Kind: NotStarted, Why: err.Error()}
	}
	return p, nil
}

// bringUp waits until a started peer is ready. Without a reason, ctx says whether it is or the wait was abandoned.
func (f *Formation) bringUp(ctx context.Context, p *started) *Reason {
	m := p.member
	within := m.ReadyWithin
	if within <= 0 {
		within = f.options.ReadyWithin
	}
	bounded, cancel := context.WithDeadlineCause(ctx, p.Began().Add(within), errDeadline)
	defer cancel()
	s := &starting{f: f, m: m, p: p, within: within, probe: Probe{
		Name: m.Name, PID: p.PID(), Session: string(p.session), Workdir: p.workdir, Log: p.Log(),
	}}
	if m.hasDoor() {
		if reason := s.awaitReport(bounded); reason != nil || ctx.Err() != nil {
			return reason
		}
	}
	if reason := s.awaitReady(bounded); reason != nil || ctx.Err() != nil {
		return reason
	}
	f.becomeReady(m, s)
	return nil
}

// errDeadline is the cause of a start context at the member's own deadline.
var errDeadline = errors.New("the deadline passed")

// awaitOthers waits until those that the member starts after are ready; false when the launch is abandoned first.
func (f *Formation) awaitOthers(ctx context.Context, m *Member) bool {
	if len(m.After) > 0 {
		f.events.emit(Event{Kind: Waiting, Member: m.Name})
	}
	for _, before := range m.After {
		select {
		case <-f.slots[before].ready:
		case <-ctx.Done():
			return false
		}
	}
	return ctx.Err() == nil
}

func (f *Formation) becomeReady(m *Member, from *starting) {
	probe := from.probe
	capsule, version := m.capsule()
	peer := Peer{
		Name: m.Name, Capsule: capsule, Version: version, PID: probe.PID, Session: probe.Session, URL: probe.URL,
		Workdir: probe.Workdir, Containment: string(from.p.Class()), Token: from.token,
	}
	s := f.slots[m.Name]
	if s.restarts > 0 {
		f.sendAddress(peer) // before anybody hears that it is back
	}
	s.mu.Lock()
	s.peer = peer
	s.probe = &probe
	s.mu.Unlock()
	f.events.emit(Event{Kind: Ready, Member: m.Name, PID: probe.PID, Session: probe.Session, URL: probe.URL})
}

// starting is a started peer on its way to ready.
type starting struct {
	f      *Formation
	m      *Member
	p      *started
	within time.Duration
	probe  Probe
	token  credential.Secret // of the door
	last   string            // the last word of the door
	// doorAnswered is set when the event was sent: a policy may ask again.
	doorAnswered atomic.Bool
}

// awaitReport waits for the readiness line and reads it into the probe. Without a reason, ctx says whether
// the launch goes on.
func (s *starting) awaitReport(ctx context.Context) *Reason {
	select {
	case line, ok := <-s.p.Report():
		if !ok {
			return s.exitedBeforeReporting(ctx)
		}
		report, reason := readReport(line, string(s.f.options.ID))
		if reason != nil {
			return reason
		}
		s.probe.Session, s.probe.URL, s.token = report.session, report.url, report.token
		s.emit(Reported, "")
		return nil
	case <-ctx.Done():
		if context.Cause(ctx) == errDeadline {
			return &Reason{Kind: DidNotReport, Deadline: s.within}
		}
		return nil
	}
}

func (s *starting) emit(kind EventKind, detail string) {
	s.f.events.emit(Event{Kind: kind, Member: s.m.Name, PID: s.probe.PID, Session: s.probe.Session, URL: s.probe.URL, Detail: detail})
}

// exitedBeforeReporting is reached when standard output ended. The exit is a moment behind; a process that closed its
// output and stays is as good as gone, and is ended.
func (s *starting) exitedBeforeReporting(ctx context.Context) *Reason {
	wait := time.NewTimer(exitAfterEOF)
	defer wait.Stop()
	select {
	case <-s.p.Exited():
	case <-wait.C:
		s.p.Kill()
	case <-ctx.Done():
		if context.Cause(ctx) != errDeadline {
			return nil
		}
		s.p.Kill()
	}
	return s.exit(ExitedBeforeReporting)
}

// exit makes the reason of a process that ended too early. The tail is complete when the stream has ended,
// which a process that holds the pipe can put off only so long.
func (s *starting) exit(kind string) *Reason {
	wait := time.NewTimer(tailWait)
	defer wait.Stop()
	ended := s.p.StderrEnded()
	if s.m.Command != nil {
		ended = s.p.Reaped() // both streams count
	}
	select {
	case <-ended:
	case <-wait.C:
	}
	return s.withTail(&Reason{Kind: kind, Status: s.p.Status()})
}

func (s *starting) withTail(r *Reason) *Reason {
	if s.m.Command != nil {
		r.BothStreams, r.StderrTail = true, s.p.Log().Tail()
	} else {
		r.StderrTail = s.p.Log().StderrTail()
	}
	return r
}

// awaitReady asks the member's policy, or its door, until the answer is yes, the process ends, or ctx does.
func (s *starting) awaitReady(ctx context.Context) *Reason {
	s.probe.AskDoor = s.askDoor
	s.probe.NotYet = func(why string) { s.emit(NotReadyYet, why) }
	ask := s.m.Ready
	if ask == nil {
		if !s.m.hasDoor() {
			return nil
		}
		ask = func(ctx context.Context, _ *Probe) error { return s.awaitDoor(ctx) }
	}
	asking, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	answer := make(chan error, 1)
	go func() { answer <- ask(asking, &s.probe) }()
	select {
	case <-s.p.Exited():
		stop(errExited)
		// Whatever the policy answers now: a member that has ended is not ready. Its goroutine is
		// waited for all the same.
		return s.answered(ctx, errors.Join(<-answer, errExited))
	case err := <-answer:
		return s.answered(ctx, err)
	}
}

// errExited is the cause of a policy's context when the process has ended.
var errExited = errors.New("the process exited")

func (s *starting) answered(ctx context.Context, err error) *Reason {
	cause := context.Cause(ctx)
	switch {
	case err == nil && s.p.Running():
		return nil
	case cause != nil && cause != errDeadline:
		return nil // abandoned
	case !s.p.Running() && s.m.Ready == nil:
		return s.exit(ExitedBeforeDoorAnswered)
	case !s.p.Running():
		return s.exit(ExitedBeforeReady)
	case s.m.Ready == nil:
		return &Reason{Kind: DoorDidNotAnswer, URL: s.probe.URL, Session: s.probe.Session, Deadline: s.within, Why: s.last}
	}
	reason := s.withTail(&Reason{Kind: NotReady, Why: err.Error()})
	if cause == errDeadline {
		reason.Deadline = s.within
	}
	return reason
}

// askDoor probes once and returns "" when the door answers as the reported session, else what it said.
func (s *starting) askDoor(ctx context.Context) string {
	if !s.m.hasDoor() {
		return "the member is a command and has no door"
	}
	session, err := door.Probe(ctx, s.probe.URL, s.token)
	word := doorAnswersAs(session, err, s.probe.Session)
	if word == "" && !s.doorAnswered.Swap(true) {
		s.emit(DoorAnswered, "")
	}
	return word
}

// awaitDoor probes until the door answers as the reported session. It leaves the last probe's word in last.
func (s *starting) awaitDoor(ctx context.Context) error {
	s.last = "none was made"
	return Until(ctx, func(ctx context.Context) bool {
		word := s.askDoor(ctx)
		// A probe that the deadline cut short says nothing about the door.
		if ctx.Err() == nil || s.last == "none was made" {
			s.last = word
		}
		return word == ""
	})
}

// Until asks until the answer is yes, and returns nil, or the cause of ctx when that ends first. It is for what nobody
// tells: the pause between two questions starts at a millisecond and grows with the time that has passed, to murmur's
// 100 ms, so that what happens early is noticed within a few milliseconds and what takes long costs little.
func Until(ctx context.Context, ask func(ctx context.Context) bool) error {
	began := time.Now()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if ask(ctx) {
			return nil
		}
		timer.Reset(pauseAfter(time.Since(began)))
	}
}

const (
	firstPause = time.Millisecond
	lastPause  = 100 * time.Millisecond
)

// pauseAfter is a sixty-fourth of the time that has passed: what is waited for is noticed on average with a delay of
// less than a hundredth of what it took.
func pauseAfter(passed time.Duration) time.Duration {
	return min(max(passed/64, firstPause), lastPause)
}
